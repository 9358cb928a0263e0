/** YAML on one line: quoted text, `{a: 1}` and `[a, b]`, which may go on over several lines all the same. */
import { isSpace } from '../json/codes.ts'
import { MAX_DEPTH, type YamlNode } from './node.ts'

/** What was read and where it ends. */
export interface Read<T> {
  readonly value: T
  readonly end: number
}

const ESCAPES: Readonly<Record<string, string>> = {
  0: '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  N: '\x85',
  r: '\r',
  t: '\t',
  v: '\v',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
}
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([\s\S]))/g

/** Undefined: there is no such value. */
export function readFlow(text: string, at: number, depth: number): Read<YamlNode> | undefined {
  const start = skipBlank(text, at)
  const first = text.charAt(start)
  if (depth > MAX_DEPTH) return undefined
  if (first === '{') return readMap(text, start + 1, depth)
  if (first === '[') return readList(text, start + 1, depth)
  if (first === '"' || first === "'") {
    const quoted = readQuoted(text, start)
    return quoted && { value: { kind: 'text', text: quoted.value }, end: quoted.end }
  }
  const end = plainEnd(text, start, ',]}')
  return { value: { kind: 'plain', text: fold(text.slice(start, end).trim()) }, end }
}

function readMap(text: string, at: number, depth: number): Read<YamlNode> | undefined {
  const entries: [string, YamlNode][] = []
  for (let i = skipBlank(text, at); ; ) {
    if (text.charAt(i) === '}') return { value: { kind: 'map', entries }, end: i + 1 }
    const key = readKey(text, i)
    const colon = key ? skipBlank(text, key.end) : i
    if (!key || text.charAt(colon) !== ':') return undefined
    const value = readFlow(text, colon + 1, depth + 1)
    const next = value && afterItem(text, value.end, '}')
    if (!value || next === undefined) return undefined
    entries.push([key.value, value.value])
    i = next
  }
}

function readKey(text: string, at: number): Read<string> | undefined {
  const first = text.charAt(at)
  if (first === '"' || first === "'") return readQuoted(text, at)
  const end = plainEnd(text, at, ':,]}')
  return end === at ? undefined : { value: text.slice(at, end).trim(), end }
}

function readList(text: string, at: number, depth: number): Read<YamlNode> | undefined {
  const items: YamlNode[] = []
  for (let i = skipBlank(text, at); ; ) {
    if (text.charAt(i) === ']') return { value: { kind: 'list', items }, end: i + 1 }
    const item = readFlow(text, i, depth + 1)
    const next = item && afterItem(text, item.end, ']')
    if (!item || next === undefined) return undefined
    items.push(item.value)
    i = next
  }
}

/** Behind the comma, or before the closing bracket. */
function afterItem(text: string, at: number, close: string): number | undefined {
  const i = skipBlank(text, at)
  if (text.charAt(i) === ',') return skipBlank(text, i + 1)
  return text.charAt(i) === close ? i : undefined
}

function plainEnd(text: string, at: number, ends: string): number {
  let i = at
  while (i < text.length && !ends.includes(text.charAt(i))) i++
  return i
}

/** White space and comments. */
function skipBlank(text: string, at: number): number {
  let i = at
  for (;;) {
    while (i < text.length && isSpace(text.charCodeAt(i))) i++
    if (text.charAt(i) !== '#' || !isSpace(text.charCodeAt(i - 1))) return i
    const end = text.indexOf('\n', i)
    i = end === -1 ? text.length : end
  }
}

/** The quoted text that begins at `at`. */
export function readQuoted(text: string, at: number): Read<string> | undefined {
  const quote = text.charAt(at)
  let i = at + 1
  for (; text.charAt(i) !== quote || isDoubled(text, i); i++) {
    if (i >= text.length) return undefined
    if (quote === '"' ? text.charAt(i) === '\\' : text.charAt(i) === quote) i++
  }
  const raw = fold(text.slice(at + 1, i), quote === '"')
  const value = quote === '"' ? raw.replace(ESCAPE, decodeEscape) : raw.replaceAll("''", "'")
  return { value, end: i + 1 }
}

/** `''` inside single quotes is one of them. */
function isDoubled(text: string, at: number): boolean {
  return text.startsWith("''", at)
}

function decodeEscape(
  whole: string,
  two?: string,
  four?: string,
  eight?: string,
  one = '',
): string {
  const hex = two ?? four ?? eight
  if (hex === undefined) return ESCAPES[one] ?? one
  const code = Number.parseInt(hex, 16)
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole
}

const ENDS_IN_BACKSLASH = /(?:^|[^\\])(?:\\\\)*\\$/

/** A line break is a space, an empty line a line break; a backslash before a break removes it. */
export function fold(text: string, escapes = false): string {
  const [first = '', ...rest] = text.split('\n')
  if (rest.length === 0) return text
  let folded = first.trimEnd()
  let breaks = 0
  for (const [at, line] of rest.entries()) {
    breaks++
    const isLast = at === rest.length - 1
    const part = isLast ? line.trimStart() : line.trim()
    if (part === '' && !isLast) continue
    const joined = escapes && ENDS_IN_BACKSLASH.test(folded.slice(-LONGEST_ESCAPES))
    const before = joined ? folded.slice(0, -1) : folded
    const between = breaks > 1 ? '\n'.repeat(breaks - 1) : ' '
    folded = before + (joined ? '' : between) + part
    breaks = 0
  }
  return folded
}

/** How many backslashes before a line break are counted. */
const LONGEST_ESCAPES = 64
