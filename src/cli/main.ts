#!/usr/bin/env node
/** The `toolglot` command: finds the command asked for, runs it, and ends with its exit code. */
import { didYouMean } from '../core/nearest.ts'
import { type Command, EXIT_OK, EXIT_USAGE, UsageError } from './command.ts'
import { COMMANDS } from './commands.ts'
import { createTerminal, printable, type Terminal, table } from './terminal.ts'
import { readVersion } from './version.ts'

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args.filter((arg, at) => at > 0 || arg !== '--no-color')
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.print(helpFor(rest[0]))
    return name === undefined ? EXIT_USAGE : EXIT_OK
  }
  if (name === '--version' || name === '-v') {
    terminal.print(readVersion())
    return EXIT_OK
  }
  const command = findCommand(name)
  if (asksForHelp(rest)) {
    terminal.print(command.help)
    return EXIT_OK
  }
  return command.run(rest, terminal)
}

// Before anything else is looked at, so that it also works on a command line with a mistake in it.
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  return options.includes('--help') || options.includes('-h')
}

function findCommand(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name)
  if (found) return found
  const names = COMMANDS.map((command) => command.name)
  const what = name.startsWith('-') ? 'option' : 'command'
  throw new UsageError(
    `unknown ${what} ${name}${didYouMean(name, names)}; the commands are ${names.join(', ')}`,
  )
}

function helpFor(name: string | undefined): string {
  if (name !== undefined && !name.startsWith('-')) return findCommand(name).help
  const commands = COMMANDS.map((command) => [`  ${command.name}`, command.summary])
  return `Usage: toolglot <command> [options]

Makes any model call tools, through any API: a gateway for the clients you have, and tools for
looking at what a model sends back.

Commands:
${table(commands, 100)}

Options:
  -h, --help   this text; "toolglot <command> --help" tells about a command
  --version    the version
  --no-color   no colours

Examples:
  toolglot serve
  toolglot launch claude --model ollama/qwen3-coder
  toolglot run "What is in this folder?" --model ollama/qwen3 --mcp servers.json
  toolglot extract reply.txt --tools tools.json
  cat reply.txt | toolglot extract --explain
  toolglot convert request.json --from openai-chat --to anthropic
  toolglot protocols hermes`
}

// Whoever reads our output may have read enough (`| head`): that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT_OK)
  process.stderr.write(`toolglot: standard output: ${error.message}\n`)
  process.exit(EXIT_USAGE)
})
// With nobody to tell it to, the exit code still says how it went.
process.stderr.on('error', () => {})

const args = process.argv.slice(2)
try {
  const noColor = args.includes('--no-color')
  process.exitCode = await run(args, createTerminal(process.stdout, process.env, noColor))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`toolglot: ${printable(error.message).replaceAll('\n', ' ')}\n`)
  process.exitCode = EXIT_USAGE
}
