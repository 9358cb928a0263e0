/**
 * The argument syntax of the Gemma family, read into JSON: keys without quotes, text between
 * delimiters that nothing inside has to be escaped for.
 *
 *     {city:<|"|>Oslo<|"|>,days:3,tags:[<|"|>coast<|"|>],deep:{on:true}}
 *
 * Models slip into JSON's or Python's quotes, or write text without any; they forget a delimiter or a
 * brace. What ends a value is then seen from what follows it, within a fixed window.
 */
import type { Repair, RepairCode } from '../issue.ts'
import { readScalar } from '../json/bare-word.ts'
import type { JsonKind, JsonSink } from '../json/reader.ts'
import type { SchemaView } from '../options.ts'
import { skipSpace } from './characters.ts'
import { beforeBrackets, createLiteralText, type LiteralSyntax } from './literal-text.ts'
import { createSteps, type Steps } from './steps.ts'

export interface LiteralOptions {
  readonly syntax: LiteralSyntax
  /** What the tool's schema says, which types what stands without quotes. */
  readonly view: SchemaView | undefined
  /** Whether a departure of this risk may be repaired. */
  allows(risk: Repair['risk']): boolean
  readonly maxDepth: number
}

/** An object or array that is not closed yet. */
interface Container {
  readonly close: string
  readonly view: SchemaView | undefined
  size: number
}

export interface LiteralReader extends Steps<'done' | 'failed'> {
  readonly tooDeep: boolean
}

const MAX_KEY = 128
/** How far behind a comma its meaning may lie. */
const WINDOW = 96

