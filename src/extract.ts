/** The public face of extraction: any reply in, calls, text, reasoning and issues out. */

import { finishReasonOf } from './core/finish-reason.ts'
import { asHeard, type Heard } from './core/heard.ts'
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
import { normalizeTools, type ToolDefinitions } from './core/schema/tool.ts'
import { createCascade, type Rank } from './core/text/cascade.ts'
import {
  assemble,
  type ReplyReader as CoreReplyReader,
  createReplyReader as createCoreReader,
  type Extractor,
  extractText,
  type TracedExtraction,
} from './core/text/extractor.ts'
import { checkChunk, checkOptions, checkReply, checkSource } from './extract-options.ts'
import { getPreset, type Preset, type Tier } from './presets/index.ts'
import { allProtocols, type ProtocolId } from './protocols/registry.ts'
import { asProtocol, type ReadingOptions } from './reading-options.ts'

export interface ExtractOptions
  extends Omit<CoreOptions, 'freeText' | 'tools' | 'expect' | 'heard' | keyof ReadingOptions>,
    ReadingOptions {
  /** What the model may call: definitions in any provider's spelling, or bare names. */
  readonly tools?: ToolDefinitions
  /**
   * The format that the model was asked to write, if it was. It is read besides `protocols` and by the rules
   * that it has when it is the only one: a format without a marker also among other text.
   */
  readonly expect?: ProtocolId | (string & {}) | Protocol | undefined
  /**
   * The conversation so far: its messages, in any provider's spelling, or texts. A call that repeats word for word what a
   * tool, the user or the instructions wrote is quoted and stays text, unless `expect` has its format.
   */
  readonly heard?: Heard | readonly unknown[] | undefined
  /** The name of the model: where two formats fit, the one its family writes is chosen. */
  readonly model?: string | undefined
  readonly capabilities?: {
    /** Presets with tiers ask for it; without a preset a reply is read the same way in either case. */
    readonly nativeToolCalls?: boolean
    /** The provider runs its tools itself: nothing in its replies is a call for us. */
    readonly selfContainedTools?: boolean
  }
}

/**
 * Finds the tool calls in a reply: text, a message, or a whole response of any provider.
 *
 * @example
 * const { calls, text, issues } = extract(reply, { tools })
 */
export function extract(reply: unknown, options: ExtractOptions = {}): TracedExtraction {
  const settings = resolve(options)
  if (typeof reply === 'string') return readText(reply, settings)
  if (typeof reply === 'object' && reply !== null) checkReply(reply)
  const native = readNative(reply)
  return native ? fromNative(native, settings) : unreadable(reply)
}

