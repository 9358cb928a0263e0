/** Running one case in every way: told the protocol or not, whole and in pieces. */
import type { Protocol } from '../src/core/protocol.ts'
import type { TracedExtraction } from '../src/core/text/extractor.ts'
import { jsonBlock } from '../src/core/text/json-block.ts'
import { marker } from '../src/core/text/marker.ts'
import { REASONING_TAGS } from '../src/core/text/reasoning.ts'
import { type ExtractOptions, extract, findProtocol } from '../src/index.ts'
import { hermes } from '../src/protocols/hermes.ts'
import { allProtocols } from '../src/protocols/registry.ts'
import type { Case, Markers } from './case.ts'
import { randomChunkings } from './chunkings.ts'
import { compareCalls, compareTexts, type Difference } from './compare.ts'
import { dropsText, dropsUnknown } from './dropped-text.ts'
import { streamFault } from './stream.ts'

/** `auto` is what a user gets, `pinned` what the reader of the format does. */
export type Mode = 'auto' | 'pinned'

/** `unchecked`: the case does not say. `dropped`: the reference drops text that Toolglot keeps. */
export type Verdict = 'right' | 'wrong' | 'unchecked' | 'dropped'

export interface Outcome {
  readonly mode: Mode
  readonly calls: Verdict
  readonly text: Verdict
  readonly reasoning: Verdict
  readonly differences: readonly Difference[]
  /** What reading in pieces got wrong; this must not happen, whatever the case expects. */
  readonly faults: readonly string[]
  /** Undefined when nothing could be read: no protocol of that name, or an error. */
  readonly found: TracedExtraction | undefined
  /** Set when the protocol to pin to is not known. */
  readonly noProtocol?: boolean
}

export interface RunOptions {
  readonly modes: readonly Mode[]
  readonly chunkings: number
  readonly seed: string
}

export function runCase(one: Case, { modes, chunkings, seed }: RunOptions): Outcome[] {
  // By case, so that one case alone is cut as it is among all others.
  const cuts = randomChunkings(one.text, chunkings, `${seed}:${one.id}`)
  return modes.map((mode) => runMode(one, mode, cuts))
}

function runMode(one: Case, mode: Mode, cuts: readonly string[][]): Outcome {
  if (mode === 'pinned' && !findProtocol(one.format)) return withoutProtocol(one)
  try {
    const options = optionsFor(one, mode)
    const found = extract(one.text, { ...options, trace: true })
    return { mode, ...judge(one, found), faults: faultsOf(one, cuts, options, found), found }
  } catch (error) {
    return failed(one, mode, error)
  }
}

/** The defaults, but for ids that can be compared. */
function optionsFor(one: Case, mode: Mode): ExtractOptions {
  return {
    ids: 'sequential',
    ...(mode === 'pinned'
      ? { protocols: [one.markers ? ownProtocol(one.markers) : one.format] }
      : {}),
    ...(showsReasoning(one) ? { reasoning: 'text' } : {}),
    ...(one.tools ? { tools: one.tools, allowUnknownTools: callsUnknownTool(one) } : {}),
  }
}

/** What a user writes whose model has markers of its own; see the guide on protocols. */
function ownProtocol({ open, close }: Markers): Protocol {
  const openers = [jsonBlock({ open: marker(open), close: [close] })]
  return { ...hermes, id: 'own', openers: () => openers, strays: [close] }
}

function callsUnknownTool({ calls, tools = [] }: Case): boolean {
  const known = new Set<string | null>([null, ...tools.map((tool) => tool.name)])
  return calls.some((call) => !known.has(call.name))
}

/** Its content has a tag that ends reasoning: the reference was not told to split reasoning off. */
function showsReasoning({ content = '' }: Case): boolean {
  return REASONING_ENDS.some((tag) => content.includes(tag))
}

const REASONING_ENDS = [
  ...REASONING_TAGS,
  ...allProtocols.flatMap(({ reasoning = [] }) => reasoning),
].flatMap(({ close }) => close)

type Judgement = Pick<Outcome, 'calls' | 'text' | 'reasoning' | 'differences'>

function judge(one: Case, found: TracedExtraction): Judgement {
  const calls = compareCalls(one, found.calls)
  const text = compareChecked(one.content, found.text, 'text')
  const reasoning = compareChecked(one.reasoning, found.reasoning, 'reasoning')
  const callsVerdict = verdict(true, calls)
  return {
    calls: callsVerdict,
    text: textVerdict(one, found, callsVerdict, verdict(one.content !== undefined, text)),
    reasoning: verdict(one.reasoning !== undefined, reasoning),
    differences: [...calls, ...text, ...reasoning],
  }
}

function compareChecked(expected: string | undefined, got: string, at: string): Difference[] {
  return expected === undefined ? [] : compareTexts(expected, got, at)
}

function verdict(checked: boolean, differences: readonly Difference[]): Verdict {
  if (!checked) return 'unchecked'
  return differences.length === 0 ? 'right' : 'wrong'
}

/** With a call missed, its text is left over: only a case whose calls are right is excused. */
function textVerdict(one: Case, found: TracedExtraction, calls: Verdict, text: Verdict): Verdict {
  if (text !== 'wrong' || calls !== 'right') return text
  const { segments = [], issues } = found
  const wanted = one.content ?? ''
  const drops =
    dropsText(wanted, one.text, segments) || dropsUnknown(wanted, one.text, segments, issues)
  return drops ? 'dropped' : text
}

function faultsOf(
  one: Case,
  cuts: readonly string[][],
  options: ExtractOptions,
  whole: TracedExtraction,
): string[] {
  const named = cuts.map((chunks, index) => ({ name: `random pieces ${index + 1}`, chunks }))
  if (one.chunks) named.unshift({ name: 'its own pieces', chunks: [...one.chunks] })
  return named.flatMap(({ name, chunks }) => {
    const fault = streamFault(chunks, options, whole)
    return fault === undefined ? [] : [`${name}: ${fault}`]
  })
}

function withoutProtocol(one: Case): Outcome {
  return { ...nothingFound(one), mode: 'pinned', noProtocol: true }
}

function failed(one: Case, mode: Mode, error: unknown): Outcome {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { ...nothingFound(one), mode, faults: [`it threw: ${message}`] }
}

function nothingFound(one: Case): Omit<Outcome, 'mode'> {
  return {
    calls: 'wrong',
    text: one.content === undefined ? 'unchecked' : 'wrong',
    reasoning: one.reasoning === undefined ? 'unchecked' : 'wrong',
    differences: [],
    faults: [],
    found: undefined,
  }
}
