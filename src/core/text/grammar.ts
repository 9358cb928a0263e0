/**
 * What the scanner looks for: the openers of all protocols in use, reasoning tags and result blocks,
 * sorted by first character. Built once for a set of protocols and tools.
 */
import type { Shortcuts } from '../json/shortcuts.ts'
import type { ExtractLimits, Fit, RepairLevel } from '../options.ts'
import type { Marker, Opener, Protocol, ResultBlock, ToolTable } from '../protocol.ts'
import { BACKTICK, NEWLINE, TILDE } from './characters.ts'
import { marker } from './marker.ts'
import { REASONING_TAGS, type ReasoningTag } from './reasoning.ts'
import { createStops, type Stops } from './stops.ts'

export type Candidate = { readonly marker: Marker } & (
  | { readonly kind: 'call'; readonly protocol: Protocol; readonly opener: Opener }
  | { readonly kind: 'stray'; readonly protocol: Protocol }
  | { readonly kind: 'result'; readonly block: ResultBlock }
  | { readonly kind: 'reasoning'; readonly tag: ReasoningTag }
  | { readonly kind: 'reasoning-end'; readonly tag: ReasoningTag }
)

export interface Candidates {
  /** What may begin at `i`, in order of precedence. */
  at(text: string, i: number): readonly Candidate[]
  /**
   * Passes the stops from `i` on at which nothing can begin, as their next character shows: true of
   * most stops in a text.
   */
  skip(text: string, i: number): number
  /** The characters with which something may begin. */
  readonly stops: Stops
  /** The same inside inline code, which the end of the line closes. */
  readonly inlineStops: Stops
}

/** The candidates that some characters leave, and those that one more character leaves. */
interface Node {
  readonly all: readonly Candidate[]
  readonly children: ReadonlyMap<number, Node>
  /** Those that do not care for the next character. */
  readonly others: readonly Candidate[]
}

/** What is looked for changes on the way, and with it how often the scanner has to stop. */
export interface CandidateSets {
  /** Where a message begins. */
  readonly start: Candidates
  /** Behind its first words: without the formats that must be the whole message. */
  readonly later: Candidates
  /** Once a call with markers was seen: without free formats. */
  readonly marked: Candidates
}

/** How a reply is read: the candidates and the caller's choices. */
export interface Grammar {
  readonly candidates: CandidateSets
  readonly tools: ToolTable
  readonly repair: RepairLevel
  readonly fit: Fit | undefined
  readonly shortcuts: Shortcuts | undefined
  readonly limits: ExtractLimits
  readonly deltas: boolean
  readonly allowUnknownTools: boolean
  /** Where formats without a marker are read. */
  readonly freeScope: Readonly<Record<'json' | 'text', 'message' | 'anywhere'>>
  /** False inside a region that is already known to be code or reasoning. */
  readonly markdown: boolean
  readonly reasoning: 'protocol' | 'ignore' | 'allow' | 'off'
}

const known = new WeakMap<readonly Protocol[], WeakMap<ToolTable, Map<string, CandidateSets>>>()

export function candidatesOf(
  protocols: readonly Protocol[],
  tools: ToolTable,
  scope: Grammar['freeScope'],
): CandidateSets {
  const byTools = getOrAdd(known, protocols, () => new WeakMap())
  const byScope = getOrAdd(byTools, tools, () => new Map())
  return getOrAdd(byScope, `${scope.json} ${scope.text}`, () => buildSets(protocols, tools, scope))
}

function getOrAdd<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  create: () => V,
): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const created = create()
  map.set(key, created)
  return created
}

function buildSets(
  protocols: readonly Protocol[],
  tools: ToolTable,
  scope: Grammar['freeScope'],
): CandidateSets {
  const later = protocols.filter(({ free }) => !free || scope[free] === 'anywhere')
  const marked = protocols.filter(({ free }) => !free)
  return {
    start: buildCandidates(protocols, tools),
    later: buildCandidates(later, tools),
    marked: buildCandidates(marked, tools),
  }
}

function buildCandidates(protocols: readonly Protocol[], tools: ToolTable): Candidates {
  const root = buildNode(listCandidates(protocols, tools), 0)
  const stops = [BACKTICK, TILDE, ...root.children.keys()]
  const pairs = pairTable(root)
  return {
    skip(text, i) {
      let at = i
      for (; at + 1 < text.length; at++) {
        const first = text.charCodeAt(at)
        const second = text.charCodeAt(at + 1)
        if (!(first < 128 && second < 128) || pairs[(first << 7) | second] !== SKIP) break
      }
      return at
    },
    at(text, i) {
      let node = root
      for (let at = i; node.children.size > 0; at++) {
        if (at === text.length) return node.all
        const child = node.children.get(text.charCodeAt(at))
        if (!child) return node.others
        node = child
      }
      return node.all
    },
    stops: createStops(stops),
    inlineStops: createStops([...stops, NEWLINE]),
  }
}

function listCandidates(protocols: readonly Protocol[], tools: ToolTable): Candidate[] {
  const list: Candidate[] = []
  for (const tag of REASONING_TAGS) {
    list.push({ kind: 'reasoning', tag, marker: marker(tag.open) })
    list.push({ kind: 'reasoning-end', tag, marker: marker(tag.close) })
  }
  for (const protocol of protocols) {
    for (const opener of protocol.openers(tools)) {
      list.push({ kind: 'call', protocol, opener, marker: opener })
    }
    for (const stray of protocol.strays ?? []) {
      list.push({ kind: 'stray', protocol, marker: marker(stray) })
    }
    for (const block of protocol.results ?? []) {
      list.push({ kind: 'result', block, marker: block.open })
    }
  }
  // A stable sort: without a priority the order of the protocols stands.
  return list.sort((one, other) => priority(other) - priority(one))
}

function priority(candidate: Candidate): number {
  return candidate.kind === 'call' ? (candidate.opener.priority ?? 0) : 0
}

function buildNode(all: readonly Candidate[], depth: number): Node {
  const others = all.filter(({ marker: { prefix } }) => prefix.length <= depth)
  const next = new Set(all.flatMap(({ marker: { prefix } }) => codesOf(prefix[depth] ?? '')))
  const suiting = (code: number) =>
    all.filter(({ marker: { prefix } }) => prefix.length <= depth || suits(prefix[depth], code))
  const children = new Map(
    Array.from(next, (code) => [code, buildNode(suiting(code), depth + 1)] as const),
  )
  return { all, children, others }
}

function suits(characters: string | undefined, code: number): boolean {
  return characters !== undefined && codesOf(characters).includes(code)
}

/** {@link SKIP} for every two ASCII characters of which the first is a stop and the second no go. */
function pairTable(root: Node): Uint8Array {
  const pairs = new Uint8Array(128 * 128)
  for (const [first, { children, others }] of root.children) {
    const isCodeMark = first === BACKTICK || first === TILDE
    if (first >= 128 || isCodeMark || others.length > 0) continue
    pairs.fill(SKIP, first << 7, (first + 1) << 7)
    for (const second of children.keys()) if (second < 128) pairs[(first << 7) | second] = 0
  }
  return pairs
}

const SKIP = 1

function codesOf(characters: string): number[] {
  return Array.from(characters, (character) => character.charCodeAt(0))
}
