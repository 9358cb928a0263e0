/** Completion for zsh. */
import type { Choices } from '../command.ts'
import { GLOBAL_OPTIONS, type Known, type KnownOption } from './known.ts'

export function zshScript(commands: readonly Known[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`)
  return `#compdef toolglot
# toolglot completion for zsh: source <(toolglot completion zsh), behind compinit
_toolglot() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    compadd -- ${GLOBAL_OPTIONS.join(' ')}
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _toolglot ]]; then
  _toolglot "$@"
else
  compdef _toolglot toolglot
fi
`
}

function commandCase({ name, options, operands }: Known): string {
  const specs = [...options.flatMap(optionSpecs), ...operandSpecs(operands)]
  return `    ${name}) _arguments ${specs.map(quoted).join(' ')} ;;`
}

/** May stand more than once: those that may not are told by the command itself. */
function optionSpecs({ name, short, values }: KnownOption): string[] {
  const value = values ? `:value:${action(values)}` : ''
  return [`*--${name}${values ? '=' : ''}${value}`, ...(short === undefined ? [] : [`-${short}`])]
}

function operandSpecs(operands: Choices): string[] {
  const isNothing = operands !== 'file' && operands.length === 0
  return isNothing ? [] : [`*:argument:${action(operands)}`]
}

function action(choices: Choices): string {
  if (choices === 'file') return '_files'
  return choices.length === 0 ? ' ' : `(${choices.join(' ')})`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
