/** `toolglot extract`: the calls in a reply. */
import { finishReasonOf } from '../core/finish-reason.ts'
import type { Issue } from '../core/issue.ts'
import type { ExtractEvent, Extraction, FinishReason, ToolCall } from '../core/model.ts'
import { readNative } from '../core/native.ts'
import { didYouMean } from '../core/nearest.ts'
import { createExtractor, type ExtractOptions, extract } from '../index.ts'
import { PRESET_NAMES } from '../presets/index.ts'
import { allProtocols } from '../protocols/registry.ts'
import { COMMON_OPTIONS, oneOf, readArguments } from './arguments.ts'
import { type Command, EXIT_NO_CALL, EXIT_OK, UsageError } from './command.ts'
import { explain } from './explain.ts'
import { readReply, readResponse, readTools, streamReply } from './input.ts'
import { keepPace } from './output.ts'
import { checkProtocol } from './protocol-id.ts'
import { printable, type Style, type Terminal } from './terminal.ts'

const HELP = `Usage: toolglot extract [file] [options]

Reads what a model sent back and shows the calls in it. Without a file, or with -, the reply is read
from standard input. A whole provider response in JSON is recognised and read as one.

Options:
  --tools <file>           the tools that were offered: JSON, a list, a record from names to
                           definitions, or {"tools": [...]}; any provider's spelling
  --tool <name>            the name of one, when its definition does not matter; may be given
                           more than once
  --protocol <id>          read only this text format; may be given more than once
  --model <name>           the model that wrote it, for where two formats fit
  --preset <name>          read the way a certain system does
  --repair <level>         off, safe, or guess: how far broken JSON may be repaired
  --finish-reason <word>   why the reply ended, in any provider's words (length, max_tokens …)
  --text                   take the input as text even when it looks like a provider response
  --stream                 show events as they happen instead of the result
  --explain                show what became of every part of the reply, and why
  --json                   the result as JSON; with --stream, one event a line
  --require-call           exit with code 3 when there is no call
  --no-color               no colours (NO_COLOR and FORCE_COLOR are honoured as well)
  -h, --help               this text

Examples:
  toolglot extract reply.txt --tools tools.json
  toolglot extract reply.txt --tool get_weather --tool search
  cat reply.txt | toolglot extract --explain
  toolglot extract response.json --json
  toolglot extract reply.txt --protocol hermes --stream

Exit codes: 0 done, 2 the command line or a file cannot be used, 3 no call (with --require-call).`

const OPTIONS = {
  ...COMMON_OPTIONS,
  tools: { type: 'string' },
  tool: { type: 'string', multiple: true },
  protocol: { type: 'string', multiple: true },
  model: { type: 'string' },
  preset: { type: 'string' },
  repair: { type: 'string' },
  'finish-reason': { type: 'string' },
  text: { type: 'boolean' },
  stream: { type: 'boolean' },
  explain: { type: 'boolean' },
  json: { type: 'boolean' },
  'require-call': { type: 'boolean' },
} as const

const REPAIR_LEVELS = ['off', 'safe', 'guess'] as const
const FINISH_REASONS = ['stop', 'tool-calls', 'length', 'content-filter', 'error'] as const

/** How the result is to be shown. */
interface Show {
  readonly text?: boolean | undefined
  readonly explain?: boolean | undefined
  readonly json?: boolean | undefined
}

export const extractCommand: Command = {
  name: 'extract',
  summary: 'find the tool calls in a reply',
  help: HELP,
  options: OPTIONS,
  choices: {
    tools: 'file',
    protocol: allProtocols.map(({ id }) => id),
    preset: PRESET_NAMES,
    repair: REPAIR_LEVELS,
    'finish-reason': FINISH_REASONS,
  },
  operands: 'file',
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OPTIONS)
    const [path, extra] = positionals
    if (extra !== undefined) throw new UsageError(`only one reply at a time, but also got ${extra}`)
    if (values.stream && values.explain) {
      throw new UsageError('--stream and --explain do not go together: choose one')
    }
    const options: ExtractOptions = {
      ...given('tools', await offeredTools(values.tools, values.tool)),
      ...(values.protocol && { protocols: values.protocol.map(checkProtocol) }),
      model: values.model,
      ...given('preset', oneOf('--preset', values.preset, PRESET_NAMES)),
      ...given('repair', oneOf('--repair', values.repair, REPAIR_LEVELS)),
      ...given('finishReason', readFinishReason(values['finish-reason'])),
    }
    const result = values.stream
      ? await showStream(path, options, values, terminal)
      : await showResult(path, { ...options, trace: values.explain === true }, values, terminal)
    return values['require-call'] && result.calls.length === 0 ? EXIT_NO_CALL : EXIT_OK
  },
}

