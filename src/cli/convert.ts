/** `toolglot convert`: from one provider's wire format to another's. */
import type { Dialect } from '../core/dialect.ts'
import { InvalidInputError } from '../core/errors.ts'
import { ISSUE_CODES, type Issue } from '../core/issue.ts'
import type { JsonValue } from '../core/json/value.ts'
import { hintAt } from '../core/nearest.ts'
import { kindOfJson, PAYLOAD_KINDS, type PayloadKind, toolsIn } from '../dialects/payload.ts'
import { wholeReply } from '../dialects/recorded-stream.ts'
import { allDialects } from '../dialects/registry.ts'
import { transcode } from '../dialects/transcode.ts'
import { allProtocols } from '../protocols/registry.ts'
import { findSpokenDialect, nearestSpoken } from '../providers/spoken-dialect.ts'
import { COMMON_OPTIONS, oneOf, readArguments } from './arguments.ts'
import { type Command, EXIT_OK, UsageError } from './command.ts'
import { convertPart, listCalls, PART_KINDS, type PartKind } from './convert-parts.ts'
import { readStream, translate, writeStream } from './convert-stream.ts'
import { readBytes, streamBytes } from './input.ts'
import { keepPace } from './output.ts'
import { checkProtocol } from './protocol-id.ts'
import { printable, type Terminal } from './terminal.ts'

const IDS = allDialects.map(({ id }) => id)

const KINDS = [...PAYLOAD_KINDS, ...PART_KINDS] as const

const HELP = `Usage: toolglot convert [file] --to <dialect> [options]

Translates what goes to or comes from a provider: a request, a reply, a stream (server-sent events,
NDJSON, or the binary frames of AWS), a history (a list of messages) or a list of tools. Without a
file, or with -, it is read from standard input. Histories are healed on the way: each call has its
result, and ids, names and turns are as the dialect wants them.

What cannot be said in the other format is reported on standard error.

Four more kinds are parts of a conversation, for scripts with a loop of their own:
  calls              a reply of any API becomes [{"id", "name", "arguments"}], arguments as JSON text
  assistant          a reply of any API becomes the assistant message for the API of --to
  result             {"id", "name", "content"}, or a list of these, becomes what --to wants:
                     one message, or the messages of the whole turn
  prompt             tools become a system prompt that teaches a model to call them in its text

Options:
  --to <dialect>     what it becomes
  --from <dialect>   what it is; told by its shape when left out
  --kind <kind>      what it is: ${PAYLOAD_KINDS.join(', ')}; told by its shape when left out
                     (stream, with --from: translated while it arrives); or ${PART_KINDS.join(', ')}
  --protocol <id>    for a prompt: the format of calls (default text-tagged)
  --system <text>    for a prompt: what comes before the instructions
  --whole            a stream becomes a whole reply
  --compact          JSON on one line; for a prompt, one line for each tool
  --quiet            nothing on standard error about what was lost
  --no-color         no colours
  -h, --help         this text

Dialects: ${IDS.join(', ')}; names of providers
(openai, groq, copilot …) mean the dialects that they speak.

Examples:
  toolglot convert request.json --from openai-chat --to anthropic
  toolglot convert history.json --to mistral
  toolglot convert tools.json --to gemini
  curl -sN … | toolglot convert --from anthropic --to openai-chat --kind stream
  toolglot convert reply.sse --from openai-responses --to openai-chat --whole
  toolglot convert reply.json --kind calls
  toolglot convert reply.json --kind assistant --to anthropic
  echo '{"id": "call_1", "name": "ls", "content": "a.txt"}' | toolglot convert --kind result --to openai
  toolglot convert tools.json --kind prompt --protocol hermes --system "Be brief."

Exit codes: 0 done, 2 the command line or a file cannot be used.`

const OPTIONS = {
  ...COMMON_OPTIONS,
  from: { type: 'string' },
  to: { type: 'string' },
  kind: { type: 'string' },
  protocol: { type: 'string' },
  system: { type: 'string' },
  whole: { type: 'boolean' },
  compact: { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const

interface Conversion {
  readonly from: Dialect | undefined
  readonly to: Dialect
  readonly kind: PayloadKind | undefined
  readonly isWhole: boolean
  readonly report: (issue: Issue) => void
}

export const convertCommand: Command = {
  name: 'convert',
  summary: 'translate requests, replies, streams, histories and tools',
  help: HELP,
  options: OPTIONS,
  choices: {
    from: IDS,
    to: IDS,
    kind: KINDS,
    protocol: allProtocols.map(({ id }) => id),
  },
  operands: 'file',
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OPTIONS)
    const [path, extra] = positionals
    if (extra !== undefined) throw new UsageError(`only one file at a time, but also got ${extra}`)
    const kind = oneOf('--kind', values.kind, KINDS)
    checkTogether(kind, values)
    if (isPart(kind)) {
      await printPart(path, kind, values, terminal)
      return EXIT_OK
    }
    if (values.to === undefined) throw new UsageError('--to is missing: say what it is to become')
    const conversion: Conversion = {
      from: values.from === undefined ? undefined : dialectCalled('--from', values.from),
      to: dialectCalled('--to', values.to),
      kind,
      isWhole: values.whole ?? false,
      report: values.quiet ? () => {} : createReport(),
    }
    const { from, isWhole } = conversion
    if (from && kind === 'stream' && !isWhole) {
      await convertLive(path, from, conversion)
      return EXIT_OK
    }
    const bytes = await readDocument(path)
    const value = jsonIn(bytes, conversion.kind)
    if (value === undefined) convertStream(bytes, conversion, values.compact, terminal)
    else terminal.print(written(convertJson(value, conversion), values.compact))
    return EXIT_OK
  },
}

