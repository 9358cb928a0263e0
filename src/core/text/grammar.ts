/**
 * What the scanner looks for: the openers of all protocols in use, reasoning tags and result blocks,
 * sorted by first character. Built once for a set of protocols and tools.
 */
import { declaredOrder } from '../declared-order.ts'
import type { Heard } from '../heard.ts'
import type { ExtractLimits, Fit, FreeScope, RepairLevel } from '../options.ts'
import type { Marker, Opener, Protocol, ReasoningTag, ResultBlock, ToolTable } from '../protocol.ts'
import { remembering } from '../remember.ts'
import { buildTree, type CandidateTree, candidatesAt } from './candidate-tree.ts'
import { BACKTICK, NEWLINE, TILDE } from './characters.ts'
import { marker } from './marker.ts'
import { REASONING_TAGS } from './reasoning.ts'
import { RESULT_TAGS } from './result-block.ts'
import { shownCalls } from './shown-call.ts'
import { STOP_DEPTH, type Stops, type StopTree, stopsMaker } from './stops.ts'

export type Candidate = { readonly marker: Marker } & (
  | {
      readonly kind: 'call'
      readonly protocol: Protocol
      readonly opener: Opener
      readonly isMarkup: boolean
      /** Where it is read, if it has no marker. */
      readonly scope: FreeScope | undefined
    }
  | { readonly kind: 'stray'; readonly text: string }
  | { readonly kind: 'result'; readonly block: ResultBlock }
  | { readonly kind: 'reasoning'; readonly tag: ReasoningTag }
  /** Also for what ends reasoning without being part of it: then it `stays`. */
  | { readonly kind: 'reasoning-end'; readonly tag: ReasoningTag; readonly stays?: boolean }
  | { readonly kind: 'token' }
  /** What may be a call if the reply ends with it. */
  | { readonly kind: 'ending' }
  /** What looks like a call where none is made; `isName`: it begins with the name of a tool. */
  | { readonly kind: 'shown'; readonly isName: boolean }
)

export interface Candidates {
  /** What may begin at `i`, in order of precedence. */
  at(text: string, i: number): readonly Candidate[]
  /** True when the next character must be seen before anything can be told to begin with this one. */
  isBeginning(code: number): boolean
  /** Where one may begin, or a code block. */
  readonly stops: Stops
  /** The same inside inline code, which the end of the line closes. */
  readonly inlineStops: Stops
}

/** What is looked for changes on the way, and with it how often the scanner has to stop. */
export interface CandidateSets {
  /** Where a message begins. */
  readonly start: Candidates
  /** Behind its first words: without the formats that must be the whole message. */
  readonly later: Candidates
  /** Once a call with markers was seen: without free formats. */
  readonly marked: Candidates
  /** Inside reasoning: the same, with all that ends reasoning. */
  readonly reasoning: Candidates
}

/** How a reply is read: the candidates and the caller's choices. */
export interface Grammar {
  readonly candidates: CandidateSets
  readonly tools: ToolTable
  readonly repair: RepairLevel
  readonly fit: Fit | undefined
  readonly limits: ExtractLimits
  readonly deltas: boolean
  readonly allowUnknownTools: boolean | undefined
  /** False inside a region that is already known to be code or reasoning. */
  readonly markdown: boolean
  /** The format that was asked for. */
  readonly expect: Protocol | undefined
  readonly heard: Heard | undefined
  /** True where a code block does not set a call apart: the format that was asked for is written in them. */
  readonly fenced: boolean
  readonly inReasoning: 'protocol' | 'ignore' | 'allow'
  /** `text`: reasoning stays text. `off`: nothing is reasoning. */
  readonly reasoning: 'split' | 'text' | 'off'
}

