/**
 * Reads the arguments of a Python call as they arrive, from behind `(` to behind `)`, and hands them
 * on as JSON.
 *
 *     city='Oslo', days=[1, 2], options={'wind': True, 'unit': None})
 *
 * The spelling of JSON is understood as well, and what models get wrong most: quotes that are not
 * escaped, line breaks in strings, words without quotes.
 */
import type { Repair } from '../issue.ts'
import { BACKSLASH } from '../json/codes.ts'
import { toValue } from '../json/read.ts'
import type { JsonKind } from '../json/reader.ts'
import { isJsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import type { CallDraft, CallEnding, ReadContext } from '../protocol.ts'
import { propertyOrder } from '../schema/resolve.ts'
import { createArgumentSink } from './argument-sink.ts'
import { createBlanks } from './python-blanks.ts'
import { LONGEST_ESCAPE, readEscape } from './python-escape.ts'
import { END_OF_REPLY, type EndsString, type Place, QUOTE_WINDOW } from './python-quote.ts'
import { hasLeadingZeros, readWord } from './python-word.ts'
import { createSteps } from './steps.ts'

export interface PythonArguments {
  /** The next call begins; one reader does for all of a reply's calls. */
  begin(draft: CallDraft | undefined, strict: boolean): void
  read(text: string, at: number, last: boolean): number
  readonly state: 'open' | 'done' | 'failed'
  ending(): Pick<CallEnding, 'json' | 'repairs' | 'raw' | 'streamed'>
}

export interface PythonSyntax {
  readonly endsString: EndsString
  /** Does a marker stand here that ends the calls, whatever is still open? */
  isCloser(text: string, at: number, last: boolean): boolean | undefined
}

/** A bracket that is open. Braces and parentheses show what they are behind their first value. */
interface Container {
  kind: 'list' | 'dict' | 'braces' | 'parentheses'
  readonly close: string
  /** Values or members so far. */
  size: number
  /** In a dict: a key is next. */
  atKey: boolean
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' }
/** What ends a word, or may; brackets and quotes show that it is more than a word. */
const WORD_ENDS = ',)]}\n"\'([{<`'
const PREFIX = /^[rbfu]{1,2}$/i

export function createPythonArguments(context: ReadContext, syntax: PythonSyntax): PythonArguments {
  const steps = createSteps<'done' | 'failed'>(beforeValue)
  const skipBlanks = createBlanks()
  let schema: JsonSchema | undefined
  /** True when words without quotes are names in a program and no values. */
  let strict = false
  let sink = createArgumentSink(context, undefined)
  let raw: string[] = []
  let open: Container[] = []
  /** Values of which is not known yet what becomes of them; the innermost last. */
  let held: string[][] = []

  /** The name of the argument being read; undefined until it is known, and for `**` too. */
  let key: string | undefined
  let spreads = false
  const noted = new Set<Repair['code']>()
  const given = new Set<string>()
  /** The names of the tool's parameters, once they are asked for. */
  let order: string[] | undefined
  let position = 0
  let named = false

  function begin(draft: CallDraft | undefined, isStrict: boolean): void {
    schema = draft?.schema
    strict = isStrict
    sink = createArgumentSink(context, draft)
    raw = []
    open = []
    held = []
    key = undefined
    spreads = false
    noted.clear()
    given.clear()
    order = undefined
    position = 0
    named = false
    steps.step = beforeValue
    steps.state = 'open'
  }

  // ── telling ───────────────────────────────────────────────────────────────────────────────────

  function put(piece: string): void {
    const inner = held.at(-1)
    if (inner) inner.push(piece)
    else sink.text(piece)
  }

  function takeHeld(): string {
    return (held.pop() ?? []).join('')
  }

  function putText(piece: string): void {
    if (piece !== '') put(JSON.stringify(piece).slice(1, -1))
  }

  function fail(at: number): number {
    steps.state = 'failed'
    return at
  }

  /** Once for each argument: false when the caller wants no such repair. */
  function note(code: Repair['code'], risk: Repair['risk']): boolean {
    const { repair } = context
    if (repair === 'off' || (repair === 'safe' && risk === 'guess')) return false
    if (!noted.has(code)) sink.repair({ code, path: key === undefined ? [] : [key], risk })
    noted.add(code)
    return true
  }

  function putName(name: string): void {
    put(`${given.size === 0 ? '{' : ','}${JSON.stringify(name)}:`)
    given.add(name)
    sink.key(1, name)
  }

  // ── arguments ─────────────────────────────────────────────────────────────────────────────────

  function endArgument(): boolean {
    if (key !== undefined) {
      sink.valueEnd(1, 0)
    } else if (!addWhole(takeHeld())) {
      return false
    }
    key = undefined
    spreads = false
    noted.clear()
    return true
  }

  /** An argument without a name: by its position, or all arguments in one dict. */
  function addWhole(json: string): boolean {
    const value = toValue(json)
    order ??= schema === undefined ? [] : propertyOrder(schema)
    const isDict = isJsonObject(value)
    if (spreads && !isDict) return false
    if (isDict && (spreads || holdsArguments(value, order))) {
      for (const [name, member] of Object.entries(value)) add(name, JSON.stringify(member))
      return true
    }
    const name = order.find((one) => !given.has(one))
    if (name !== undefined && !note('named-positional', 'guess')) return false
    add(name ?? `arg${position}`, json)
    position++
    return true
  }

  /** `f({'city': 'Oslo'})`, unless that is what the first parameter takes. */
  function holdsArguments(value: object, order: readonly string[]): boolean {
    if (given.size > 0) return false
    return order.length === 0 || Object.keys(value).some((name) => order.includes(name))
  }

  function add(name: string, json: string): void {
    putName(name)
    sink.valueStart(1, json.startsWith('"') ? 'string' : 'scalar')
    put(json)
    sink.valueEnd(1, 0)
  }

  /** What was read is the name of the argument. */
  function nameArgument(at: number): number {
    const name = toValue(takeHeld())
    if (typeof name !== 'string') return fail(at)
    key = name
    named = true
    putName(name)
    steps.step = beforeValue
    return at + 1
  }

  function finish(end: number): number {
    put(given.size === 0 ? '{}' : '}')
    steps.state = 'done'
    return end
  }

  // ── values ────────────────────────────────────────────────────────────────────────────────────

  function place(): Place {
    const around = open.at(-1)
    if (!around) return named || spreads ? 'named' : 'argument'
    if (around.kind === 'dict') return around.atKey ? 'key' : 'member'
    return around.kind === 'braces' ? 'key' : 'item'
  }

  /** True where a word may turn out to be a name or key. */
  function mayBeKey(): boolean {
    const around = open.at(-1)
    if (!around) return key === undefined && !spreads
    return around.kind === 'braces' || (around.kind === 'dict' && around.atKey)
  }

  function beginValue(kind: JsonKind): void {
    const around = open.at(-1)
    if (!around) {
      if (key === undefined) held.push([])
      else sink.valueStart(1, kind)
    } else if (around.kind === 'list') {
      if (around.size > 0) put(',')
    } else if (around.kind !== 'dict' || around.atKey) {
      held.push([])
    }
  }

  function endValue(): void {
    const around = open.at(-1)
    if (around) around.size++
    steps.step = afterValue
  }

  function beforeValue(text: string, at: number, last: boolean): number {
    const i = skipBlanks(text, at)
    if (i === text.length) return i
    const first = text.charAt(i)
    if (first === '"' || first === "'") {
      beginValue('string')
      put('"')
      return openString(i, false)
    }
    if (CLOSING[first]) return openContainer(first, i)
    const around = open.at(-1)
    if (first === around?.close) {
      // A key without its value.
      if (around.kind === 'dict' && !around.atKey) return fail(i)
      return closeContainer(around, i)
    }
    if (first === ')' && open.length === 0 && key === undefined && !spreads) return finish(i + 1)
    if (first === '*' && mayBeKey()) return readStars(text, i, last)
    if (',=:)]}'.includes(first)) return fail(i)
    word = ''
    steps.step = inWord
    return i
  }

  /** `**{'city': 'Oslo'}` */
  function readStars(text: string, at: number, last: boolean): number {
    if (at + 1 === text.length && !last) return at
    if (open.length > 0 || text.charAt(at + 1) !== '*') return fail(at)
    spreads = true
    return at + 2
  }

  function afterValue(text: string, at: number, last: boolean): number {
    const i = skipBlanks(text, at)
    if (i === text.length) return i
    const next = text.charAt(i)
    const around = open.at(-1)
    if (next === ',') {
      if (around ? !goOn(around) : !endArgument()) return fail(i)
      steps.step = beforeValue
      return i + 1
    }
    if (next === (around?.close ?? ')')) {
      if (around) return isComplete(around) ? closeContainer(around, i) : fail(i)
      return endArgument() ? finish(i + 1) : fail(i)
    }
    if ((next === ':' || next === '=') && held.length > 0) {
      if (around) return nameMember(around, i)
      if (!spreads) return nameArgument(i)
    }
    const closed = syntax.isCloser(text, i, last)
    if (closed === undefined) return i
    return closed ? closeAll(i) : fail(i)
  }

  // ── containers ────────────────────────────────────────────────────────────────────────────────

  function openContainer(bracket: string, at: number): number {
    if (open.length >= context.limits.maxDepth) return fail(at)
    beginValue(bracket === '{' ? 'object' : 'array')
    if (bracket === '[') put('[')
    const kind = bracket === '[' ? 'list' : bracket === '{' ? 'braces' : 'parentheses'
    open.push({ kind, close: CLOSING[bracket] ?? '', size: 0, atKey: true })
    steps.step = beforeValue
    return at + 1
  }

  /** False behind a key that has no value. */
  function isComplete({ kind, atKey }: Container): boolean {
    return kind !== 'dict' || !atKey
  }

  /** Behind a comma: what has no key so far is a list. */
  function goOn(around: Container): boolean {
    if (!isComplete(around)) return false
    if (around.kind === 'dict') {
      around.atKey = true
    } else if (around.kind !== 'list') {
      const first = takeHeld()
      put(`[${first}`)
      around.kind = 'list'
    }
    return true
  }

  function nameMember(around: Container, at: number): number {
    if (around.kind !== 'braces' && !(around.kind === 'dict' && around.atKey)) return fail(at)
    const json = takeHeld()
    if (/^[[{]/.test(json)) return fail(at)
    const separator = around.kind === 'braces' ? '{' : ','
    put(`${separator}${json.startsWith('"') ? json : JSON.stringify(json)}:`)
    around.kind = 'dict'
    around.atKey = false
    steps.step = beforeValue
    return at + 1
  }

  function closeContainer({ kind, size }: Container, at: number): number {
    open.pop()
    if (kind === 'list') put(']')
    else if (kind === 'dict') put('}')
    else if (size === 0) put(kind === 'braces' ? '{}' : '[]')
    else {
      // One value in parentheses is that value; in braces it is a set.
      const first = takeHeld()
      put(kind === 'braces' ? `[${first}]` : first)
    }
    endValue()
    return at + 1
  }

  /** The calls end here, with brackets still open. */
  function closeAll(at: number): number {
    if (!note('added-bracket', 'guess')) return fail(at)
    for (const container of open.toReversed()) {
      if (!isComplete(container)) return fail(at)
      closeContainer(container, at)
    }
    return endArgument() ? finish(at) : fail(at)
  }

  // ── words ─────────────────────────────────────────────────────────────────────────────────────

  let word = ''

  function inWord(text: string, at: number, last: boolean): number {
    const ends = mayBeKey() ? `${WORD_ENDS}=:` : WORD_ENDS
    let end = at
    while (end < text.length && !ends.includes(text.charAt(end))) end++
    word += text.slice(at, end)
    if (end === text.length) return end
    const next = text.charAt(end)
    if (next === '<' || next === '`') return inWordAtMarker(text, end, last)
    if (next === '"' || next === "'") {
      if (!PREFIX.test(word)) return fail(end)
      beginValue('string')
      put('"')
      return openString(end, /r/i.test(word))
    }
    return CLOSING[next] ? fail(end) : endWord(end)
  }

  function inWordAtMarker(text: string, at: number, last: boolean): number {
    const closed = syntax.isCloser(text, at, last)
    if (closed === undefined) return at
    if (closed) return endWord(at)
    word += text.charAt(at)
    return at + 1
  }

  function endWord(at: number): number {
    word = word.replace(/\s#.*$/, '').trim()
    steps.step = afterWord
    return at
  }

  /** Behind a word that may be a name, which the next character shows. */
  function afterWord(text: string, at: number): number {
    const i = mayBeKey() ? skipBlanks(text, at) : at
    if (i === text.length) return i
    const isKey = mayBeKey() && '=:'.includes(text.charAt(i))
    const json = isKey ? JSON.stringify(word) : wordJson()
    if (json === undefined) return fail(i)
    beginValue(json.startsWith('"') ? 'string' : 'scalar')
    put(json)
    endValue()
    return i
  }

  function wordJson(): string | undefined {
    if (word === '') return undefined
    const { json, repair } = readWord(word)
    if (!repair) return json
    if (strict && repair === 'quoted-string') return undefined
    if (!note(repair, 'guess')) return undefined
    return hasLeadingZeros(word) && isText() ? JSON.stringify(word) : json
  }

  /** `zip=02134` where the tool takes text. */
  function isText(): boolean {
    if (open.length > 0 || key === undefined || schema === undefined) return false
    return context.fit?.view(schema)?.property(key)?.accepts('string') ?? false
  }

  // ── strings ───────────────────────────────────────────────────────────────────────────────────

  let quote = ''
  let triple = false
  let isRaw = false
  let hasInner = false

  function openString(at: number, asRaw: boolean): number {
    quote = ''
    isRaw = asRaw
    hasInner = false
    steps.step = atQuote
    return at
  }

  function atQuote(text: string, at: number, last: boolean): number {
    if (at + 2 >= text.length && !last) return at
    quote = text.charAt(at)
    triple = text.startsWith(quote.repeat(3), at)
    steps.step = inString
    return at + (triple ? 3 : 1)
  }

  function inString(text: string, at: number, last: boolean): number {
    const end = nextSpecial(text, at)
    const piece = text.slice(at, end)
    if (!triple && piece.includes('\n') && !note('escaped-control', 'safe')) return fail(at)
    putText(piece)
    if (end === text.length) return end
    return text.charCodeAt(end) === BACKSLASH ? inEscape(text, end, last) : atEnd(text, end, last)
  }

  /** The next quote of this kind or backslash. */
  function nextSpecial(text: string, at: number): number {
    const code = quote.charCodeAt(0)
    let i = at
    for (; i < text.length; i++) {
      const next = text.charCodeAt(i)
      if (next === code || next === BACKSLASH) break
    }
    return i
  }

  function inEscape(text: string, at: number, last: boolean): number {
    if (at + LONGEST_ESCAPE > text.length && !last) return at
    const { length, value } = readEscape(text, at)
    // In a raw string a backslash only keeps the quote behind it from closing.
    const end = at + (isRaw ? Math.min(2, text.length - at) : length)
    putText(isRaw ? text.slice(at, end) : value)
    return end
  }

  function atEnd(text: string, at: number, last: boolean): number {
    const size = triple ? 3 : 1
    const ends = triple ? tripleEnds(text, at, last) : singleEnds(text, at + 1, last)
    if (ends === undefined) return at
    if (ends) {
      steps.step = afterString
      return at + size
    }
    if (!triple && !note('escaped-quote', 'guess')) return fail(at)
    hasInner = true
    putText(quote)
    return at + 1
  }

  function tripleEnds(text: string, at: number, last: boolean): boolean | undefined {
    if (text.startsWith(quote.repeat(3), at)) return true
    const begins = at + 2 >= text.length && quote.repeat(3).startsWith(text.slice(at))
    return begins && !last ? undefined : false
  }

  function singleEnds(text: string, at: number, last: boolean): boolean | undefined {
    const ahead = text.slice(at, at + QUOTE_WINDOW)
    const isLast = last && at + QUOTE_WINDOW >= text.length
    return syntax.endsString(place(), isLast ? ahead + END_OF_REPLY : ahead, hasInner)
  }

  /** Strings one after another are one. */
  function afterString(text: string, at: number, last: boolean): number {
    const i = skipBlanks(text, at)
    if (i === text.length && !last) return i
    const ahead = text.slice(i, i + 3)
    const prefix = /^[rbfu]{0,2}(?=["'])/i.exec(ahead)?.[0]
    if (prefix !== undefined) return openString(i + prefix.length, /r/i.test(prefix))
    if (ahead.length < 3 && !last && /^[rbfu]*$/i.test(ahead)) return i
    if (ahead.startsWith('+')) return i + 1
    put('"')
    endValue()
    return i
  }

  return {
    begin,
    read(text, at, last) {
      const end = steps.read(text, at, last)
      raw.push(text.slice(at, end))
      return end
    },
    get state() {
      return steps.state
    },
    ending: () => ({
      json: sink.json(),
      repairs: sink.repairs,
      raw: raw.join('').replace(/\)$/, ''),
      streamed: sink.streamed,
    }),
  }
}
