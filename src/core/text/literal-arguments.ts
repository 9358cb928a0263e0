/**
 * Reads the arguments of a call as they arrive, from behind the opening bracket to behind the closing
 * one, and hands them on as JSON. Python and the syntax of the Gemma family are two spellings of one
 * thing; {@link LiteralSyntax} tells which it is.
 *
 *     city='Oslo', days=[1, 2], options={'wind': True, 'unit': None})
 *     city:<|"|>Oslo<|"|>,days:[1,2],options:{wind:true,unit:null}}
 *
 * The spelling of JSON is understood as well, and what models get wrong most: quotes that are not
 * escaped, line breaks in texts, words without quotes.
 */
import type { Repair, RepairCode } from '../issue.ts'
import { readScalar } from '../json/bare-word.ts'
import { escapeText } from '../json/escapes.ts'
import { toValue } from '../json/read.ts'
import type { JsonKind } from '../json/reader.ts'
import { isJsonObject } from '../json/value.ts'
import type { SchemaView } from '../options.ts'
import type { CallDraft, CallEnding, ReadContext } from '../protocol.ts'
import { nextMember } from '../schema/argument-stream.ts'
import { propertyOrder } from '../schema/resolve.ts'
import { createArgumentSink } from './argument-sink.ts'
import { createBlanks } from './blanks.ts'
import { createLiteralText, type LiteralSyntax, pieceAt } from './literal-text.ts'
import { markerAt } from './marker.ts'
import type { Place } from './quote-end.ts'
import { createSteps, type Step } from './steps.ts'

type Outcome = 'done' | 'failed' | 'too-deep'

export interface LiteralArguments {
  read(text: string, at: number, last: boolean): number
  readonly state: 'open' | Outcome
  ending(): Pick<CallEnding, 'json' | 'repairs' | 'raw' | 'streamed'>
}

/** A bracket that is open. */
interface Container {
  readonly close: string
  /** Python's braces show what they are behind their first value. */
  isDict: boolean
  /** In a dict: the key of the value that is read; undefined where a key is next. */
  key: string | undefined
  /** The values or members so far. */
  json: string
  size: number
  readonly view: SchemaView | undefined
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')' }
const PREFIX = /^[rbfu]{1,2}$/i
/** Up to what ends a word, or may; brackets and quotes show that it is more than a word. */
const WORD = /[^,)\]}\n"'([{<`]*/y
const NAME = /[^,)\]}\n"'([{<`=:]*/y
/** Zeros before a number, which Python does not allow. */
const LEADING_ZEROS = /^([+-]?)0+(?=[1-9])/

/** In text without quotes, up to what may end it. */
const LOOSE = /[^,(){}[\]<]*/y
/** What follows a comma behind a number or a literal, which no text goes on with. */
const AFTER_SCALAR = /^\s*["'<,]/
const MAX_SCALAR = 64
/** What follows a comma between members. `http://` is no key. */
const MEMBER = /^\s*(?:[}\]]|(?:[\p{L}_$][\w$.-]*|"[^"]*"|'[^']*')\s*:\/?[^/])/u
/** How far behind a comma its meaning may lie. */
const MEMBER_WINDOW = 96

