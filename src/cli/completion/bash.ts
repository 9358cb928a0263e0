/** Completion for bash 4 and later. */
import type { Choices } from '../command.ts'
import { GLOBAL_OPTIONS, type Known } from './known.ts'

export function bashScript(commands: readonly Known[]): string {
  const names = commands.map(({ name }) => name)
  return `# toolglot completion for bash: source <(toolglot completion bash)
_toolglot_offer() {
  COMPREPLY=($(compgen -W "$1" -- "$current"))
  # A word that ends with a slash goes on.
  if [[ \${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2> /dev/null; fi
}
_toolglot() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' at
  # --option=value comes as three words.
  if [[ $current == '=' ]]; then current=''
  elif [[ $previous == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    if [[ \${COMP_WORDS[at]} != -* ]]; then command=\${COMP_WORDS[at]}; break; fi
  done
  case "$command $previous" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case $command in
    '') ${offer([...names, ...GLOBAL_OPTIONS])} ;;
${commands.map(commandCase).join('\n')}
  esac
}
complete -F _toolglot toolglot
`
}

function valueCases({ name, options }: Known): string[] {
  return options.flatMap(({ name: option, values }) =>
    values ? [`    '${name} --${option}') ${offer(values)}; return ;;`] : [],
  )
}

function commandCase({ name, options, operands }: Known): string {
  const words = options.flatMap(({ name: long, short }) => [
    `--${long}`,
    ...(short === undefined ? [] : [`-${short}`]),
  ])
  return `    ${name}) if [[ $current == -* ]]; then ${offer(words)}; else ${offer(operands)}; fi ;;`
}

/** Names of files are for the shell itself, which knows how to quote them. */
function offer(choices: Choices): string {
  if (choices === 'file') return 'compopt -o default 2> /dev/null'
  return choices.length === 0 ? ':' : `_toolglot_offer '${choices.join(' ')}'`
}
