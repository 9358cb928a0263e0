/**
 * Replaces secrets in a text that comes as chunks of bytes, wherever the chunks were cut. A secret is found in
 * any case and however its characters are escaped: as JSON does (also in JSON within JSON) or as addresses do.
 * A secret is also found when it is spread over several JSON strings of the same name, as the text of a streamed
 * reply is.
 *
 * Time is linear (Knuth, Morris and Pratt), and text is held back only while it may be the beginning of a secret.
 */
import { joinedBytes } from './joined-bytes.ts'

/** What a secret is replaced with. */
export const HIDDEN = '***'

/** One spelling of a secret in normal form: lower case, nothing escaped. */
export interface Needle {
  readonly units: Uint8Array
  /** For each unit, how many units are still matched when the next one does not fit. */
  readonly fallbacks: Uint16Array
  /** Whether it is looked for in several strings as well. */
  readonly maySplit: boolean
}

export interface Spelling {
  readonly text: string
  readonly maySplit: boolean
}

/** All spellings of all secrets, ready to be looked for. */
export interface Needles {
  readonly byFirst: readonly (readonly Needle[] | undefined)[]
  /** By the value of a byte: 0 for an ordinary one, `FIRST`, or `SPECIAL` for one that changes what follows. */
  readonly isSpecial: Uint8Array
  /** The same while it matters where strings begin and end. */
  readonly isSpecialInJson: Uint8Array
  /** Whether a secret can begin with two bytes, by the first and the second: nearly all first bytes end here. */
  readonly isPair: Uint8Array
  readonly isEmpty: boolean
}

export interface SecretMask {
  /** What is certain to hold no secret; the very bytes when nothing is held back or replaced. */
  push(bytes: Uint8Array): Uint8Array
  /** The text is over: what was held back. */
  end(): Uint8Array
}

/** Between two strings of one name: a beginning of a secret of this length is held until the next one comes. */
const HELD_UNITS = 8
/** So much of the beginning of a secret is hidden although the end is missing, if it is also the half of it. */
const PARTIAL_UNITS = 16
/** A secret whose parts are farther apart is not put together. A streamed token brings about 300 bytes. */
const MAX_GAP = 16 * 1024
/** So much may be held back; a key of 4 KB in frames of 300 bytes, one for each character, is 1.2 MB. */
const MAX_HELD = 2 * 1024 * 1024
/** Where the name of a string is looked for when its beginning came with the chunk before. */
const CONTEXT = 1024
const MAX_SPLIT_NAMES = 16
/** Longer secrets are cut: their beginning identifies them. */
const MAX_UNITS = 0xffff

const NEWLINE = 0x0a
const QUOTE = 0x22
const PERCENT = 0x25
const SLASH = 0x2f
const COLON = 0x3a
const BACKSLASH = 0x5c
const LETTER_U = 0x75
/** Letters that stand for a control character after a backslash: b, f, n, r, t. */
const CONTROLS: ReadonlySet<number> = new Set([0x62, 0x66, 0x6e, 0x72, 0x74])
/** A unit that no secret has. */
const NO_UNIT = -1
/** No unit, but a part of the match that it is in. */
const FILLER = -3
/** The chunk ends within an escape sequence. */
const CUT = -2

/** A byte that a secret may begin with. */
const FIRST = 1
const SPECIAL = 2

const NOTHING = new Uint8Array()
const encoder = new TextEncoder()

