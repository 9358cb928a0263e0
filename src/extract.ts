/** The public face of extraction: any reply in, calls, text, reasoning and issues out. */

import { finishReasonOf } from './core/finish-reason.ts'
import { createIdMint } from './core/ids.ts'
import type { Issue } from './core/issue.ts'
import type { ExtractEvent, Extraction, FinishReason, Tool } from './core/model.ts'
import {
  type Channel,
  joined,
  type NativeReply,
  parseNative,
  readChannel,
  readNative,
} from './core/native.ts'
import type { CoreOptions, Sought } from './core/options.ts'
import type { Protocol } from './core/protocol.ts'
import { remembering } from './core/remember.ts'
import { schemaFit } from './core/schema/fit.ts'
import { foldName } from './core/schema/spelling.ts'
import { normalizeTools } from './core/schema/tool.ts'
import {
  assemble,
  type ReplyReader as CoreReplyReader,
  createReplyReader as createCoreReader,
  type Extractor,
  extractText,
  type TracedExtraction,
} from './core/text/extractor.ts'
import { checkChunk, checkOptions, checkSource } from './extract-options.ts'
import { getPreset, type Preset, type PresetName } from './presets/index.ts'
import { allProtocols, getProtocol, type ProtocolId } from './protocols/registry.ts'

export interface ExtractOptions extends Omit<CoreOptions, 'protocols' | 'freeText' | 'tools'> {
  /** What the model may call: definitions in any provider's spelling, or bare names. */
  readonly tools?: ToolDefinitions
  /** `auto` reads every format that needs no asking; or ids, or protocols of your own. */
  readonly protocols?: 'auto' | readonly (ProtocolId | (string & {}) | Protocol)[]
  /** The name of the model: where two formats fit, the one its family writes is chosen. */
  readonly model?: string | undefined
  readonly capabilities?: {
    /** Accepted from callers that know it; a reply is read the same way in either case. */
    readonly nativeToolCalls?: boolean
    /** The provider runs its tools itself: nothing in its replies is a call for us. */
    readonly selfContainedTools?: boolean
  }
  /** Start from the options of an earlier system. */
  readonly preset?: PresetName
}

/**
 * Finds the tool calls in a reply: text, a message, or a whole response of any provider.
 *
 * @example
 * const { calls, text, issues } = extract(reply, { tools })
 */
export function extract(reply: unknown, options: ExtractOptions = {}): TracedExtraction {
  const settings = resolve(options)
  if (typeof reply === 'string') return extractText(reply, settings.options, settings.sought)
  const native = readNative(reply)
  return native ? fromNative(native, settings) : unreadable(reply)
}

/** Reads a reply that arrives in pieces; see {@link Extractor}. */
export function createExtractor(options: ExtractOptions = {}): Extractor {
  const { options: manner, sought } = resolve(options)
  // Not around that of core: where one closure for each piece calls another, V8 often gives up to inline them.
  const { collector, engine, finish } = assemble(manner, sought, true)
  return {
    push(chunk) {
      checkChunk(chunk)
      engine.push(chunk)
      return collector.takeEvents()
    },
    end(info) {
      finish(finishReasonOf(info?.finishReason, false))
      return collector.takeEvents()
    },
    result: () => collector.result(),
  }
}

export interface ReplyReader extends CoreReplyReader {
  /** Reads the reasoning that a server keeps apart from the text. */
  readChannel(channel: Channel, finishReason: FinishReason | undefined): Extraction
}

/** The same for many replies: what the options mean is worked out once. */
export function createReplyReader(options: ExtractOptions): ReplyReader {
  const { options: manner, sought } = resolve(options)
  return {
    ...createCoreReader(manner, sought),
    readChannel: (channel, finishReason) =>
      readChannel(channel, { ...manner, ...(finishReason && { finishReason }) }, sought),
  }
}

/** The events of a streamed reply, and its result once the stream is over. */
export interface ExtractStream extends AsyncIterable<ExtractEvent> {
  readonly result: Promise<TracedExtraction>
}

/**
 * Reads a stream of text.
 *
 * @example
 * const stream = extractStream(chunks, { tools })
 * for await (const event of stream) if (event.type === 'call-end') run(event.call)
 */
export function extractStream(
  source: AsyncIterable<string>,
  options: ExtractOptions = {},
): ExtractStream {
  const extractor = createExtractor(options)
  checkSource(source)
  /** Events nobody has taken yet, when only the result was asked for. */
  const waiting: ExtractEvent[] = []
  let reader: 'none' | 'iteration' | 'result' = 'none'
  let settle: (result: TracedExtraction) => void = () => {}
  let refuse: (reason: unknown) => void = () => {}
  const result = new Promise<TracedExtraction>((resolve, reject) => {
    settle = resolve
    refuse = reject
  })
  // Whoever iterates sees the error there; here it must not count as unhandled as well.
  result.catch(() => {})

  async function* read(): AsyncGenerator<ExtractEvent> {
    try {
      for await (const chunk of source) yield* extractor.push(chunk)
      yield* extractor.end()
    } catch (error) {
      refuse(error)
      throw error
    } finally {
      // Also when iteration is left early: the result is what was read until then.
      settle(extractor.result())
    }
  }

  const events = read()

  async function drain(): Promise<void> {
    try {
      for await (const event of events) waiting.push(event)
    } catch {
      // The promise tells.
    }
  }

  async function* iterate(): AsyncGenerator<ExtractEvent> {
    if (reader === 'result') await result
    else reader = 'iteration'
    yield* waiting.splice(0)
    yield* events
  }

  return {
    [Symbol.asyncIterator]: iterate,
    get result() {
      if (reader === 'none') {
        reader = 'result'
        void drain()
      }
      return result
    },
  }
}

