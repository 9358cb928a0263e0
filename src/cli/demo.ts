/** `toolglot demo`: a few replies before and after. */
import { extract } from '../index.ts'
import { COMMON_OPTIONS, readArguments } from './arguments.ts'
import { type Command, EXIT_OK, UsageError } from './command.ts'
import { explain } from './explain.ts'
import { SAMPLE_TOOLS, SAMPLES, type Sample } from './samples.ts'
import type { Style } from './terminal.ts'

const HELP = `Usage: toolglot demo [options]

Shows what Toolglot makes of a few replies, as models really write them: what came in, which parts of
it are calls, and what was repaired.

Options:
  --no-color   no colours
  -h, --help   this text

Example:
  toolglot demo`

const NEXT = `What to try next (in a clone, write "npm start --" instead of "toolglot"):
  toolglot extract reply.txt --explain           a reply of your own
  toolglot extract reply.txt --tools tools.json  the same, checked against your tools
  toolglot extract reply.txt --stream            event by event, as a stream would give it
  toolglot protocols                             all text formats that are read and written
  toolglot serve                                 a gateway; its models demo/hermes, demo/harmony … write these formats`

export const demoCommand: Command = {
  name: 'demo',
  summary: 'show a few replies before and after',
  help: HELP,
  options: COMMON_OPTIONS,
  async run(args, { print, style }) {
    const { positionals } = readArguments(args, COMMON_OPTIONS)
    if (positionals.length > 0) throw new UsageError('demo takes no arguments')
    for (const [at, sample] of SAMPLES.entries()) print(`${show(sample, at + 1, style)}\n`)
    print(NEXT)
    return EXIT_OK
  },
}

function show({ title, reply, finishReason }: Sample, number: number, style: Style): string {
  const result = extract(reply, {
    tools: SAMPLE_TOOLS,
    ids: 'sequential',
    trace: true,
    ...(finishReason && { finishReason }),
  })
  return `${style.bold(`── ${number}. ${title}`)}\n\n${explain(result, reply, style)}`
}
