/**
 * The part of YAML that models write: maps and lists in lines or in brackets, quoted and plain words,
 * texts in lines of their own, comments. Anchors, aliases and tags mean nothing and are plain words.
 */
import { unquote } from '../arguments/quoted.ts'
import type { Repair } from '../issue.ts'
import { readBroken, toValue } from '../json/read.ts'
import { parseStrict } from '../json/strict.ts'
import type { JsonValue } from '../json/value.ts'
import type { SchemaView } from '../options.ts'

interface Line {
  /** Where it begins in the source. */
  readonly from: number
  /** Without its line break. */
  readonly text: string
  /** Where it begins to say something; what was read of it is indentation. */
  indent: number
}

/** What was read and where it ends. */
interface Read {
  readonly value: JsonValue
  readonly end: number
}

/** Deeper nesting is no YAML that anybody means. */
const MAX_DEPTH = 256
const DOCUMENT_MARK = /^(?:---|\.\.\.)$/
const DASH = /^-(?:[ \t]|$)/
// Limited, because an expression that goes on for millions of characters may run out of stack.
const KEY =
  /^(?:("(?:[^"\\]|\\.){0,4096}"|'(?:[^']|''){0,4096}')[ \t]*|([^"'{[|>:].*?)):(?=[ \t]|$)/
