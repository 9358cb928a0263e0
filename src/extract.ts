/** The public face of extraction: any reply in, calls, text, reasoning and issues out. */

import { createIdMint } from './core/ids.ts'
import type { Issue } from './core/issue.ts'
import { jsonShortcuts } from './core/json/shortcuts.ts'
import type { ExtractEvent, Tool } from './core/model.ts'
import { type NativeReply, type ParsedNative, parseNative, readNative } from './core/native.ts'
import type { CoreOptions } from './core/options.ts'
import type { Protocol } from './core/protocol.ts'
import { schemaFit } from './core/schema/fit.ts'
import { normalizeTools } from './core/schema/tool.ts'
import {
  createExtractor as createCoreExtractor,
  type Extractor,
  extractText,
  type TracedExtraction,
} from './core/text/extractor.ts'
import { getPreset, type Preset, type PresetName } from './presets/index.ts'
import { allProtocols, getProtocol, type ProtocolId } from './protocols/registry.ts'

export interface ExtractOptions
  extends Omit<CoreOptions, 'protocols' | 'freeText' | 'tools' | 'shortcuts'> {
  /** What the model may call: definitions in any provider's spelling, or bare names. */
  readonly tools?: ToolDefinitions
  /** `auto` reads every format that needs no asking; or ids, or protocols of your own. */
  readonly protocols?: 'auto' | readonly (ProtocolId | (string & {}) | Protocol)[]
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
  if (typeof reply === 'string') return fromText(reply, settings, options)
  const native = readNative(reply)
  if (!native) return unreadable(reply)
  if (native.calls.length === 0) return fromMessage(native, settings, options)
  return fromNative(native, settings, options)
}