export function createNeedles(spellings: Iterable<Spelling>): Needles {
  const byFirst: Needle[][] = []
  const isSpecial = new Uint8Array(256)
  const isPair = new Uint8Array(256 * 256)
  const known = new Set<string>()
  for (const { text, maySplit } of spellings) {
    const needle = needleOf(normalUnits(text).slice(0, MAX_UNITS), maySplit)
    const [first] = needle.units
    const key = String(needle.units)
    if (first === undefined || known.has(key)) continue
    known.add(key)
    byFirst[first] = [...(byFirst[first] ?? []), needle]
    markFirst(needle, isSpecial, isPair)
  }
  isSpecial[BACKSLASH] = SPECIAL
  isSpecial[PERCENT] = SPECIAL
  const isSpecialInJson = isSpecial.slice()
  isSpecialInJson[QUOTE] = SPECIAL
  isSpecialInJson[NEWLINE] = SPECIAL
  return { byFirst, isSpecial, isSpecialInJson, isPair, isEmpty: known.size === 0 }
}

function markFirst({ units, maySplit }: Needle, isSpecial: Uint8Array, isPair: Uint8Array): void {
  const [first = 0, second = 0] = units
  const seconds = [second, upperCase(second), BACKSLASH, PERCENT, ...(maySplit ? [QUOTE] : [])]
  for (const byte of [first, upperCase(first)]) {
    isSpecial[byte] = FIRST
    for (const next of seconds) isPair[byte * 256 + next] = 1
  }
}

function needleOf(given: readonly number[], maySplit: boolean): Needle {
  const units = Uint8Array.from(given)
  const fallbacks = new Uint16Array(units.length)
  let matched = 0
  for (let at = 1; at < units.length; at++) {
    while (matched > 0 && units[at] !== units[matched]) matched = fallbacks[matched - 1] ?? 0
    if (units[at] === units[matched]) matched++
    fallbacks[at] = matched
  }
  return { units, fallbacks, maySplit }
}

/** The units of a text as the mask reads them. */
function normalUnits(text: string): number[] {
  const units: number[] = []
  const reader = createUnitReader((unit) => {
    if (unit >= 0) units.push(unit)
  })
  const bytes = encoder.encode(text)
  for (let at = 0; at < bytes.length; ) {
    const next = reader.read(bytes, at)
    at = next === CUT ? at + 1 : next
  }
  return units
}

// ── units ───────────────────────────────────────────────────────────────────────────────────────

interface UnitReader {
  /** Reads what is at `at`; returns where to go on, or `CUT` when the chunk ends too soon. */
  read(bytes: Uint8Array, at: number): number
  /** How many backslashes come right before the next byte. */
  backslashes: number
}

type TakeUnit = (unit: number, start: number, end: number, bytes: Uint8Array) => void

/**
 * Reads text as units without escape sequences, each with the place where it is written. Backslashes are no
 * units: they only change what comes after them.
 */
function createUnitReader(take: TakeUnit): UnitReader {
  const reader: UnitReader = {
    backslashes: 0,
    read(bytes, at) {
      const byte = bytes[at] ?? NO_UNIT
      if (byte === BACKSLASH) {
        reader.backslashes++
        return at + 1
      }
      const before = reader.backslashes
      const next = before > 0 ? readEscaped(bytes, at, before) : readPlain(bytes, at, byte)
      if (next !== CUT) reader.backslashes = 0
      return next
    },
  }

  function readEscaped(bytes: Uint8Array, at: number, before: number): number {
    const byte = bytes[at] ?? NO_UNIT
    // Pairs of backslashes are backslashes themselves, in JSON; in JSON within JSON they escape.
    const isOdd = before % 2 === 1
    if (byte === LETTER_U) {
      const code = hexNumber(bytes, at + 1, 4)
      if (code === CUT) return CUT
      const start = at - (isOdd ? 1 : 2)
      if (code >= 0x80) return takeCharacter(code, start, at + 5, bytes)
      if (code >= 0) return takeCode(code, start, at + 5, bytes)
    }
    if (isOdd && CONTROLS.has(byte)) take(NO_UNIT, at - 1, at + 1, bytes)
    else take(lowerCase(byte), at - slashesOf(byte, isOdd), at + 1, bytes)
    return at + 1
  }

  function readPlain(bytes: Uint8Array, at: number, byte: number): number {
    if (byte === PERCENT) {
      const code = hexNumber(bytes, at + 1, 2)
      if (code === CUT) return CUT
      if (code >= 0) return takeCode(code, at, at + 3, bytes)
    }
    take(lowerCase(byte), at, at + 1, bytes)
    return at + 1
  }

  function takeCode(code: number, start: number, end: number, bytes: Uint8Array): number {
    // Backslashes are no units, however they are written.
    take(code === BACKSLASH ? FILLER : lowerCase(code), start, end, bytes)
    return end
  }

  function takeCharacter(code: number, start: number, end: number, bytes: Uint8Array): number {
    for (const unit of encoder.encode(String.fromCharCode(code))) take(unit, start, end, bytes)
    return end
  }

  return reader
}