/** `|` keeps lines, `>` folds them; then indentation and what becomes of line breaks at the end. */
const TEXT_MARK = /^([|>])([1-9]?)([+-]?)([1-9]?)(?:\s+#.*)?\s*$/
/** The end of a line behind which the next one may be joined to it: neither of them is indented. */
const FOLDED = /(?<=^[^ \t\n].*)\n+(?=[^ \t\n])/gm

/**
 * The value that a text spells in YAML; undefined when it is not YAML. A schema says what plain words
 * are; without one they say it themselves. Never throws.
 */
export function readYaml(
  source: string,
  schema?: SchemaView,
  repairs: Repair[] = [],
): JsonValue | undefined {
  const lines = linesOf(source)
  let at = 0
  let depth = 0
  let isYaml = true

  function refuse(): null {
    isYaml = false
    at = lines.length
    return null
  }

  /** The next line with anything on it. */
  function peek(): Line | undefined {
    let line = lines[at]
    while (line && isBlank(restOf(line))) line = lines[++at]
    return line
  }

  function readBlock(min: number, view: SchemaView | undefined): JsonValue {
    const line = peek()
    if (!line || line.indent < min) return null
    if (++depth > MAX_DEPTH) return refuse()
    const read = isDash(line) ? readList : keyOf(line) ? readMap : undefined
    const value = read ? read(line.indent, view) : readInline(line, min - 1, view)
    depth--
    return value
  }

  function readList(indent: number, view: SchemaView | undefined): JsonValue {
    const items: JsonValue[] = []
    for (let line = peek(); line?.indent === indent && isDash(line); line = peek()) {
      pass(line, 1)
      items.push(readBlock(indent + 1, view?.item(items.length)))
    }
    return endAt(indent, items)
  }

  function readMap(indent: number, view: SchemaView | undefined): JsonValue {
    const entries = new Map<string, JsonValue>()
    for (let line = peek(); line?.indent === indent; line = peek()) {
      const key = keyOf(line)
      if (!key) break
      if (entries.has(key.name)) return refuse()
      pass(line, key.length)
      entries.set(key.name, readEntry(line, indent, view?.property(key.name)))
    }
    // Not by assignment: a key may be `__proto__`.
    return endAt(indent, Object.fromEntries(entries))
  }

  function readEntry(line: Line, indent: number, view: SchemaView | undefined): JsonValue {
    if (!isBlank(restOf(line))) return readInline(line, indent, view)
    const next = peek()
    // A list may stand as far out as its key.
    const isList = next?.indent === indent && isDash(next)
    return isList ? readList(indent, view) : readBlock(indent + 1, view)
  }

  /** No line may follow that is further in and belongs to nothing. */
  function endAt(indent: number, value: JsonValue): JsonValue {
    const next = peek()
    return next && next.indent > indent ? refuse() : value
  }

  /** A value on the line of its key or dash, which is indented by `indent`. */
  function readInline(line: Line, indent: number, view: SchemaView | undefined): JsonValue {
    const start = line.from + line.indent
    const first = source.charAt(start)
    if ('"\''.includes(first)) return readClosed(readQuoted(source, start))
    if ('{['.includes(first)) return readClosed(readBrackets(source, start))
    at++
    const mark = TEXT_MARK.exec(restOf(line))
    return mark ? readText(mark, indent) : plainValue(readPlain(line, indent), view, repairs)
  }

  /** Nothing but a comment may stand behind a value in brackets or quotes. */
  function readClosed(read: Read | undefined): JsonValue {
    if (!read) return refuse()
    let line = lines[at]
    while (line && line.from + line.text.length < read.end) line = lines[++at]
    at++
    const rest = line ? line.text.slice(read.end - line.from) : ''
    return isBlank(rest.trim()) ? read.value : refuse()
  }

  function readPlain(line: Line, indent: number): string {
    const parts = [restOf(line)]
    for (let next = lines[at]; next; next = lines[++at]) {
      const rest = restOf(next)
      if (rest !== '' && (next.indent <= indent || isBlank(rest))) break
      // Lines among which one looks like a key are no words but code or the like, to be kept as lines.
      if (rest !== '' && (keyOf(next) || keyOf(line))) refuse()
      parts.push(rest)
    }
    return fold(parts.map(withoutComment).join('\n').trim())
  }

  function readText([, style, before, chomp, behind]: string[], parent: number): string {
    const given = before || behind
    const texts: string[] = []
    let indent = given ? parent + Number(given) : undefined
    for (let line = lines[at]; line; line = lines[++at]) {
      if (restOf(line) !== '') {
        indent ??= line.indent
        if (line.indent < indent || line.indent <= parent) break
      }
      texts.push(line.text.slice(indent ?? line.indent))
    }
    return joinLines(texts, style === '>', chomp)
  }

  const value = readBlock(0, schema)
  return isYaml && !peek() ? value : undefined
}

/** The lines of the first document, without the marks around it. */
function linesOf(source: string): Line[] {
  const lines: Line[] = []
  let from = 0
  let begun = false
  for (const whole of source.split(/\n(?!$)/)) {
    const text = whole.replace(/\r?\n?$/, '')
    const isMark = DOCUMENT_MARK.test(text)
    if (isMark && begun) break
    const indent = text.search(/[^ \t]|$/)
    begun ||= !isMark && indent < text.length
    if (!isMark) lines.push({ from, text, indent })
    from += whole.length + 1
  }
  return lines
}

function restOf({ text, indent }: Line): string {
  return text.slice(indent)
}

function isBlank(rest: string): boolean {
  return rest === '' || rest.startsWith('#')
}

function isDash(line: Line): boolean {
  return DASH.test(restOf(line))
}

/** The key at the beginning of a line, and its length with its colon. */
function keyOf(line: Line): { readonly name: string; readonly length: number } | undefined {
  const [whole = '', quoted, plain] = KEY.exec(restOf(line)) ?? []
  if (whole === '' || (plain && /[ \t]#/.test(plain))) return undefined
  return { name: quoted ? quotedText(quoted) : (plain?.trimEnd() ?? ''), length: whole.length }
}

/** What was read of a line is no more than indentation to the rest. */
function pass(line: Line, length: number): void {
  line.indent += length
  line.indent += restOf(line).search(/[^ \t]|$/)
}

/** The tolerant reader knows words without quotes, comments and commas too many. */
function readBrackets(source: string, at: number): Read | undefined {
  const { json, end, complete } = readBroken(source, at, true, { maxDepth: MAX_DEPTH }, [])
  return complete && json !== undefined ? { value: toValue(json), end } : undefined
}

/** The quoted text that begins at `at`; `''` inside single quotes is one of them. */
function readQuoted(source: string, at: number): Read | undefined {
  const quote = source.charAt(at)
  for (let i = at + 1; i < source.length; i++) {
    const isClosing = source.charAt(i) === quote
    const isPair = quote === '"' ? source.charAt(i) === '\\' : source.startsWith("''", i)
    if (isPair) i++
    else if (isClosing) return { value: quotedText(source.slice(at, i + 1)), end: i + 1 }
  }
  return undefined
}

function quotedText(quoted: string): string {
  if (quoted.startsWith("'")) return fold(quoted.slice(1, -1)).replaceAll("''", "'")
  // A backslash before a line break removes it.
  const joined = quoted.replace(/\\(?:\r?\n[ \t]*|[\s\S])/g, (pair) =>
    /\n/.test(pair) ? '' : pair,
  )
  return unquote(fold(joined)) ?? joined
}

/** A line break is a space, an empty line a line break. */
function fold(text: string): string {
  const [first = '', ...others] = text.split('\n')
  const last = others.pop()
  if (last === undefined) return text
  const lines = [first.trimEnd(), ...others.map((line) => line.trim()), last.trimStart()]
  return joinFolded(lines.join('\n'), /\n+/g)
}

function joinFolded(text: string, breaks: RegExp): string {
  return text.replace(breaks, (found) => found.slice(1) || ' ')
}

/** The text that lines without their indentation stand for. */
function joinLines(lines: readonly string[], isFolded: boolean, chomp: string | undefined): string {
  const length = lines.findLastIndex((line) => line !== '') + 1
  const text = lines.slice(0, length).join('\n')
  const breaks = chomp === '-' ? 0 : Math.min(length, 1)
  const more = chomp === '+' ? lines.length - length : 0
  return (isFolded ? joinFolded(text, FOLDED) : text) + '\n'.repeat(breaks + more)
}

function withoutComment(text: string): string {
  const found = text.search(/[ \t]#/)
  return (found === -1 ? text : text.slice(0, found)).trim()
}

function plainValue(text: string, view: SchemaView | undefined, repairs: Repair[]): JsonValue {
  // A home directory is a text.
  if (/^(?:null)?$/i.test(text) || (text === '~' && !view?.accepts('string'))) return null
  if (!view) return plainWord(text)
  const typed = view.read(text)
  repairs.push(...typed.repairs)
  return typed.value
}

function plainWord(text: string): JsonValue {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  const number = parseStrict(text)
  return typeof number === 'number' ? number : text
}