/** Reads a reply that arrives in pieces; see {@link Extractor}. */
export function createExtractor(options: ExtractOptions = {}): Extractor {
  const settings = resolve(options)
  return createCoreExtractor(
    options.capabilities?.selfContainedTools ? noCalls(settings) : settings,
  )
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

/** What a text is written in, and what speaks for it. */
export interface Detection {
  readonly protocol: string
  /** Between 0 and 1. */
  readonly confidence: number
  readonly evidence: string
}

/** Tells which protocols a text uses, the likeliest first. */
export function detect(text: string, options: ExtractOptions = {}): Detection[] {
  const { calls } = extract(text, options)
  const detections = new Map<string, Detection>()
  for (const { protocol = '', span, repairs = [] } of calls) {
    if (detections.has(protocol)) continue
    const free = settingsFree(protocol, options)
    // In whole hundredths, so that it can be shown as it is.
    const confidence = ((free ? 60 : 95) - Math.min(30, repairs.length * 5)) / 100
    const evidence = span ? text.slice(span[0], span[1]).trim().slice(0, 80) : ''
    detections.set(protocol, { protocol, confidence, evidence })
  }
  return [...detections.values()].sort((one, other) => other.confidence - one.confidence)
}

function settingsFree(id: string, options: ExtractOptions): boolean {
  return resolve(options).protocols.some((protocol) => protocol.id === id && protocol.free)
}

// ── options ─────────────────────────────────────────────────────────────────────────────────────

type ToolDefinitions = readonly unknown[] | Readonly<Record<string, unknown>>

interface Settings extends Omit<CoreOptions, 'tools'> {
  readonly tools?: readonly Tool[]
  readonly requireId?: boolean
  readonly fallThrough?: boolean
}

const autoWithTools = allProtocols.filter(({ auto }) => auto !== false)
// Without tools nothing tells a call in program text from program text.
const autoWithoutTools = autoWithTools.filter(({ free }) => free !== 'text')

function resolve(options: ExtractOptions): Settings {
  const { preset, protocols, capabilities: _, tools: definitions, ...others } = options
  const all = { ...others, shortcuts: jsonShortcuts }
  const rest =
    definitions === undefined
      ? all
      : { ...all, tools: toolsOf(definitions), fit: options.fit ?? schemaFit }
  const base: Partial<Preset> = preset === undefined ? {} : getPreset(preset)
  if (protocols !== undefined && protocols !== 'auto') {
    return { ...base, ...rest, protocols: chosen(protocols) }
  }
  if (base.protocols && protocols === undefined) {
    return { ...base, ...rest, protocols: base.protocols }
  }
  const auto = options.tools === undefined ? autoWithoutTools : autoWithTools
  return { ...base, ...rest, protocols: auto, freeText: 'message' }
}

// A caller passes the same definitions with every reply; what is known about them is kept by list.
const normalized = new WeakMap<ToolDefinitions, readonly Tool[]>()

function toolsOf(definitions: ToolDefinitions): readonly Tool[] {
  const known = normalized.get(definitions)
  if (known) return known
  const tools = normalizeTools(definitions)
  normalized.set(definitions, tools)
  return tools
}

// The engine keeps what it knows about a list of protocols by that list, so equal lists are shared.
const lists = new Map<string, readonly Protocol[]>()

function chosen(protocols: readonly (string | Protocol)[]): readonly Protocol[] {
  if (!protocols.every((protocol) => typeof protocol === 'string')) {
    return protocols.map((one) => (typeof one === 'string' ? getProtocol(one) : one))
  }
  const key = protocols.join()
  const known = lists.get(key)
  if (known) return known
  const list = protocols.map(getProtocol)
  lists.set(key, list)
  return list
}

function noCalls(settings: Settings): Settings {
  return { ...settings, protocols: [] }
}

// ── replies ─────────────────────────────────────────────────────────────────────────────────────

function fromText(text: string, settings: Settings, options: ExtractOptions): TracedExtraction {
  const selfContained = options.capabilities?.selfContainedTools
  return extractText(text, selfContained ? noCalls(settings) : settings)
}

function fromMessage(
  native: NativeReply,
  settings: Settings,
  options: ExtractOptions,
): TracedExtraction {
  const finishReason = settings.finishReason ?? native.finishReason
  const known = finishReason === undefined ? settings : { ...settings, finishReason }
  const found = fromText(native.text, known, options)
  return { ...found, reasoning: native.reasoning + found.reasoning }
}

function fromNative(
  native: NativeReply,
  settings: Settings,
  options: ExtractOptions,
): TracedExtraction {
  if (options.capabilities?.selfContainedTools) return fromMessage(native, settings, options)
  const parsed = parseCalls(native, settings)
  if (settings.fallThrough && parsed.calls.length === 0) {
    return fromMessage(native, settings, options)
  }
  const { text, reasoning } = extractText(native.text, noCalls(settings))
  return {
    calls: parsed.calls,
    text,
    reasoning: native.reasoning + reasoning,
    issues: parsed.issues,
    protocol: parsed.calls.length > 0 ? 'native' : null,
    ...(parsed.error ? { error: parsed.error } : {}),
  }
}

function parseCalls(native: NativeReply, settings: Settings): ParsedNative {
  const { tools, ids, random, usedIds, ensureUniqueIds } = settings
  return parseNative(native.calls, {
    tools,
    onMalformed: settings.onMalformed ?? 'issue',
    dedupe: settings.dedupe ?? false,
    repair: settings.repair ?? 'guess',
    // What a provider sent has its own ids; sequential ones are for text.
    mint: createIdMint({
      ...(ids ? { ids } : {}),
      ...(random ? { random } : {}),
      ...(usedIds ? { used: usedIds } : {}),
      unique: ensureUniqueIds ?? true,
    }),
    requireId: settings.requireId,
    allowUnknownTools: settings.allowUnknownTools,
    maxDepth: settings.limits?.maxDepth,
  })
}

function unreadable(reply: unknown): TracedExtraction {
  const kind = reply === null ? 'null' : Array.isArray(reply) ? 'an array' : typeof reply
  const message = `no provider's reply looks like this (${kind}); pass text, a message or a response`
  const issue: Issue = { code: 'unknown-shape', message }
  return { calls: [], text: '', reasoning: '', issues: [issue], protocol: null }
}