/** How many of the backslashes before a character belong to it, so that what is left is still JSON. */
function slashesOf(byte: number, isOdd: boolean): number {
  if (isOdd) return 1
  return byte === SLASH ? 2 : 0
}

/** The number; `NO_UNIT` where there is none, `CUT` when the bytes end too soon. */
function hexNumber(bytes: Uint8Array, at: number, digits: number): number {
  let value = 0
  for (let index = at; index < at + digits; index++) {
    const byte = bytes[index]
    if (byte === undefined) return CUT
    const digit = HEX[byte] ?? -1
    if (digit < 0) return NO_UNIT
    value = value * 16 + digit
  }
  return value
}

const HEX = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase()),
)

function lowerCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
}

function upperCase(byte: number): number {
  return byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte
}

// ── the mask ────────────────────────────────────────────────────────────────────────────────────

/** The beginning of a secret, with the places of its units in the whole text. */
interface Match {
  readonly needle: Needle
  readonly starts: number[]
  readonly ends: number[]
}

/** A place that is replaced. */
interface Hole {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Beginnings of secrets at the end of a string, which another string of the same name may go on with. */
interface Split {
  readonly name: Uint8Array
  readonly matches: readonly Match[]
  readonly at: number
}

interface Piece {
  readonly start: number
  readonly bytes: Uint8Array
}

/** `needles` is asked with each chunk: secrets may be added while a text comes. */
export function createSecretMask(needles: () => Needles): SecretMask {
  let current = needles()
  /** An escape sequence that is cut. */
  let carry: Uint8Array = NOTHING
  /** Where the bytes that are read begin in the whole text. */
  let origin = 0
  let pieces: Piece[] = []
  /** Everything before was given away. */
  let given = 0
  let matches: Match[] = []
  let holes: Hole[] = []
  let splits: readonly Split[] = []
  /** Known only while there are splits. */
  let isInString = false
  /** What came last, to look for names in. */
  const recent: Uint8Array[] = []
  let recentLength = 0
  const reader = createUnitReader(take)

  /** Returns how many bytes were read: an escape sequence that is cut is read with the next ones. */
  function scan(bytes: Uint8Array): number {
    const { length } = bytes
    let at = 0
    while (at < length) {
      if (matches.length === 0 && reader.backslashes === 0) {
        at = skip(
          bytes,
          at,
          current,
          splits.length === 0 ? current.isSpecial : current.isSpecialInJson,
        )
        if (at === length) break
      }
      const next = reader.read(bytes, at)
      if (next === CUT) break
      at = next
    }
    const cut = Math.min(reader.backslashes, 2)
    reader.backslashes -= cut
    return at - cut
  }

  function take(unit: number, start: number, end: number, bytes: Uint8Array): void {
    if (unit === QUOTE && end - start === 1 && !matches.some((match) => expects(match, QUOTE))) {
      return takeQuote(start, bytes)
    }
    if (unit === FILLER) return fill(origin + end)
    if (matches.length > 0) followAll(unit, origin + start, origin + end)
    if (unit === NEWLINE) isInString = false
    const begun = unit < 0 ? undefined : current.byFirst[unit]
    if (begun) for (const needle of begun) begin(needle, start, end, bytes)
  }

  function followAll(unit: number, start: number, end: number): void {
    const going = matches.filter((match) => follow(match, unit, start, end))
    if (going.length < matches.length) matches = going
  }

  function fill(end: number): void {
    for (const { ends } of matches) ends[ends.length - 1] = end
  }

  function begin(needle: Needle, start: number, end: number, bytes: Uint8Array): void {
    if (!mayGoOn(needle, bytes, end) || matches.some((match) => match.needle === needle)) return
    matches.push({ needle, starts: [origin + start], ends: [origin + end] })
  }

  /** Adds the unit to the match; false when nothing of it is left, or when it is complete. */
  function follow(match: Match, unit: number, start: number, end: number): boolean {
    const { needle, starts, ends } = match
    if (!expects(match, unit)) fallBack(match, unit)
    if (!expects(match, unit)) return false
    const last = ends.at(-1) ?? start
    // Backslashes between two units of a match belong to it.
    starts.push(start - reader.backslashes <= last ? last : start)
    ends.push(end)
    if (starts.length < needle.units.length) return true
    hide(match)
    return false
  }

  function fallBack(match: Match, unit: number): void {
    const { needle, starts, ends } = match
    hidePartial(match)
    while (starts.length > 0 && !expects(match, unit)) {
      const left = needle.fallbacks[starts.length - 1] ?? 0
      ends.splice(0, starts.length - left)
      starts.splice(0, starts.length - left)
    }
  }

  function hidePartial(match: Match): void {
    const { length } = match.starts
    if (length >= PARTIAL_UNITS && length >= match.needle.units.length / 2) hide(match)
  }

  /** The first part that was not given away yet is replaced, the others are left out. */
  function hide({ starts, ends }: Match): void {
    let text = HIDDEN
    for (let from = 0; from < starts.length; ) {
      let to = from
      while (to + 1 < starts.length && (starts[to + 1] ?? 0) <= (ends[to] ?? 0)) to++
      const start = Math.max(given, starts[from] ?? 0)
      const end = ends[to] ?? 0
      if (end > start) {
        holes.push({ start, end, text })
        text = ''
      }
      from = to + 1
    }
  }

  // ── strings of the same name ──────────────────────────────────────────────────────────────────

  function takeQuote(at: number, bytes: Uint8Array): void {
    if (matches.length === 0 && splits.length === 0) return
    if (matches.length > 0 || isInString) closeString(at, bytes)
    else openString(at, bytes)
  }

  function closeString(at: number, bytes: Uint8Array): void {
    isInString = false
    const open = matches.filter(({ needle }) => needle.maySplit)
    matches.filter(({ needle }) => !needle.maySplit).forEach(hidePartial)
    matches = []
    if (open.length === 0 || isName(bytes, at)) return
    const name = nameOfOpen(at, bytes)
    if (!name || splits.length >= MAX_SPLIT_NAMES) return open.forEach(hidePartial)
    splits = [...splits, { name, matches: open, at: origin + at }]
  }

  function openString(at: number, bytes: Uint8Array): void {
    isInString = true
    const split = splits.find(({ name }) => isNamed(name, at, bytes))
    if (!split) return
    matches = [...split.matches]
    splits = splits.filter((one) => one !== split)
  }

  function isNamed(name: Uint8Array, at: number, bytes: Uint8Array): boolean {
    return hasName(bytes, at, name) ?? areSame(nameAt(at, bytes), name)
  }

  /** The name of the string that ends at `at`; undefined when that is too far back. */
  function nameOfOpen(at: number, bytes: Uint8Array): Uint8Array | undefined {
    const start = stringStart(bytes, at)
    if (start >= 0) return nameAt(start, bytes)
    const before = joinedBytes(recent)
    const earlier = stringStart(before, before.length)
    return earlier < 0 ? undefined : nameBefore(before, earlier)
  }

  function nameAt(start: number, bytes: Uint8Array): Uint8Array {
    const end = nameEnd(bytes, start)
    if (end === 0 || (end > 0 && quoteBefore(bytes, end) >= 0)) return nameBefore(bytes, start)
    const before = joinedBytes([...recent, bytes.subarray(0, start)])
    return nameBefore(before, before.length)
  }

  function remember(bytes: Uint8Array): void {
    recent.push(bytes)
    recentLength += bytes.length
    for (
      let first = recent[0];
      first && recentLength - first.length >= CONTEXT;
      first = recent[0]
    ) {
      recent.shift()
      recentLength -= first.length
    }
  }

  /** Forgets beginnings that nothing has gone on with for too long. */
  function forgetSplits(isOver: (split: Split) => boolean): void {
    const over = splits.filter(isOver)
    if (over.length === 0) return
    for (const split of over) split.matches.forEach(hidePartial)
    splits = splits.filter((split) => !over.includes(split))
  }

  // ── giving ────────────────────────────────────────────────────────────────────────────────────

  /** Where the text begins that may be a part of a secret. */
  function heldFrom(end: number): number {
    let from = end
    for (const match of matches) from = Math.min(from, firstKept(match, end))
    for (const split of splits) {
      for (const match of split.matches) {
        if (match.starts.length >= HELD_UNITS) from = Math.min(from, firstKept(match, end))
      }
    }
    return from
  }

  function firstKept({ starts }: Match, end: number): number {
    return starts.find((start) => start >= given) ?? end
  }

  function giveUntil(end: number): Uint8Array {
    const [only] = pieces
    if (only && pieces.length === 1 && holes.length === 0 && only.start === given) {
      if (end === only.start + only.bytes.length) return giveAll(only.bytes, end)
    }
    const made = merged(holes)
    const kept = pieces.flatMap((piece) => cut(piece, given, end, made))
    holes = made.filter((hole) => hole.end > end)
    pieces = pieces.filter(({ start, bytes }) => start + bytes.length > end)
    given = end
    return joinedBytes(kept)
  }

  function giveAll(bytes: Uint8Array, end: number): Uint8Array {
    pieces = []
    given = end
    return bytes
  }

  function keep(bytes: Uint8Array): void {
    if (bytes.length > 0) pieces.push({ start: origin, bytes })
    origin += bytes.length
  }

  return {
    push(chunk) {
      current = needles()
      if (current.isEmpty && carry.length === 0 && pieces.length === 0) return chunk
      const bytes = carry.length === 0 ? chunk : joinedBytes([carry, chunk])
      const length = scan(bytes)
      const read = length === bytes.length ? bytes : bytes.subarray(0, length)
      carry = length === bytes.length ? NOTHING : bytes.subarray(length)
      keep(read)
      remember(read)
      if (splits.length > 0) {
        forgetSplits(({ at }) => origin - at > MAX_GAP || origin - given > MAX_HELD)
      }
      return giveUntil(heldFrom(origin))
    },
    end() {
      keep(carry)
      carry = NOTHING
      matches.forEach(hidePartial)
      matches = []
      forgetSplits(() => true)
      return giveUntil(origin)
    },
  }
}

/** The next place that needs a closer look. */
function skip(bytes: Uint8Array, from: number, { isPair }: Needles, isSpecial: Uint8Array): number {
  const { length } = bytes
  for (let at = from; at < length; at++) {
    const byte = bytes[at] as number // the cast, and the next one: both are among the bytes
    const kind = isSpecial[byte]
    if (kind === 0) continue
    if (kind === SPECIAL || at + 1 === length) return at
    if (isPair[byte * 256 + (bytes[at + 1] as number)] === 1) return at
  }
  return length
}

function expects({ needle, starts }: Match, unit: number): boolean {
  return needle.units[starts.length] === unit
}

/** A quick look at the next bytes, as nearly all first letters are none of a secret. */
function mayGoOn({ units, maySplit }: Needle, bytes: Uint8Array, at: number): boolean {
  for (let index = 1; index < 4; index++) {
    const byte = bytes[at + index - 1]
    if (byte === undefined || byte === BACKSLASH || byte === PERCENT) return true
    if (byte === QUOTE) return maySplit
    if (lowerCase(byte) !== units[index]) return false
  }
  return true
}

/** Sorted, and without overlap. */
function merged(holes: readonly Hole[]): Hole[] {
  const all: Hole[] = []
  for (const hole of holes.toSorted((one, other) => one.start - other.start)) {
    const last = all.at(-1)
    if (!last || hole.start > last.end) all.push(hole)
    else {
      const text = last.text === '' ? hole.text : last.text
      all[all.length - 1] = { start: last.start, end: Math.max(last.end, hole.end), text }
    }
  }
  return all
}

/** What of the piece is between the two places, with the holes replaced. */
function cut(
  { start, bytes }: Piece,
  from: number,
  to: number,
  holes: readonly Hole[],
): Uint8Array[] {
  const parts: Uint8Array[] = []
  const end = Math.min(to, start + bytes.length)
  let at = Math.max(from, start)
  for (const hole of holes) {
    if (hole.end <= at || hole.start >= end) continue
    if (hole.start > at) parts.push(bytes.subarray(at - start, hole.start - start))
    if (hole.start >= at) parts.push(encoder.encode(hole.text))
    at = Math.min(end, hole.end)
  }
  if (end > at) parts.push(bytes.subarray(at - start, end - start))
  return parts
}

// ── names of strings ────────────────────────────────────────────────────────────────────────────

/** True when the string that ends at `at` is the name of a value. */
function isName(bytes: Uint8Array, at: number): boolean {
  let next = at + 1
  while (isSpace(bytes[next])) next++
  return bytes[next] === COLON
}

/** Where the quote is that begins the string that ends at `end`; -1 where it is not in these bytes. */
function stringStart(bytes: Uint8Array, end: number): number {
  let at = quoteBefore(bytes, end)
  while (at > 0 && backslashesBefore(bytes, at) % 2 === 1) at = quoteBefore(bytes, at)
  return at
}

function quoteBefore(bytes: Uint8Array, end: number): number {
  // An index of -1 would mean the last byte.
  return end === 0 ? -1 : bytes.lastIndexOf(QUOTE, end - 1)
}

function backslashesBefore(bytes: Uint8Array, at: number): number {
  let start = at
  while (start > 0 && bytes[start - 1] === BACKSLASH) start--
  return at - start
}

/** The name of the value that begins at `at`; empty for one in a list. */
function nameBefore(bytes: Uint8Array, at: number): Uint8Array {
  const end = nameEnd(bytes, at)
  return end <= 0 ? NOTHING : bytes.slice(quoteBefore(bytes, end) + 1, end)
}

/** Where the name ends of the value that begins at `at`; 0 for one in a list. */
function nameEnd(bytes: Uint8Array, at: number): number {
  let end = at - 1
  while (isSpace(bytes[end])) end--
  if (bytes[end] !== COLON) return end < 0 ? -1 : 0
  end--
  while (isSpace(bytes[end])) end--
  if (end <= 0) return -1
  return bytes[end] === QUOTE ? end : 0
}

/** True when that is the name of the value that begins at `at`; undefined when the bytes do not reach back. */
function hasName(bytes: Uint8Array, at: number, name: Uint8Array): boolean | undefined {
  const end = nameEnd(bytes, at)
  if (end <= 0) return end < 0 ? undefined : name.length === 0
  if (end <= name.length) return undefined
  for (let index = 1; index <= name.length; index++) {
    if (bytes[end - index] !== name[name.length - index]) return false
  }
  return bytes[end - name.length - 1] === QUOTE
}

function areSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === NEWLINE
}