/** True for a format whose calls are code blocks. */
export const writesFence: (protocol: Protocol) => boolean = remembering(({ formatCall }) =>
  /^\s*(?:`{3}|~{3})/.test(formatCall({ name: 'name', arguments: {} })),
)

/** The order in which protocols are asked where several could begin. */
const precedenceOf = remembering((protocols: readonly Protocol[]) =>
  declaredOrder(protocols, ({ before }) => before),
)

/** Kept for replies with the same protocols and tools of the same names, which is all that counts. */
const knownFor = remembering((_: readonly Protocol[]) => new Map<string, CandidateSets>())
/** Sets of tool names that are remembered; a server sees new ones with every kind of client. */
const MAX_KNOWN = 64

/** Where formats without a marker are read: bare JSON, program text, and the format that was asked for. */
export interface FreeScopes {
  readonly json: FreeScope
  readonly text: FreeScope
  readonly expected: FreeScope
}

export function candidatesOf(
  protocols: readonly Protocol[],
  tools: ToolTable,
  scopes: FreeScopes,
  expect?: Protocol,
): CandidateSets {
  const known = knownFor(protocols)
  const { json, text, expected } = scopes
  const key = `${json} ${text} ${expect && `${protocols.indexOf(expect)} ${expected}`} ${tools.key}`
  const found = known.get(key)
  if (found) return found
  if (known.size >= MAX_KNOWN) known.clear()
  const built = buildSets(protocols, tools, scopes, expect)
  known.set(key, built)
  return built
}

function buildSets(
  protocols: readonly Protocol[],
  tools: ToolTable,
  scopes: FreeScopes,
  expect: Protocol | undefined,
): CandidateSets {
  const makeStops = stopsMaker(tools.names)
  const build = (list: readonly Candidate[]) => buildCandidates(list, makeStops)
  const all = listCandidates(protocols, tools, scopes, expect)
  const inText = all.filter(isInText)
  const marked = all.filter((one) => isAnywhere(one) && !scopeOf(one))
  return {
    start: build(inText),
    later: build(inText.flatMap(laterOf)),
    marked: build(marked.filter(isInText)),
    reasoning: build(marked),
  }
}

function scopeOf(candidate: Candidate): FreeScope | undefined {
  return candidate.kind === 'call' ? candidate.scope : undefined
}

/**
 * Behind its first words: what may be all of a reply may still be the end of it, unless it begins with a
 * word, like a line of a program.
 */
function laterOf(candidate: Candidate): Candidate[] {
  const { kind, marker } = candidate
  const scope = scopeOf(candidate)
  if (scope ? scope === 'anywhere' : isAnywhere(candidate)) return [candidate]
  const trails = scope ? scope === 'ending' && marker.boundary !== 'word' : kind === 'call'
  return trails ? [{ kind: 'ending', marker: { ...marker, boundary: 'line' } }] : []
}

function isAnywhere({ marker: { boundary } }: Candidate): boolean {
  return boundary !== 'start'
}

/** What ends reasoning means nothing outside of it, unless a prompt may have opened it. */
function isInText(candidate: Candidate): boolean {
  return candidate.kind !== 'reasoning-end' || candidate.tag.prompted === true
}

function buildCandidates(
  list: readonly Candidate[],
  makeStops: ReturnType<typeof stopsMaker>,
): Candidates {
  const root = buildTree(list)
  const names = stopsOf(buildTree(list.filter(isName)))
  const others = list.filter((one) => !isName(one))
  const stopsAt = (...wanted: Marker['boundary'][]) =>
    stopsOf(buildTree(others.filter(({ marker: { boundary } }) => wanted.includes(boundary))))
  const words = stopsAt('word')
  const lines = stopsAt('line')
  // Code can begin anywhere.
  const anywhere = new Map([
    ...stopsAt('start', undefined),
    [BACKTICK, ANYTHING],
    [TILDE, ANYTHING],
  ])
  const undecided = new Set(
    [...root.children()].filter(([, { others }]) => others.length === 0).map(([code]) => code),
  )
  return {
    stops: makeStops({ anywhere, words, lines, names }),
    inlineStops: makeStops({
      anywhere: new Map([...anywhere, [NEWLINE, ANYTHING]]),
      words,
      lines,
      names,
    }),
    at: (text, i) => candidatesAt(root, text, i),
    isBeginning: (code) => undecided.has(code),
  }
}

function isName(candidate: Candidate): boolean {
  return candidate.kind === 'shown' && candidate.isName
}

/** What ends a reply is a tag of HTML as well; behind a call it is none. */
export const SEQUENCE_END = '</s>'

/** What there is to find whatever the format. */
const COMMON: Pick<Protocol, 'strays' | 'results' | 'reasoning' | 'tokens'> = {
  strays: [SEQUENCE_END],
  reasoning: REASONING_TAGS,
  results: RESULT_TAGS,
  // What servers forget to leave out. The last one is a tag as well, but not where a reply begins.
  tokens: [
    '<|im_end|>',
    '<|endoftext|>',
    '<bos>',
    '<eos>',
    '<pad>',
    { ...marker('<s>'), boundary: 'start' },
  ],
}

const ANYTHING: StopTree = { children: new Map() }

/** What the scanner has to know of a tree: no more than a few characters, however long the markers. */
function stopsOf(root: CandidateTree): ReadonlyMap<number, StopTree> {
  const known = new Map<CandidateTree, StopTree>()

  function follow(tree: CandidateTree, depth: number): StopTree {
    if (depth === STOP_DEPTH || tree.others.length > 0) return ANYTHING
    const stop = known.get(tree) ?? { children: childrenOf(tree, depth) }
    known.set(tree, stop)
    return stop
  }

  function childrenOf(tree: CandidateTree, depth: number): ReadonlyMap<number, StopTree> {
    return new Map(Array.from(tree.children(), ([code, next]) => [code, follow(next, depth + 1)]))
  }

  return childrenOf(root, 0)
}

function listCandidates(
  protocols: readonly Protocol[],
  tools: ToolTable,
  scopes: FreeScopes,
  expect: Protocol | undefined,
): Candidate[] {
  const list: Candidate[] = []
  /** Many formats share them. */
  const known = new Set<string | ResultBlock>()

  function addOthers(of: typeof COMMON): void {
    for (const text of of.strays ?? []) {
      if (!known.has(text)) list.push({ kind: 'stray', text, marker: marker(text) })
      known.add(text)
    }
    for (const block of of.results ?? []) {
      if (!known.has(block)) list.push({ kind: 'result', block, marker: block.open })
      known.add(block)
    }
    for (const tag of of.reasoning ?? []) list.push(...reasoningCandidates(tag))
    for (const token of of.tokens ?? []) list.push({ kind: 'token', marker: asMarker(token) })
  }

  addOthers(COMMON)
  for (const protocol of precedenceOf(protocols)) {
    const isExpected = protocol === expect
    const scope = protocol.free && scopes[isExpected ? 'expected' : protocol.free]
    for (const opener of protocol.openers(tools, isExpected || protocols.length === 1)) {
      const isMarkup = beginsMarkup(opener)
      list.push({ kind: 'call', protocol, opener, isMarkup, scope, marker: opener })
    }
    addOthers(protocol)
  }
  for (const shown of shownCalls(tools)) list.push({ kind: 'shown', ...shown })
  // A stable sort: openers of the same priority keep the order of their protocols.
  return list.sort((one, other) => priority(other) - priority(one))
}

/** True for what nobody writes by chance: a word or a bracket that begins a call also stands in any prose. */
function beginsMarkup({ prefix }: Marker): boolean {
  return prefix.length > 3 && !/\w/.test(prefix[0] ?? '')
}

function reasoningCandidates(tag: ReasoningTag): Candidate[] {
  const ends = (stays: boolean) => (text: string) =>
    ({ kind: 'reasoning-end', tag, stays, marker: marker(text) }) as const
  return [
    { kind: 'reasoning', tag, marker: asMarker(tag.open) },
    ...tag.close.map(ends(false)),
    ...(tag.until ?? []).map(ends(true)),
  ]
}

function asMarker(text: string | Marker): Marker {
  return typeof text === 'string' ? marker(text) : text
}

function priority(candidate: Candidate): number {
  // Reasoning ends before what else may begin with the same marker, such as the next message.
  if (candidate.kind === 'reasoning-end') return 2
  // Also where a tool is called `think`: a draft must not run because of its name.
  if (candidate.kind === 'reasoning') return 1
  if (candidate.kind === 'shown') return -2
  return candidate.kind === 'call' ? (candidate.opener.priority ?? 0) : 0
}
