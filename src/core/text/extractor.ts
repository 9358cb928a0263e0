/** The extractor: options in, the engine and its collector inside, events and a result out. */
import { checkList, checkText } from '../caller-input.ts'
import type { Heard } from '../heard.ts'
import type { ExtractEvent, FinishReason } from '../model.ts'
import { type CoreOptions, DEFAULT_LIMITS, type Segment, type Sought } from '../options.ts'
import { toolTable } from '../tools.ts'
import { Collector, type TracedExtraction } from './collector.ts'
import { createEngine, type Engine } from './engine.ts'
import { candidatesOf, type Grammar, writesFence } from './grammar.ts'
import { isPlain } from './plain.ts'
import { findRemains, MOST_TEXT } from './remains.ts'
import { mayNameTool, NamePlaces } from './tool-names.ts'

export type { TracedExtraction } from './collector.ts'

export interface Extractor {
  /** Takes the next piece of the reply and returns what it brought. */
  push(chunk: string): ExtractEvent[]
  /** The reply is over. `finishReason` tells a call cut off by a limit from one left unclosed. */
  end(info?: { readonly finishReason?: FinishReason | undefined }): ExtractEvent[]
  /** Everything so far, as it is now; final after `end`. */
  result(): TracedExtraction
}

/** An extractor that says while it reads what became of the input. */
export interface TracingExtractor extends Extractor {
  /** The segments since the last time; see {@link Segment}. None unless `trace` was asked for. */
  takeSegments(): readonly Segment[]
  /** True once a malformed call has voided the others; see `onMalformed`. */
  isVoid(): boolean
}

/**
 * Reads a reply that arrives in pieces.
 *
 * @example
 * const extractor = createExtractor({ protocols: [hermes], tools })
 * for (const chunk of chunks) for (const event of extractor.push(chunk)) handle(event)
 * for (const event of extractor.end()) handle(event)
 */
export function createExtractor(options: CoreOptions): Extractor
/** What is looked for may stand beside the options: copying them costs more than a short reply. */
export function createExtractor(options: Manner, sought: Sought): TracingExtractor
// The cast: where there is no second, the first has both.
export function createExtractor(
  options: Manner,
  sought: Sought = options as CoreOptions,
): TracingExtractor {
  checkSought(sought)
  const { collector, engine, finish } = assemble(options, sought)
  return {
    push(chunk) {
      engine.push(chunk)
      return collector.takeEvents()
    },
    end(info) {
      finish(info?.finishReason)
      return collector.takeEvents()
    },
    takeSegments: () => collector.takeSegments(),
    isVoid: () => collector.isVoid,
    result: () => collector.result(),
  }
}

/** Reads a whole reply: the same engine, with nobody listening on the way. */
export function extractText(text: string, options: CoreOptions): TracedExtraction
export function extractText(text: string, options: Manner, sought: Sought): TracedExtraction
export function extractText(
  text: string,
  options: Manner,
  sought: Sought = options as CoreOptions,
): TracedExtraction {
  checkText('a reply', text)
  checkSought(sought)
  const { collector, engine, finish } = assemble(options, sought, text)
  engine.push(text)
  finish(undefined)
  return collector.result()
}

/** What many replies are read with. */
export interface ReplyReader {
  /** `heard`: what others have said in the conversation, where the options do not say it. */
  open(heard?: Heard): TracingExtractor
  /** True for a whole reply that is nothing but text. False says nothing: it has to be read. */
  isPlain(text: string): boolean
}

export function createReplyReader(options: Manner, sought: Sought): ReplyReader {
  return {
    open: (heard) => createExtractor(heard ? { ...options, heard } : options, sought),
    // Asked for each time: those in use are kept elsewhere, and no more than a few.
    isPlain: (text) =>
      isPlain(text, grammarOf(options, sought, true).candidates) &&
      !mayNameTool(text.slice(0, MOST_TEXT), toolTable(sought.tools)),
  }
}

/** What callers without types leave out. */
function checkSought(sought: Sought | undefined): void {
  checkList('protocols', sought?.protocols, 'a list, as in { protocols: [hermes] }')
}

/** How a reply is read, whatever is looked for in it. */
export type Manner = Omit<CoreOptions, keyof Sought>

/** What an extractor is made of. */
interface Assembly {
  readonly collector: Collector
  readonly engine: Engine
  finish(finishReason: FinishReason | undefined): void
}

/** `whole`: the reply, where it is there at once and nobody listens. */
export function assemble(options: Manner, sought: Sought, whole?: string): Assembly {
  let { finishReason } = options
  const grammar = grammarOf(options, sought, whole === undefined)
  const names = grammar.tools.known && whole ? new NamePlaces(whole, grammar.tools) : undefined
  const hasRemains = grammar.tools.known && grammar.repair === 'guess'
  const collector = new Collector(options, {
    fit: sought.fit,
    listening: whole === undefined,
    names,
    cutByLength: () => finishReason === 'length',
  })
  const engine = createEngine(grammar, collector, undefined, names)
  let ended = false
  return {
    collector,
    engine,
    finish(reason) {
      if (ended) return
      ended = true
      finishReason = reason ?? finishReason
      engine.end()
      if (hasRemains) reportRemains(collector, grammar, sought)
    },
  }
}

function reportRemains(collector: Collector, { tools, fit }: Grammar, sought: Sought): void {
  collector.reportRemains((visible) =>
    findRemains(visible, tools, sought.protocols, (name, key) => {
      const schema = tools.find(name)?.schema
      return schema !== undefined && fit?.declares(schema, key) === true
    }),
  )
}

function grammarOf(options: Manner, sought: Sought, listening: boolean): Grammar {
  const tools = toolTable(sought.tools)
  const rawJson = options.rawJson ?? (tools.known ? 'ending' : 'anywhere')
  const protocols =
    rawJson === 'off' ? sought.protocols.filter(({ free }) => free !== 'json') : sought.protocols
  const json = rawJson === 'off' ? 'message' : rawJson
  const scopes = {
    json,
    text: sought.freeText ?? 'anywhere',
    // What was asked for is looked for everywhere, unless the caller says otherwise.
    expected: sought.expect?.free === 'json' && options.rawJson ? json : 'anywhere',
  } as const
  const asked = sought.expect ?? (sought.protocols.length === 1 ? sought.protocols[0] : undefined)
  return {
    candidates: candidatesOf(protocols, tools, scopes, sought.expect),
    tools,
    repair: options.repair ?? 'guess',
    fit: sought.fit,
    limits: options.limits ? { ...DEFAULT_LIMITS, ...options.limits } : DEFAULT_LIMITS,
    deltas: listening,
    allowUnknownTools: options.allowUnknownTools,
    markdown: !options.scanCode,
    expect: sought.expect,
    heard: options.heard,
    fenced: options.rawJson === 'anywhere' || (asked !== undefined && writesFence(asked)),
    inReasoning: options.inReasoning ?? 'protocol',
    reasoning: options.reasoning ?? 'split',
  }
}