/** In `strict` reading words without quotes are names in a program, and no values. */
export function createLiteralArguments(
  context: ReadContext,
  syntax: LiteralSyntax,
  draft: CallDraft | undefined,
  strict: boolean,
): LiteralArguments {
  const { delimiter, close: closer } = syntax
  const isPython = delimiter === ''
  const schema = draft?.schema
  const steps = createSteps<Outcome>(beforeValue)
  const skipBlanks = createBlanks(isPython)
  const markAt = markerAt([closer, delimiter])
  const target = { steps, put: putText, end: endText, fail, note, place, markAt, withoutBrackets }
  const openText = createLiteralText(syntax, target)
  const sink = createArgumentSink(context, draft)
  const raw: string[] = []

  const outermost = openContainer(
    isPython ? '(' : '{',
    true,
    schema === undefined ? undefined : context.fit?.view(schema),
  )
  const open = [outermost]
  let around = outermost
  /** The value that is read, as far as it is not told at once. */
  let value = ''
  /** Repairs of the argument that is read. */
  const noted = new Set<RepairCode>()

  const given = new Set<string>()
  /** Behind `**`. */
  let spreads = false

  // ── telling ───────────────────────────────────────────────────────────────────────────────────

  /** What belongs to a named argument is told at once; all else waits for what becomes of it. */
  function isTold(): boolean {
    return around === outermost && around.key !== undefined
  }

  function begin(kind: JsonKind): void {
    if (isTold()) sink.valueStart(1, kind)
  }

  function put(piece: string): void {
    if (isTold()) sink.text(piece)
    else value += piece
  }

  function putText(piece: string): void {
    put(escapeText(piece))
  }

  function putValue(json: string, end: number): number {
    begin('scalar')
    put(json)
    steps.step = afterValue
    return end
  }

  function takeValue(): string {
    const json = value
    value = ''
    return json
  }

  function fail(at: number): number {
    return steps.leave('failed', at)
  }

  /** Once for each argument: false when the caller wants no such repair. */
  function note(code: RepairCode, risk: Repair['risk']): boolean {
    const { repair } = context
    if (repair === 'off' || (repair === 'safe' && risk === 'guess')) return false
    const path = outermost.key === undefined ? [] : [outermost.key]
    if (!noted.has(code)) sink.repair({ code, path, risk })
    noted.add(code)
    return true
  }

  // ── values ────────────────────────────────────────────────────────────────────────────────────

  /** True where a key or a name may be next. */
  function isNaming(): boolean {
    const { close, isDict, key, json } = around
    if (close === ']' || key !== undefined || (spreads && around === outermost)) return false
    return isDict || json === ''
  }

  function place(): Place {
    const isNamed = around.key !== undefined
    if (isPython && around === outermost) return isNamed ? 'named' : 'argument'
    return isNamed ? 'member' : 'item'
  }

  /** What the schema says about the value that comes next. */
  function viewHere(): SchemaView | undefined {
    const { isDict, key = '', size, view } = around
    return isDict ? view?.property(key) : view?.item(size)
  }

  function beforeValue(text: string, at: number, last: boolean): number {
    const i = skipBlanks(text, at)
    const mark = markAt(text, i, last)
    if (i === text.length || mark === undefined) return i
    const first = text.charAt(i)
    if (first === '"' || first === "'" || (mark !== '' && mark === delimiter)) {
      return beginText(i, false)
    }
    if (CLOSING[first] && (isPython || first !== '(')) return openBracket(first, i)
    const naming = isNaming()
    if (naming || !around.isDict) {
      if (first === around.close) return closeBracket(i + 1)
      if (mark !== '') return closeAll(i)
    }
    if (isPython || naming) {
      if (first === ',' && !isPython && note('dropped-comma', 'safe')) return i + 1
      if (',=:)]}'.includes(first)) return fail(i)
    }
    if (isPython && first === '*' && around === outermost && around.key === undefined) {
      spreads = true
      return i + 1
    }
    word = ''
    nesting = 0
    steps.step = isPython || naming ? inWord : inLooseText
    return i
  }

  function afterValue(text: string, at: number, last: boolean): number {
    const i = skipBlanks(text, at)
    const mark = markAt(text, i, last)
    if (i === text.length || mark === undefined) return i
    const next = text.charAt(i)
    if (next === ',') return endItem(beforeValue) ? i + 1 : fail(i)
    if (next === around.close) return endAround(i)
    if ((next === ':' || next === '=') && isNaming()) return nameValue(i)
    if (mark !== '' && mark === closer) return endItem(afterValue) ? closeAll(i) : fail(i)
    return isPython ? fail(i) : mend(text, i, mark, last)
  }

  /** What models get wrong behind a value: a delimiter or a bracket too many, no comma. */
  function mend(text: string, at: number, mark: string, last: boolean): number {
    if (mark !== '') return note('replaced-quotes', 'safe') ? at + mark.length : fail(at)
    const next = text.charAt(at)
    if (next === '}' || next === ']') {
      const isOpen = open.some(({ close }) => close === next)
      if (!note(isOpen ? 'added-bracket' : 'dropped-bracket', 'guess')) return fail(at)
      if (!isOpen) return at + 1
      return endItem(afterValue) ? closeBracket(at) : fail(at)
    }
    const follows = around.isDict && memberFollows(text, at, last)
    if (follows === undefined) return at
    return follows && note('added-comma', 'safe') && endItem(beforeValue) ? at : fail(at)
  }

  // ── containers ────────────────────────────────────────────────────────────────────────────────

  function openBracket(bracket: string, at: number): number {
    if (open.length >= context.limits.maxDepth) return steps.leave('too-deep', at)
    around = openContainer(bracket, bracket === '{' && !isPython, viewHere())
    open.push(around)
    steps.step = beforeValue
    return at + 1
  }

  /** Behind the last value of a container. One value in parentheses is that value. */
  function endAround(at: number): number {
    const isValue = around.close === ')' && around !== outermost && around.json === ''
    return isValue || endItem(afterValue) ? closeBracket(at + 1) : fail(at)
  }

  function closeBracket(end: number): number {
    const { close, isDict, json } = around
    open.pop()
    if (around === outermost) {
      sink.text(given.size === 0 ? '{}' : '}')
      return steps.leave('done', end)
    }
    around = open.at(-1) ?? outermost
    const isObject = isDict || (json === '' && close === '}')
    return putValue(takeValue() || (isObject ? `{${json}}` : `[${json}]`), end)
  }

  /** The calls end here, with brackets still open. */
  function closeAll(at: number): number {
    if (!note('added-bracket', 'guess')) return fail(at)
    closeBracket(at)
    while (steps.state === 'open') {
      if (!endItem(afterValue)) return fail(at)
      closeBracket(at)
    }
    return at
  }

  /** A value is complete, and `next` comes; false when it cannot stand here. */
  function endItem(next: Step): boolean {
    steps.step = next
    const { isDict, key, json } = around
    if (isDict && key === undefined) {
      return isPython && around === outermost && addPosition(takeValue())
    }
    if (around === outermost) endArgument()
    else {
      const name = key === undefined ? '' : `${JSON.stringify(key)}:`
      around.json = `${json}${json === '' ? '' : ','}${name}${takeValue()}`
    }
    around.size++
    around.key = undefined
    return true
  }

  function nameValue(at: number): number {
    const json = takeValue()
    if (/^[[{]/.test(json)) return fail(at)
    const key = json.startsWith('"') ? String(toValue(json)) : json
    if (around === outermost) tellName(key)
    around.isDict = true
    around.key = key
    steps.step = beforeValue
    return at + 1
  }

  /** The text without the brackets at its end that close what is open. */
  function withoutBrackets(text: string): string {
    let rest = text
    for (const { close } of open) {
      const trimmed = rest.trimEnd()
      if (!trimmed.endsWith(close)) break
      rest = trimmed.slice(0, -1)
    }
    return rest
  }

  // ── arguments ─────────────────────────────────────────────────────────────────────────────────

  function tellName(name: string): void {
    sink.text(nextMember(given, name))
    sink.key(1, name)
  }

  function endArgument(): void {
    sink.valueEnd(1, 0)
    noted.clear()
    spreads = false
  }

  /** An argument without a name: by its position, or all arguments in one dict. */
  function addPosition(json: string): boolean {
    const whole = toValue(json)
    const order = schema === undefined ? [] : propertyOrder(schema)
    if (isJsonObject(whole) && (spreads || holdsArguments(whole, order))) {
      for (const [name, member] of Object.entries(whole)) add(name, JSON.stringify(member))
      return true
    }
    const name = order.find((one) => !given.has(one))
    if (spreads || (name !== undefined && !note('named-positional', 'guess'))) return false
    add(name ?? `arg${given.size}`, json)
    return true
  }

  /** `f({'city': 'Oslo'})`, unless that is what the first parameter takes. */
  function holdsArguments(whole: object, order: readonly string[]): boolean {
    if (given.size > 0) return false
    return order.length === 0 || Object.keys(whole).some((name) => order.includes(name))
  }

  function add(name: string, json: string): void {
    tellName(name)
    sink.valueStart(1, 'scalar')
    sink.text(json)
    endArgument()
  }

  // ── texts ─────────────────────────────────────────────────────────────────────────────────────

  function beginText(at: number, isRaw: boolean): number {
    begin('string')
    put('"')
    openText(isRaw)
    return at
  }

  function endText(end: number): number {
    put('"')
    steps.step = afterValue
    return end
  }

  // ── words ─────────────────────────────────────────────────────────────────────────────────────

  let word = ''
  /** Brackets that are open in text without quotes. */
  let nesting = 0

  function addToWord(pattern: RegExp, text: string, at: number): number {
    const piece = pieceAt(pattern, text, at)
    word += piece
    return at + piece.length
  }

  function inWord(text: string, at: number, last: boolean): number {
    const i = addToWord(isNaming() ? NAME : WORD, text, at)
    const mark = markAt(text, i, last)
    if (i === text.length || mark === undefined) return i
    const next = text.charAt(i)
    if (mark === '' && (next === '<' || next === '`')) {
      word += next
      return i + 1
    }
    if (next === '"' || next === "'") {
      return PREFIX.test(word) ? beginText(i, /r/i.test(word)) : fail(i)
    }
    if (CLOSING[next]) return fail(i)
    word = word.replace(/\s#.*$/, '').trim()
    const isKey = isNaming() && (next === '=' || next === ':')
    return putWord(isKey ? JSON.stringify(word) : wordJson(word), i)
  }

  function putWord(json: string | undefined, end: number): number {
    return json === undefined ? fail(end) : putValue(json, end)
  }

  /** Numbers and constants, in the spelling of Python or of JSON; undefined when it is no value. */
  function wordJson(text: string): string | undefined {
    const isNumber = isPython && !viewHere()?.accepts('string')
    const spelled = isNumber ? text.replace(LEADING_ZEROS, '$1') : text
    const scalar = readScalar(spelled)
    if (!scalar || spelled !== text || scalar.risk === 'guess') {
      const code = spelled === text ? (scalar?.code ?? 'quoted-string') : 'normalized-number'
      if (text === '' || (strict && code === 'quoted-string')) return undefined
      if (!note(code, 'guess')) return undefined
    }
    return scalar?.text ?? JSON.stringify(text)
  }

  // ── text without quotes ───────────────────────────────────────────────────────────────────────

  /** Brackets inside are counted, so that `f(a, b)` and `{a}` are parts of a text. */
  function inLooseText(text: string, at: number, last: boolean): number {
    const i = addToWord(LOOSE, text, at)
    const mark = markAt(text, i, last)
    if (i === text.length || mark === undefined) return i
    const stop = text.charAt(i)
    const ends = mark !== '' || endsLooseText(stop, text, i + 1, last)
    if (ends === undefined) return i
    if (ends) return endLooseText(i)
    if ('([{'.includes(stop)) nesting++
    else if (')]}'.includes(stop) && nesting > 0) nesting--
    word += stop
    return i + 1
  }

  function endsLooseText(
    stop: string,
    text: string,
    at: number,
    last: boolean,
  ): boolean | undefined {
    if (nesting > 0) return false
    if (stop !== ',') return open.some(({ close }) => close === stop)
    if (!around.isDict) return true
    const isScalar = word.length <= MAX_SCALAR && readScalar(word.trim()) !== undefined
    return (
      (isScalar && AFTER_SCALAR.test(text.slice(at, at + MEMBER_WINDOW))) ||
      memberFollows(text, at, last)
    )
  }

  function endLooseText(at: number): number {
    const trimmed = word.trim()
    // Only the closer ended it: the last brackets may be those of the containers.
    const text = nesting > 0 ? withoutBrackets(trimmed) : trimmed
    const typed = viewHere()?.read(text)
    typed?.repairs.forEach(sink.repair)
    if (typed) return putValue(JSON.stringify(typed.value), at)
    if (text === '' && note('added-null', 'guess')) return putValue('null', at)
    return putWord(wordJson(text), at)
  }

  return {
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
      raw: raw.join('').replace(/[)}]$/, ''),
      streamed: sink.streamed,
    }),
  }
}

function openContainer(bracket: string, isDict: boolean, view: SchemaView | undefined): Container {
  return { close: CLOSING[bracket] ?? '', isDict, key: undefined, json: '', size: 0, view }
}

/** Whether the next member, or the end of the dict, stands at `at`; undefined: not known yet. */
function memberFollows(text: string, at: number, last: boolean): boolean | undefined {
  const window = text.slice(at, at + MEMBER_WINDOW)
  if (MEMBER.test(window)) return true
  return last || window.length === MEMBER_WINDOW ? false : undefined
}