/** Reads a reply that arrives in pieces; see {@link Extractor}. */
export function createExtractor(options: ExtractOptions = {}): Extractor {
  const { options: manner, sought, tiers } = resolve(options)
  if (tiers) return checkedExtractor(createCascade(tiers))
  // Not around that of core: where one closure for each piece calls another, V8 often gives up to inline them.
  const { collector, engine, finish } = assemble(manner, sought)
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

/** The same around a cascade, which is never a hot path. */
function checkedExtractor({ push, end, result }: Extractor): Extractor {
  return {
    push(chunk) {
      checkChunk(chunk)
      return push(chunk)
    },
    end: (info) => end({ finishReason: finishReasonOf(info?.finishReason, false) }),
    result,
  }
}

export interface ReplyReader extends CoreReplyReader {
  /** Reads the reasoning that a server keeps apart from the text. */
  readChannel(channel: Channel, finishReason: FinishReason | undefined, heard?: Heard): Extraction
}

/** The same for many replies: what the options mean is worked out once. */
export function createReplyReader(options: ExtractOptions): ReplyReader {
  const { options: manner, sought, tiers } = resolve(options)
  return {
    ...(tiers ? createTierReader(tiers) : createCoreReader(manner, sought)),
    readChannel: (channel, finishReason, heard) =>
      readChannel(
        channel,
        { ...manner, ...(finishReason && { finishReason }), ...(heard && { heard }) },
        sought,
      ),
  }
}

function createTierReader(tiers: readonly TierReader[]): CoreReplyReader {
  return {
    open: (heard) => createCascade(tiers, heard),
    isPlain: (text) => tiers.every((tier) => tier.isPlain(text)),
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

interface Settings {
  /** As they were given, on top of those of a preset. */
  readonly options: Omit<Preset, 'tiers'>
  readonly sought: Sought & { readonly tools?: readonly Tool[] | undefined }
  /** How text is read where a preset has tiers; `options` and `sought` are then for native calls alone. */
  readonly tiers?: readonly TierReader[] | undefined
  /** The provider runs its tools itself. */
  readonly selfContained: boolean | undefined
}

/** A tier of a preset, ready to read replies. */
type TierReader = Rank & CoreReplyReader

const autoWithTools = allProtocols.filter(({ auto }) => auto !== false)
// Without tools nothing tells a call in program text from program text.
const autoWithoutTools = autoWithTools.filter(({ free }) => free !== 'text')

function resolve(given: ExtractOptions): Settings {
  checkOptions(given)
  // The cast: without a conversation there is nothing to prepare, and a copy costs more than a short reply.
  return settingsOf(
    given.heard ? { ...given, heard: asHeard(given.heard) } : (given as ReadyOptions),
  )
}

/** Options whose conversation is ready to be searched. */
type ReadyOptions = Omit<ExtractOptions, 'heard'> & Pick<CoreOptions, 'heard'>

function settingsOf(options: ReadyOptions): Settings {
  const { preset, tools, fit = tools && schemaFit } = options
  const base = preset === undefined ? undefined : getPreset(preset)
  const selfContained = options.capabilities?.selfContainedTools
  const { protocols, expect, freeText } = selfContained
    ? NO_PROTOCOLS
    : withExpected(protocolsOf(options, base), options.expect)
  // Callers hand on the word of their provider.
  const finishReason = options.finishReason && finishReasonOf(options.finishReason, false)
  const sought = { protocols, freeText, expect, tools: tools && toolsOf(tools), fit }
  if (!base) {
    const isPlain = !finishReason
    return { options: isPlain ? options : { ...options, finishReason }, sought, selfContained }
  }
  const given = { ...definite(options), ...(finishReason && { finishReason }) }
  const isTiered = options.protocols === undefined && !selfContained
  const tiers = isTiered ? tiersOf(base, given, sought) : undefined
  return { options: { ...base, ...given }, sought, tiers, selfContained }
}

/** The tiers of a preset under the options of a caller, which go before those of the preset. */
function tiersOf(base: Preset, given: ReadyOptions, sought: Sought): readonly TierReader[] {
  const { usedIds = [], capabilities } = given
  // Each tier reads them, and an iterator can be read only once.
  const own = { ...given, usedIds: [...usedIds] }
  const tiers = withExpectedTier(base.tiers, sought.expect)
  return tiers.map(({ protocols, marker, issues, begins, ...manner }) => ({
    ...createCoreReader(
      { ...base, ...manner, ...own },
      { ...sought, protocols, expect: sameFormat(protocols, sought.expect) },
    ),
    marker,
    issues: capabilities?.nativeToolCalls === false ? undefined : issues,
    begins,
  }))
}

/** The format that the model was asked for is read in any case: in its own tier, or before all of them. */
function withExpectedTier(tiers: readonly Tier[], expect: Protocol | undefined): readonly Tier[] {
  const isRead = tiers.some(({ protocols }) => sameFormat(protocols, expect) !== undefined)
  return expect === undefined || isRead ? tiers : [{ protocols: [expect] }, ...tiers]
}

function sameFormat(
  protocols: readonly Protocol[],
  expect: Protocol | undefined,
): Protocol | undefined {
  return protocols.find(({ id }) => id === expect?.id)
}

/** Without what is left open, which would hide what a preset says. */
function definite(options: ReadyOptions): ReadyOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

type SoughtProtocols = Pick<Sought, 'protocols' | 'freeText' | 'expect'>

const NO_PROTOCOLS: SoughtProtocols = { protocols: [] }

/** A list that has the format in a form of its own, as that of a preset may, keeps it. */
function withExpected(found: SoughtProtocols, given: ExtractOptions['expect']): SoughtProtocols {
  if (given === undefined) return found
  const asked = asProtocol(given)
  const expect = sameFormat(found.protocols, asked) ?? asked
  const others = found.protocols.filter((protocol) => protocol !== expect)
  return { ...found, expect, protocols: shared([expect, ...others]) }
}

function protocolsOf(
  { protocols, tools, model }: ExtractOptions,
  base: Preset | undefined,
): SoughtProtocols {
  // What a preset reads in text is in its tiers.
  if (protocols === undefined && base) return NO_PROTOCOLS
  if (protocols !== undefined && protocols !== 'auto') {
    return { protocols: shared(protocols.map(asProtocol)) }
  }
  const auto = tools === undefined ? autoWithoutTools : autoWithTools
  return { protocols: inOrderFor(model, auto), freeText: 'ending' }
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
  const taken = { ...manner, usedIds: [...usedIds, ...thought.calls.map(({ id }) => id)] }
  const said = own
    ? extractText(native.text, taken, { ...sought, ...NO_PROTOCOLS })
    : readText(native.text, { ...settings, options: taken })
  const all = joined(thought, said)
  if (!own) return all
  const { text, reasoning } = all
  const issues = [...own.issues, ...all.issues]
  return { ...own, text, reasoning, issues, protocol: own.calls.length > 0 ? 'native' : null }
}

function readText(text: string, { options, sought, tiers }: Settings): TracedExtraction {
  if (!tiers) return extractText(text, options, sought)
  const cascade = createCascade(tiers)
  cascade.push(text)
  cascade.end({ finishReason: options.finishReason })
  return cascade.result()
}

function unreadable(reply: unknown): TracedExtraction {
  const kind = reply === null ? 'null' : Array.isArray(reply) ? 'an array' : typeof reply
  const message = `no provider's reply looks like this (${kind}); pass text, a message or a response`
  const issue: Issue = { code: 'unknown-shape', message }
  return { calls: [], text: '', reasoning: '', issues: [issue], protocol: null }
}