async function readDocument(path: string | undefined): Promise<Uint8Array> {
  const bytes = await readBytes(path)
  if (bytes.length === 0) throw new UsageError(`${path ?? 'standard input'}: is empty`)
  return bytes
}

type Values = Readonly<Partial<Record<keyof typeof OPTIONS, string | boolean | undefined>>>

/** An option that would do nothing is a mistake. */
function checkTogether(kind: PayloadKind | PartKind | undefined, values: Values): void {
  const isPrompt = kind === 'prompt'
  const vain = [
    ...(isPrompt ? [] : (['protocol', 'system'] as const)),
    ...(kind === 'calls' || isPrompt ? (['to'] as const) : []),
    ...(isPart(kind) ? (['whole'] as const) : []),
    ...(isPart(kind) && kind !== 'calls' ? (['from'] as const) : []),
  ].find((option) => values[option] !== undefined)
  if (vain === undefined) return
  const what = kind === undefined ? 'without --kind prompt' : `with --kind ${kind}`
  throw new UsageError(`--${vain} means nothing ${what}; leave it out`)
}

function isPart(kind: PayloadKind | PartKind | undefined): kind is PartKind {
  return PART_KINDS.some((part) => part === kind)
}

interface PartValues {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly protocol?: string | undefined
  readonly system?: string | undefined
  readonly compact?: boolean | undefined
}

async function printPart(
  path: string | undefined,
  kind: PartKind,
  { from, to, protocol, system, compact = false }: PartValues,
  { print }: Terminal,
): Promise<void> {
  const options = {
    from: from === undefined ? undefined : dialectCalled('--from', from),
    to: to === undefined ? undefined : dialectCalled('--to', to),
    protocol: protocol === undefined ? undefined : checkProtocol(protocol),
    system,
    compact,
  }
  const bytes = await readDocument(path)
  const value = jsonIn(bytes, kind === 'calls' ? undefined : kind)
  const found = inUsage(() =>
    value === undefined ? streamedCalls(bytes, options.from) : convertPart(value, kind, options),
  )
  print(typeof found === 'string' ? found : written(found, compact))
}

function streamedCalls(bytes: Uint8Array, from: Dialect | undefined): JsonValue {
  const { events } = readStream(bytes, from ? [from] : allDialects)
  return listCalls(wholeReply(events)?.message.toolCalls ?? [])
}

/** What the library refuses is a mistake in what was given. */
function inUsage<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    if (error instanceof InvalidInputError) throw new UsageError(inTheirWords(error.message))
    throw error
  }
}

function dialectCalled(option: string, name: string): Dialect {
  const found = findSpokenDialect(name)
  if (found) return found
  const hint = hintAt(nearestSpoken(name))
  throw new UsageError(`${option} cannot be "${name}"${hint}; it takes ${IDS.join(', ')}`)
}

/** Each thing is told once, however often it comes. */
function createReport(): (issue: Issue) => void {
  const told = new Set<string>()
  return ({ code, message }) => {
    const line = printable(`${code}: ${message || ISSUE_CODES[code]}`).replaceAll('\n', ' ')
    if (told.has(line)) return
    told.add(line)
    process.stderr.write(`toolglot: ${line}\n`)
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  assistant: 'a reply',
  prompt: 'a list of tools',
}

/** The document; undefined when it is a stream. */
function jsonIn(
  bytes: Uint8Array,
  kind: PayloadKind | PartKind | undefined,
): JsonValue | undefined {
  if (kind === 'stream') return undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as JsonValue // JSON.parse makes nothing else
  } catch {
    if (kind === undefined) return undefined
    throw new UsageError(`${NOUNS[kind] ?? `a ${kind}`} must be JSON, and this is not`)
  }
}

function convertJson(value: JsonValue, { from, to, kind, report }: Conversion): JsonValue {
  const seen = kindOfJson(value, from ? [from, ...allDialects] : allDialects)
  const found = kind ?? seen
  // Without a dialect only the shape tells how to read it.
  if (!from && found !== 'tools' && found !== seen) {
    throw new UsageError(`this does not look like a ${found}; say --from if it is one`)
  }
  return inUsage(() => {
    if (found === 'tools') return to.formatTools(toolsIn(value))
    if (found === 'response' && from) {
      return to.encodeResponse(from.decodeResponse(value, { report }), { report })
    }
    return transcode(value, { ...(from && { from }), to, report })
  })
}

/** Messages of the library name its functions and options. */
function inTheirWords(message: string): string {
  return message.replace(/^transcode takes/, 'convert takes').replace('say `from`', 'say --from')
}

async function convertLive(
  path: string | undefined,
  from: Dialect,
  { to, report }: Conversion,
): Promise<void> {
  for await (const bytes of translate(streamBytes(path), from, to, report)) {
    if (bytes.length > 0) process.stdout.write(bytes)
    await keepPace()
  }
}

function convertStream(
  bytes: Uint8Array,
  { from, to, isWhole, report }: Conversion,
  compact: boolean | undefined,
  terminal: Terminal,
): void {
  const { events } = readStream(bytes, from ? [from] : allDialects)
  if (!isWhole) {
    // Not through the terminal: frames may be binary, and have an end of their own.
    process.stdout.write(writeStream(events, to, report))
    return
  }
  const response = wholeReply(events, { report })
  if (!response) throw new UsageError('the stream has no reply in it')
  for (const issue of response.issues) report(issue)
  terminal.print(written(to.encodeResponse(response, { report }), compact))
}

function written(value: JsonValue, compact: boolean | undefined): string {
  return JSON.stringify(value, null, compact ? undefined : 2)
}
