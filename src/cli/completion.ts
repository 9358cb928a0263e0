/** `toolglot completion`: a script that teaches a shell what can be typed next. */
import { COMMON_OPTIONS, oneOf, readArguments } from './arguments.ts'
import { type Command, EXIT_OK, UsageError } from './command.ts'
import { bashScript } from './completion/bash.ts'
import { fishScript } from './completion/fish.ts'
import { describeCommands, type Known } from './completion/known.ts'
import { zshScript } from './completion/zsh.ts'

const SCRIPTS: Readonly<Record<'bash' | 'zsh' | 'fish', (commands: readonly Known[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

const SHELLS = ['bash', 'zsh', 'fish'] as const satisfies readonly (keyof typeof SCRIPTS)[]

const HELP = `Usage: toolglot completion <shell>

Prints a script for ${SHELLS.join(', ')} that completes commands, options, and the ids of protocols,
providers and dialects. The shell reads it once, when it starts.

Options:
  --no-color   no colours
  -h, --help   this text

Examples:
  source <(toolglot completion bash)                                  in ~/.bashrc
  source <(toolglot completion zsh)                                   in ~/.zshrc, behind compinit
  toolglot completion fish > ~/.config/fish/completions/toolglot.fish

Exit codes: 0 done, 2 there is no script for that shell.`

/** The other commands come in, because they cannot be imported by what is one of them. */
export function createCompletionCommand(others: readonly Command[]): Command {
  const command: Command = {
    name: 'completion',
    summary: 'print a script that completes commands and options in a shell',
    help: HELP,
    options: COMMON_OPTIONS,
    operands: SHELLS,
    async run(args, { print }) {
      const { positionals } = readArguments(args, COMMON_OPTIONS)
      const [name, extra] = positionals
      if (extra !== undefined)
        throw new UsageError(`only one shell at a time, but also got ${extra}`)
      const shell = oneOf('the shell', name, SHELLS)
      if (!shell) throw new UsageError(`name a shell: ${SHELLS.join(', ')}`)
      print(SCRIPTS[shell](describeCommands([...others, command])).trimEnd())
      return EXIT_OK
    },
  }
  return command
}