const KEY_END = /[:,{}[\]<>"']/
/** What follows a comma between members. `http://` is no key. */
const MEMBER = /^\s*(?:[}\]]|(?:[\p{L}_$][\w$.-]*|"[^"]*"|'[^']*')\s*:\/?[^/])/u
/** What follows a comma behind a number or a literal, which no text goes on with. */
const AFTER_SCALAR = /^\s*["'<,}\]]/
const MAX_SCALAR = 64
const BARE_STOP = /[,(){}[\]<]/g

/** Reads the value that begins where it is first asked to read, and tells it to `sink` as JSON. */
export function createLiteralReader(
  sink: Required<JsonSink>,
  options: LiteralOptions,
): LiteralReader {
  const { syntax, maxDepth } = options
  const { quote, markAt } = syntax
  const steps = createSteps<'done' | 'failed'>(readValue)
  const reader = Object.assign(steps, { tooDeep: false })
  /** The outermost first. */
  const stack: Container[] = []
  /** The key in the innermost object, and that in the outermost. */
  let key = ''
  let outerKey = ''
  /** True behind a value that was no delimited text, where a delimiter is one too many. */
  let loose = false
  let noted = ''

  function fail(): void {
    steps.state = 'failed'
  }

  function note(code: RepairCode, risk: Repair['risk']): void {
    if (!options.allows(risk)) return fail()
    // One slip often comes in numbers; once for each argument is enough.
    const news = `${code} ${outerKey}`
    if (news !== noted) sink.repair({ code, path: stack.length > 0 ? [outerKey] : [], risk })
    noted = news
  }

  // ── containers ────────────────────────────────────────────────────────────────────────────────

  /** The closing brackets that are to come, the outermost first. */
  function brackets(): string[] {
    return stack.map((container) => container.close)
  }

  function inObject(): boolean {
    return stack.at(-1)?.close === '}'
  }

  /** What the schema says about the value that comes next. */
  function viewHere(): SchemaView | undefined {
    const container = stack.at(-1)
    if (!container) return options.view
    return inObject() ? container.view?.property(key) : container.view?.item(container.size)
  }

  function beginValue(kind: JsonKind): void {
    if (!inObject() && stack.at(-1)?.size) sink.text(',')
    sink.valueStart(stack.length, kind)
  }

  function endValue(end: number): void {
    const container = stack.at(-1)
    if (container) container.size++
    else if (steps.state === 'open') steps.state = 'done'
    sink.valueEnd(stack.length, end)
    steps.step = readNext
  }

  function open(bracket: string): void {
    const isObject = bracket === '{'
    beginValue(isObject ? 'object' : 'array')
    sink.text(bracket)
    stack.push({ close: isObject ? '}' : ']', view: viewHere(), size: 0 })
    steps.step = isObject ? readKey : readValue
    reader.tooDeep = stack.length > maxDepth
    if (reader.tooDeep) fail()
  }

  function pop(end: number): void {
    sink.text(stack.pop()?.close ?? '')
    loose = false
    endValue(end)
  }

  /** A closing bracket: of the innermost container, of one further out, or of none. */
  function closeBracket(bracket: string, at: number): number {
    if (stack.at(-1)?.close === bracket) {
      pop(at + 1)
      return at + 1
    }
    if (!stack.some((container) => container.close === bracket)) {
      note('dropped-bracket', 'guess')
      return at + 1
    }
    note('added-bracket', 'guess')
    pop(at)
    return at
  }

  /** The call is closed with containers still open. */
  function closeAll(at: number): number {
    note('added-bracket', 'guess')
    while (stack.length > 0) pop(at)
    return at
  }

  // ── keys ──────────────────────────────────────────────────────────────────────────────────────

  function readKey(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at, text.length)
    const first = text.charAt(i)
    if (first === '') return i
    if (first === '}') return closeBracket(first, i)
    if (first === ',') {
      note('dropped-comma', 'safe')
      return i + 1
    }
    if (first === '"' || first === "'") return beginText(first, true, i)
    const mark = markAt(text, i, last)
    if (mark === undefined) return i
    if (mark === 'quote') return beginText(quote, true, i)
    if (mark === 'close') return closeAll(i)
    const window = text.slice(i, i + MAX_KEY)
    const length = window.search(KEY_END)
    if (length === -1 && window.length < MAX_KEY && !last) return i
    if (length < 1 || window.charAt(length) !== ':') {
      fail()
      return i
    }
    setKey(window.slice(0, length).trimEnd())
    return i + length + 1
  }

  function setKey(name: string): void {
    key = name
    if (stack.length === 1) outerKey = name
    sink.text(`${stack.at(-1)?.size ? ',' : ''}${JSON.stringify(name)}:`)
    sink.key(stack.length, name)
    steps.step = readValue
  }

  function readColon(text: string, at: number): number {
    const i = skipSpace(text, at, text.length)
    if (i === text.length) return i
    if (text.charAt(i) === ':') setKey(key)
    else fail()
    return i + 1
  }

  // ── values ────────────────────────────────────────────────────────────────────────────────────

  function readValue(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at, text.length)
    const first = text.charAt(i)
    if (first === '') return i
    if (first === '{' || first === '[') {
      open(first)
      return i + 1
    }
    if (first === '"' || first === "'") return beginText(first, false, i)
    if (first === ']' && !inObject()) return closeBracket(first, i)
    const mark = markAt(text, i, last)
    if (mark === undefined) return i
    if (mark === 'quote') return beginText(quote, false, i)
    if (mark === 'close' && !inObject()) return closeAll(i)
    if (mark === 'close') fail()
    steps.step = createBare()
    return i
  }

  function readNext(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at, text.length)
    const next = text.charAt(i)
    if (next === '') return i
    if (next === ',') {
      steps.step = inObject() ? readKey : readValue
      return i + 1
    }
    if (next === '}' || next === ']') return closeBracket(next, i)
    const mark = markAt(text, i, last)
    if (mark === undefined) return i
    if (mark === 'close') return closeAll(i)
    if (mark === 'quote' && loose) {
      loose = false
      note('replaced-quotes', 'safe')
      return i + quote.length
    }
    const member = inObject() && isMember(text, i, last)
    if (member === undefined) return i
    if (member) {
      note('added-comma', 'safe')
      steps.step = readKey
    } else fail()
    return i
  }

  // ── text ──────────────────────────────────────────────────────────────────────────────────────

  function beginText(mark: string, isKey: boolean, at: number): number {
    if (mark === "'") note('replaced-quotes', 'safe')
    loose = mark !== quote
    const parts: string[] = []
    const literalText = createLiteralText(syntax, mark, {
      isKey,
      note,
      brackets,
      text(piece) {
        if (isKey) parts.push(piece)
        else sink.text(JSON.stringify(piece).slice(1, -1))
      },
    })
    if (!isKey) {
      beginValue('string')
      sink.text('"')
    }
    steps.step = (text, from, last) => {
      const end = literalText.read(text, from, last)
      if (literalText.state === 'failed') fail()
      if (literalText.state !== 'done') return end
      if (isKey) {
        key = parts.join('')
        steps.step = readColon
      } else {
        sink.text('"')
        endValue(end)
      }
      return end
    }
    return at + mark.length
  }

  // ── values without quotes ─────────────────────────────────────────────────────────────────────

  /** Brackets inside are counted, so that `f(a, b)` and `{a}` are parts of a text. */
  function createBare(): (text: string, at: number, last: boolean) => number {
    const parts: string[] = []
    let size = 0
    let depth = 0

    function add(part: string): void {
      parts.push(part)
      size += part.length
    }

    function end(at: number): number {
      let raw = parts.join('').trim()
      // Only the closer ended it: the last brackets may be those of the containers.
      if (depth > 0) raw = raw.slice(0, beforeBrackets(raw, 0, raw.length, brackets()))
      putScalar(raw, at)
      return at
    }

    return function readBare(text, at, last) {
      BARE_STOP.lastIndex = at
      const i = BARE_STOP.exec(text)?.index ?? text.length
      if (i > at) add(text.slice(at, i))
      const stop = text.charAt(i)
      if (stop === '') return i
      const ends = endsBare(text, i, last)
      if (ends === undefined) return i
      if (ends) return end(i)
      add(stop)
      if ('([{'.includes(stop)) depth++
      else if (')]}'.includes(stop) && depth > 0) depth--
      return i + 1
    }

    function endsBare(text: string, at: number, last: boolean): boolean | undefined {
      const stop = text.charAt(at)
      if (stop === '<') {
        const mark = markAt(text, at, last)
        return mark === undefined ? undefined : mark !== ''
      }
      if (depth > 0) return false
      if (stop === ',') return !inObject() || endsMember(text, at + 1, last)
      return stack.some((container) => container.close === stop)
    }

    function endsMember(text: string, at: number, last: boolean): boolean | undefined {
      const isScalar = size <= MAX_SCALAR && readScalar(parts.join('').trim()) !== undefined
      return (
        (isScalar && AFTER_SCALAR.test(text.slice(at, at + WINDOW))) || isMember(text, at, last)
      )
    }
  }

  function putScalar(raw: string, end: number): void {
    const typed = viewHere()?.read(raw)
    typed?.repairs.forEach(sink.repair)
    const json = typed ? JSON.stringify(typed.value) : scalarOf(raw)
    beginValue(json.startsWith('"') ? 'string' : 'scalar')
    sink.text(json)
    loose = true
    endValue(end)
  }

  function scalarOf(raw: string): string {
    if (raw === '') {
      note('added-null', 'guess')
      return 'null'
    }
    const scalar = readScalar(raw)
    if (scalar?.code) note(scalar.code, scalar.risk)
    if (scalar) return scalar.text
    note('quoted-string', 'guess')
    return JSON.stringify(raw)
  }

  return reader
}

/** Whether the next member, or the end of the object, stands at `at`; undefined: not known yet. */
function isMember(text: string, at: number, last: boolean): boolean | undefined {
  const window = text.slice(at, at + WINDOW)
  if (MEMBER.test(window)) return true
  return last || window.length === WINDOW ? false : undefined
}
