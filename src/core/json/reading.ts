/** What a reader knows while it reads: plain fields that the parts of the machine share. */
import type { JsonPath, Repair, RepairCode } from '../issue.ts'
import { DOUBLE_QUOTE } from './codes.ts'

export interface JsonReaderOptions {
  /** `off`: strict JSON. `safe`: a departure that needs a guess fails. `guess`: repair all. */
  readonly repair?: 'off' | 'safe' | 'guess'
  /** Containers inside containers; passing it fails with `depth`. */
  readonly maxDepth?: number
  /** Structural callbacks fire only for values at this depth or less. */
  readonly watchDepth?: number
  /**
   * Asked between tokens, never inside strings, when a character cannot continue JSON: does the
   * closer of the enclosing block stand here? `undefined` asks for more characters.
   */
  readonly isCloser?: ((text: string, at: number, last: boolean) => boolean | undefined) | undefined
}

export type JsonKind = 'object' | 'array' | 'string' | 'scalar'

export interface JsonSink {
  /** Valid JSON text: the pieces joined are exactly one JSON value. */
  text(piece: string): void
  /** A decoded key, once certain. `depth` is that of the object holding it; the root object is 1. */
  key?(depth: number, key: string): void
  /** After all earlier text and before any text of this value; the root has depth 0. */
  valueStart?(depth: number, kind: JsonKind): void
  /** After all text of that value; `end` is the index behind it in the text being read. */
  valueEnd?(depth: number, end: number): void
  repair?(repair: Repair): void
}

// Where the machine stands.
export const ROOT_VALUE = 0
export const FIRST_ITEM = 1
export const ITEM = 2
export const MEMBER_VALUE = 3
export const FIRST_KEY = 4
export const KEY = 5
export const AFTER_KEY = 6
export const AFTER_VALUE = 7
export const IN_STRING = 8
export const IN_BARE = 9
export const IN_NUMBER = 10
export const IN_LINE_COMMENT = 11
export const IN_BLOCK_COMMENT = 12

/** Container kinds; a tuple is an array that was opened by a parenthesis. */
export const ROOT = 0
export const OBJECT = 1
export const ARRAY = 2
export const TUPLE = 3

/** What is made of a place. One of these, or an index or character code, which are no less than 0. */
export type Verdict = number
/** More input is needed. */
export const WAIT = -1
/** The token goes on. */
export const INNER = -2
export const END = -3

const DEFAULT_MAX_DEPTH = 512
/** Reports of one kind: a document of a million stray commas needs no million of them. */
const MAX_REPORTS = 100

type Risk = Repair['risk']

export class Reading {
  declare readonly sink: JsonSink
  declare readonly isCloser: JsonReaderOptions['isCloser']
  declare readonly maxDepth: number
  declare readonly watchDepth: number
  declare mode: 'off' | 'safe' | 'guess'
  status: 'open' | 'done' | 'failed' = 'open'
  failure: 'syntax' | 'depth' | undefined = undefined

  text = ''
  /** No text follows this one. */
  last = false
  /** Nothing more can be read of this text before more of it is there. */
  waiting = false
  /** End of the window that is looked at. */
  end = 0
  /** More input could still change what stands at the end of the window. */
  short = false

  state: number = ROOT_VALUE
  /** The state a comment interrupted. */
  resume: number = ROOT_VALUE
  spaceRun = 0
  depth = 0
  /** Kind of the innermost container. */
  kind: number = ROOT
  readonly kinds: number[] = [ROOT]
  /** The key or index read in each container. */
  readonly slots: (string | number)[] = [0]
  /** How often an object's brace was doubled, as templates leak `{{`. */
  readonly doubled: number[] = [0]

  /** Certain, but not handed over yet. */
  out = ''
  /** Start of the input not yet written. */
  from = 0
  owing = false
  owed = ''
  /** Where input begins that is owed but not yet written; -1 when there is none. */
  owedFrom = -1
  /** Where the key begins in what is owed. */
  keyAt = 0

  /** A key is read: its repairs wait for its name, which is part of their path. */
  isKey = false
  keyRepairs: Parameters<typeof report>[] = []
  readonly counts: Record<Risk, Map<RepairCode, number>> = { safe: new Map(), guess: new Map() }
  /** Keys without quotes were seen in the document. */
  bareKeys = false
  /** The members of this object can be read in runs. */
  inRuns = false

  // The string that is read.
  quote: number = DOUBLE_QUOTE
  form = 0
  /** A quote was found in it that it did not end with. */
  hasInner = false
  innerQuotes = 0
  /** JSON is quoted in it without escapes: only a quote behind a closing bracket can end it. */
  embedded = false
  backslashes = 0
  sawEscape = false
  isPath = false
  /** Kinds of repair reported for it. */
  readonly reported: Record<Risk, string> = { safe: '', guess: '' }
  /** The end of what earlier chunks held of it. */
  tail = ''

  numberShape = ''
  /** Brackets open inside a value without quotes. */
  nesting = 0

  constructor(sink: JsonSink, options: JsonReaderOptions) {
    this.sink = sink
    this.isCloser = options.isCloser
    this.maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH
    this.watchDepth = options.watchDepth ?? 0
    this.mode = options.repair ?? 'guess'
  }
}

export function codeAt(r: Reading, at: number): number {
  return r.text.charCodeAt(at)
}

export function fail(r: Reading, reason: 'syntax' | 'depth' = 'syntax'): void {
  if (r.status === 'failed') return
  r.status = 'failed'
  r.failure = reason
}

export function wait(r: Reading, at: number): number {
  r.waiting = true
  return at
}

/** Takes note of a repair; false when it is not allowed and reading must stop. */
export function report(
  r: Reading,
  code: RepairCode,
  risk: Risk,
  before?: string,
  after = '',
  level: number = r.depth,
): boolean {
  if (r.mode === 'off' || (r.mode === 'safe' && risk === 'guess')) fail(r)
  if (r.status === 'failed') return false
  const counts = r.counts[risk]
  const count = counts.get(code) ?? 0
  if (count >= MAX_REPORTS) return true
  if (r.isKey) {
    r.keyRepairs.push([r, code, risk, before, after])
    return true
  }
  counts.set(code, count + 1)
  const path: JsonPath = r.slots.slice(1, level + 1)
  r.sink.repair?.(before === undefined ? { code, path, risk } : { code, path, risk, before, after })
  return true
}

/** A repair of the container around the value. */
export function reportAround(
  r: Reading,
  code: RepairCode,
  risk: Risk,
  before?: string,
  after?: string,
): boolean {
  return report(r, code, risk, before, after, r.depth - 1)
}

/** Whether the closer of the enclosing block stands at `at`: END, INNER or WAIT. */
export function closerAt(r: Reading, at: number): Verdict {
  if (r.isCloser === undefined) return INNER
  const answer = r.isCloser(r.text, at, r.last)
  if (answer === undefined) return r.last ? INNER : WAIT
  return answer ? END : INNER
}
