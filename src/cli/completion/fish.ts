/** Completion for fish. */
import type { Choices } from '../command.ts'
import type { Known, KnownOption } from './known.ts'

export function fishScript(commands: readonly Known[]): string {
  return `# toolglot completion for fish: toolglot completion fish > ~/.config/fish/completions/toolglot.fish
complete -c toolglot -f
complete -c toolglot -n __fish_use_subcommand -l help -s h
complete -c toolglot -n __fish_use_subcommand -l version -s v
complete -c toolglot -n __fish_use_subcommand -l no-color
${commands.flatMap(commandLines).join('\n')}
`
}

function commandLines(command: Known): string[] {
  const { name, summary, options, operands } = command
  const inside = `complete -c toolglot -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`
  const offered = offer(operands)
  return [
    `complete -c toolglot -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...options.map((option) => `${inside} ${optionWords(option)}`),
    ...(offered === '' ? [] : [`${inside} ${offered}`]),
  ]
}

function optionWords({ name, short, values }: KnownOption): string {
  const names = `-l ${name}${short === undefined ? '' : ` -s ${short}`}`
  if (!values) return names
  const offered = offer(values)
  return `${names} ${values === 'file' ? '-r' : '-x'}${offered === '' ? '' : ` ${offered}`}`
}

function offer(choices: Choices): string {
  if (choices === 'file') return '-F'
  return choices.length === 0 ? '' : `-a ${quoted(choices.join(' '))}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
