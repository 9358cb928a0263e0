/** `toolglot convert`: from one provider's wire format to another's. */
import type { Dialect } from '../core/dialect.ts'
import { InvalidInputError } from '../core/errors.ts'
import { ISSUE_CODES, type Issue } from '../core/issue.ts'
import type { JsonValue } from '../core/json/value.ts'
import { didYouMean } from '../core/nearest.ts'
import { kindOfJson, PAYLOAD_KINDS, type PayloadKind, toolsIn } from '../dialects/payload.ts'
import { wholeReply } from '../dialects/recorded-stream.ts'
import { allDialects, findDialect } from '../dialects/registry.ts'
import { transcode } from '../dialects/transcode.ts'
import { COMMON_OPTIONS, oneOf, readArguments } from './arguments.ts'
import { type Command, EXIT_OK, UsageError } from './command.ts'
import { readStream, translate, writeStream } from './convert-stream.ts'
import { readBytes, streamBytes } from './input.ts'
import { keepPace } from './output.ts'
import { printable, type Terminal } from './terminal.ts'

const IDS = allDialects.map(({ id }) => id)

const HELP = `Usage: toolglot convert [file] --to <dialect> [options]

Translates what goes to or comes from a provider: a request, a reply, a stream (server-sent events,
NDJSON, or the binary frames of AWS), a history (a list of messages) or a list of tools. Without a
file, or with -, it is read from standard input. Histories are healed on the way: each call has its
result, and ids, names and turns are as the dialect wants them.

What cannot be said in the other format is told on standard error.

Options:
  --to <dialect>     what it becomes
  --from <dialect>   what it is; told by its shape when left out
  --kind <kind>      what it is: ${PAYLOAD_KINDS.join(', ')}; told by its shape when left out
                     (stream, with --from: translated while it arrives)
  --whole            a stream becomes a whole reply
  --compact          JSON on one line
  --quiet            nothing on standard error about what was lost
  --no-color         no colours
  -h, --help         this text

Dialects: ${IDS.join(', ')}; names of services that
speak them (openai, groq …) may be given as well.

Examples:
  toolglot convert request.json --from openai-chat --to anthropic
  toolglot convert history.json --to mistral
  toolglot convert tools.json --to gemini
  curl -sN … | toolglot convert --from anthropic --to openai-chat --kind stream
  toolglot convert reply.sse --from openai-responses --to openai-chat --whole

Exit codes: 0 done, 2 the command line or a file cannot be used.`

const OPTIONS = {
  ...COMMON_OPTIONS,
  from: { type: 'string' },
  to: { type: 'string' },
  kind: { type: 'string' },
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
  choices: { from: IDS, to: IDS, kind: PAYLOAD_KINDS },
  operands: 'file',
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OPTIONS)
    const [path, extra] = positionals
    if (extra !== undefined) throw new UsageError(`only one file at a time, but also got ${extra}`)
    if (values.to === undefined) throw new UsageError('--to is missing: say what it is to become')
    const conversion: Conversion = {
      from: values.from === undefined ? undefined : dialectCalled('--from', values.from),
      to: dialectCalled('--to', values.to),
      kind: oneOf('--kind', values.kind, PAYLOAD_KINDS),
      isWhole: values.whole ?? false,
      report: values.quiet ? () => {} : createReport(),
    }
    const { from, kind, isWhole } = conversion
    if (from && kind === 'stream' && !isWhole) {
      await convertLive(path, from, conversion)
      return EXIT_OK
    }
    const bytes = await readBytes(path)
    if (bytes.length === 0) throw new UsageError(`${path ?? 'standard input'}: is empty`)
    const value = jsonIn(bytes, conversion.kind)
    if (value === undefined) convertStream(bytes, conversion, values.compact, terminal)
    else terminal.print(written(convertJson(value, conversion), values.compact))
    return EXIT_OK
  },
}

function dialectCalled(option: string, name: string): Dialect {
  const found = findDialect(name)
  if (found) return found
  const names = allDialects.flatMap(({ id, aliases }) => [id, ...aliases])
  throw new UsageError(
    `${option} cannot be "${name}"${didYouMean(name, names)}; it takes ${IDS.join(', ')}`,
  )
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

/** The document; undefined when it is a stream. */
function jsonIn(bytes: Uint8Array, kind: PayloadKind | undefined): JsonValue | undefined {
  if (kind === 'stream') return undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as JsonValue // JSON.parse makes nothing else
  } catch {
    if (kind === undefined) return undefined
    throw new UsageError(`a ${kind} must be JSON, and this is not`)
  }
}

function convertJson(value: JsonValue, { from, to, kind, report }: Conversion): JsonValue {
  const seen = kindOfJson(value, from ? [from, ...allDialects] : allDialects)
  const found = kind ?? seen
  // Without a dialect only the shape tells how to read it.
  if (!from && found !== 'tools' && found !== seen) {
    throw new UsageError(`this does not look like a ${found}; say --from if it is one`)
  }
  try {
    if (found === 'tools') return to.formatTools(toolsIn(value))
    if (found === 'response' && from) {
      return to.encodeResponse(from.decodeResponse(value, { report }), { report })
    }
    return transcode(value, { ...(from && { from }), to, report })
  } catch (error) {
    if (error instanceof InvalidInputError) throw new UsageError(inTheirWords(error.message))
    throw error
  }
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