/** Undefined when nothing was said about tools: then any name will do. */
async function offeredTools(
  file: string | undefined,
  names: readonly string[] | undefined,
): Promise<ExtractOptions['tools']> {
  if (file !== undefined && names) {
    throw new UsageError('--tools and --tool do not go together: put all of them in the file')
  }
  if (names?.includes(''))
    throw new UsageError('--tool cannot be empty; it takes the name of a tool')
  return file === undefined ? names : readTools(file)
}

async function showResult(
  path: string | undefined,
  options: ExtractOptions,
  show: Show,
  terminal: Terminal,
): Promise<Extraction> {
  const input = await readReply(path)
  const response = show.text ? undefined : readResponse(input)
  const result = extract(response ?? input, options)
  // Spans point into the text: that of the message when the input is a response with text calls.
  const inner = result.segments && readNative(response)?.text
  const source = response === undefined ? input : inner
  if (show.json) terminal.print(JSON.stringify(result, null, 2))
  else if (show.explain) terminal.print(explain(result, source, terminal.style))
  else terminal.print(summarize(result, terminal))
  return result
}

function summarize({ calls, text, reasoning, issues }: Extraction, { style }: Terminal): string {
  const notes = [
    ...issues.map(({ code, message }) => style.issue(printable(`issue: ${code}: ${message}`))),
    ...(reasoning === '' ? [] : [style.dim(`reasoning: ${reasoning.length} characters`)]),
  ]
  return [
    calls.length === 0
      ? style.dim('no calls')
      : calls.map((call) => callLine(call, style)).join('\n'),
    printable(text.trim()),
    notes.join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function callLine(call: ToolCall, style: Style): string {
  return `${style.call(printable(call.name))} ${printable(JSON.stringify(call.arguments))}`
}

async function showStream(
  path: string | undefined,
  options: ExtractOptions,
  { json }: Show,
  terminal: Terminal,
): Promise<Extraction> {
  const extractor = createExtractor(options)
  const show = (events: readonly ExtractEvent[]): void => {
    for (const event of events) {
      terminal.print(json ? JSON.stringify(event) : describeEvent(event, terminal.style))
    }
  }
  for await (const chunk of streamReply(path)) {
    show(extractor.push(chunk))
    await keepPace()
  }
  show(extractor.end())
  return extractor.result()
}

function describeEvent(event: ExtractEvent, style: Style): string {
  switch (event.type) {
    case 'text-delta':
      return `text       ${quote(event.text)}`
    case 'reasoning-delta':
      return style.reasoning(`reasoning  ${quote(event.text)}`)
    case 'call-start':
      return style.call(`${callColumn(event.index)}${printable(event.name)} (${event.protocol})`)
    case 'call-delta':
      return style.call(`${callColumn(event.index)}… ${printable(event.argumentsDelta)}`)
    case 'call-end':
      return `${style.call(callColumn(event.index))}${callLine(event.call, style)}`
    case 'call-abort':
      return style.issue(`${callColumn(event.index)}aborted: ${issueLine(event.issue)}`)
    case 'issue':
      return style.issue(`issue      ${issueLine(event.issue)}`)
    default:
      event satisfies never
      return ''
  }
}

function callColumn(index: number): string {
  return `call ${index + 1}`.padEnd(11)
}

function issueLine({ code, message }: Issue): string {
  return `${code}: ${printable(message)}`
}

function quote(text: string): string {
  return printable(JSON.stringify(text))
}

// An option that was not given must not be there at all: undefined is not one of its values.
function given<const Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value }) // a computed key
}

function readFinishReason(word: string | undefined): FinishReason | undefined {
  const reason = finishReasonOf(word, false)
  if (reason !== undefined || word === undefined) return reason
  const hint = didYouMean(word, FINISH_REASONS)
  throw new UsageError(
    `no provider ends a reply with "${word}"${hint}; try ${FINISH_REASONS.join(', ')}`,
  )
}