// ── options ─────────────────────────────────────────────────────────────────────────────────────

type ToolDefinitions = readonly unknown[] | Readonly<Record<string, unknown>>

interface Settings {
  /** As they were given, on top of those of a preset. */
  readonly options: Omit<Preset, keyof Sought>
  readonly sought: Sought & { readonly tools?: readonly Tool[] | undefined }
  /** The provider runs its tools itself. */
  readonly selfContained: boolean | undefined
}

const autoWithTools = allProtocols.filter(({ auto }) => auto !== false)
// Without tools nothing tells a call in program text from program text.
const autoWithoutTools = autoWithTools.filter(({ free }) => free !== 'text')

function resolve(options: ExtractOptions): Settings {
  checkOptions(options)
  const { preset, tools, fit = tools && schemaFit } = options
  const base = preset === undefined ? undefined : getPreset(preset)
  const selfContained = options.capabilities?.selfContainedTools
  const { protocols, freeText = base?.freeText } = selfContained
    ? NO_PROTOCOLS
    : protocolsOf(options, base)
  // Callers hand on the word of their provider.
  const finishReason = options.finishReason && finishReasonOf(options.finishReason, false)
  const isPlain = !base && !finishReason
  return {
    options: isPlain ? options : { ...base, ...options, finishReason },
    sought: { protocols, freeText, tools: tools && toolsOf(tools), fit },
    selfContained,
  }
}

const NO_PROTOCOLS: Pick<Sought, 'protocols' | 'freeText'> = { protocols: [] }

function protocolsOf(
  { protocols, tools, model }: ExtractOptions,
  base: Preset | undefined,
): Pick<Sought, 'protocols' | 'freeText'> {
  if (protocols === undefined && base) return { protocols: base.protocols }
  if (protocols !== undefined && protocols !== 'auto') {
    return { protocols: shared(protocols.map(asProtocol)) }
  }
  const auto = tools === undefined ? autoWithoutTools : autoWithTools
  return { protocols: inOrderFor(model, auto), freeText: 'ending' }
}

// What is neither, such as the misspelled member of a module, is told like an id that nobody knows.
function asProtocol(given: string | Protocol): Protocol {
  const isProtocol = typeof given === 'object' && 'openers' in (given ?? {})
  return isProtocol ? given : getProtocol(String(given))
}

/** The formats of a model's own family come first; all others are still read. */
function inOrderFor(model: string | undefined, auto: readonly Protocol[]): readonly Protocol[] {
  if (!model) return auto
  const name = foldName(model)
  const own = allProtocols.filter(
    (protocol) =>
      protocol.free !== 'text' && familiesOf(protocol).some((family) => name.includes(family)),
  )
  return own.length === 0 ? auto : shared([...new Set([...own, ...auto])])
}

// Who writes a protocol is mostly named by its models; `models` is for those that are not.
const familiesOf = remembering(({ emitters, models = emitters.split(', ') }: Protocol) =>
  models.map(foldName),
)

// A caller passes the same definitions with every reply; what is known about them is kept by list.
const toolsOf: (definitions: ToolDefinitions) => readonly Tool[] = remembering(normalizeTools)

// The engine keeps what it knows about a list of protocols by that list, so equal lists are shared.
const ownProtocols: ReadonlySet<Protocol> = new Set(allProtocols)
const sharedLists = new Map<string, readonly Protocol[]>()

function shared(protocols: readonly Protocol[]): readonly Protocol[] {
  if (!protocols.every((protocol) => ownProtocols.has(protocol))) return protocols
  const key = protocols.map(({ id }) => id).join()
  const known = sharedLists.get(key) ?? protocols
  sharedLists.set(key, known)
  return known
}

// ── replies ─────────────────────────────────────────────────────────────────────────────────────

function fromNative(native: NativeReply, settings: Settings): TracedExtraction {
  const { options, sought, selfContained } = settings
  const hasCalls = native.calls.length > 0 && !selfContained
  const parsed = hasCalls
    ? parseNative(native.calls, { ...options, tools: sought.tools, mint: createIdMint(options) })
    : undefined
  const own = options.fallThrough && parsed?.calls.length === 0 ? undefined : parsed
  const { finishReason = native.finishReason, usedIds = [] } = options
  const manner = { ...options, finishReason }
  const thought = readChannel({ ...native, hasCalls: own !== undefined }, manner, sought)
  const taken = [...usedIds, ...thought.calls.map(({ id }) => id)]
  const wanted = own ? { ...sought, ...NO_PROTOCOLS } : sought
  const all = joined(thought, extractText(native.text, { ...manner, usedIds: taken }, wanted))
  if (!own) return all
  const { text, reasoning } = all
  const issues = [...own.issues, ...all.issues]
  return { ...own, text, reasoning, issues, protocol: own.calls.length > 0 ? 'native' : null }
}

function unreadable(reply: unknown): TracedExtraction {
  const kind = reply === null ? 'null' : Array.isArray(reply) ? 'an array' : typeof reply
  const message = `no provider's reply looks like this (${kind}); pass text, a message or a response`
  const issue: Issue = { code: 'unknown-shape', message }
  return { calls: [], text: '', reasoning: '', issues: [issue], protocol: null }
}
