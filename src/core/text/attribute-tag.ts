/**
 * Syntax factory: a call as one tag whose attributes hold the name and the arguments.
 *
 *     <tool_call name="get_weather" args='{"city": "Oslo"}' />
 *
 * The tag may also be a pair, with the arguments between the two.
 */
import { readSpelled } from '../arguments/spelled.ts'
import { checkObject } from '../caller-input.ts'
import { readJson } from '../json/read.ts'
import { parseObject } from '../json/strict.ts'
import { isJsonObject, type JsonObject } from '../json/value.ts'
import {
  type CallEnding,
  type Marker,
  NEED_MORE,
  type Opener,
  type ReadContext,
  type Reader,
} from '../protocol.ts'
import { anyCase, markerAnyCase } from './any-case.ts'
import { Call, missingCloser } from './call.ts'
import { decodeEntities } from './entities.ts'
import { followedBy } from './follows.ts'
import type { Tag } from './markup-tag.ts'
import { type Found, oneOf, patternReader, SPACE, sequence } from './pattern.ts'
import { createSteps, type Step } from './steps.ts'
import { createTagBody } from './tag-body.ts'

export interface AttributeTag {
  readonly tag: string
  /** The attribute that names the tool, or the tool that the tag itself stands for. */
  readonly name: { readonly attribute: string } | { readonly tool: string }
  /** The attribute with all arguments; without it every other attribute is an argument. */
  readonly arguments?: string
  /** Arguments the call cannot do without. */
  readonly required?: readonly string[]
  /** The argument to which the text between the tags is added. */
  readonly body?: string
  /** True when the tag means nothing else, so that an unknown tool is worth reporting. */
  readonly sure?: boolean
}

const MAX_BODY = 64 * 1024
const ID = 'id'

/**
 * What comes next in the tag: its end, an attribute without quotes, or one up to where its value
 * begins. Prose behind the name of a tag reads like attributes without values; calls have none.
 */
const NEXT = patternReader(
  sequence(
    '\\s{0,64}',
    oneOf(
      '(?<end>>)',
      sequence('/', '(?<empty>>)'),
      sequence(
        ...['(?<key>[\\w:.-]{1,64})', SPACE, '=', SPACE],
        oneOf(
          `(?<quote>["'])(?=${SPACE}(?:$|(?<first>\\S)))`,
          '(?=\\{)',
          sequence(`(?<bare>(?:[^\\s"'>{/]|/(?!>)){1,256})`, '(?=\\s|/?>)'),
        ),
      ),
    ),
  ),
)
/** White space and the beginning of an attribute. */
const followsTag = followedBy(sequence('\\s{1,64}', '\\w'))
/** How much of a value before a quote can say what the quote is. */
const TAIL = 16

export function attributeTag(spec: AttributeTag): Opener {
  checkObject('a tag', spec, "{ tag: 'tool_call' }")
  const closing = patternReader(sequence('\\s{0,48}', anyCase(`</${spec.tag}>`))).match
  return {
    ...markerAnyCase(`<${spec.tag}`, followsTag),
    open: (context) => readTag(spec, closing, context),
  }
}

/** Arguments that were read as a whole. */
type Decoded = Pick<CallEnding, 'repairs' | 'raw'> & { readonly value: JsonObject }

function readTag(spec: AttributeTag, closing: Marker['match'], context: ReadContext): Reader {
  const reader = createSteps<Reader['state']>(readNext)
  const tool = 'tool' in spec.name ? spec.name.tool : undefined
  const attribute = 'attribute' in spec.name ? spec.name.attribute : ''
  const closer = `</${spec.tag}>`
  /** As written: quotes removed, nothing decoded. */
  const values = new Map<string, string>()
  let call: Call
  let decoded: Decoded = { value: {}, repairs: [] }

  // ── the tag ───────────────────────────────────────────────────────────────────────────────────

  function readNext(text: string, at: number, last: boolean): number {
    const found = NEXT.read(text, at, text.length)
    if (!found) return reader.leave('declined', at)
    if (!found.whole) return last ? cutOff(text.length) : at
    const { key, quote = '', first = '{', bare } = found.groups
    const end = at + found.length
    if (key === undefined) return endTag(end, found.groups['empty'] !== undefined)
    const name = key.toLowerCase()
    const isJson = name === spec.arguments && '{['.includes(first)
    if (bare === undefined) reader.step = readValue(name, quote, isJson)
    else set(name, bare)
    return end
  }

  function set(key: string, value: string): void {
    if (!values.has(key)) values.set(key, value)
  }

  /** In quotes, or JSON in braces alone. */
  function readValue(key: string, quote: string, isJson: boolean): Step {
    const mark = quote || '}'
    const pieces: string[] = []
    let tail = ''

    function keep(piece: string): void {
      pieces.push(piece)
      tail = (tail + piece).slice(-TAIL)
    }

    /** JSON has quotes of its own: they count where the tag goes on, and behind a bracket. */
    function isEnd(next: Found | undefined): boolean {
      if (quote !== '' && !isJson) return !/(?<!\\)(?:\\\\)*\\$/.test(tail)
      return next?.whole === true && (quote !== '"' || /[\]}]\s*$/.test(tail))
    }

    return (text, at, last) => {
      const found = text.indexOf(mark, at)
      const stop = found === -1 ? text.length : found
      if (stop > at) keep(text.slice(at, stop))
      if (found === -1) return last ? cutOff(stop) : stop
      const next = NEXT.read(text, stop + 1, text.length)
      if (next && !next.whole && !last) return stop
      const isOver = isEnd(next)
      if (!isOver || quote === '') keep(mark)
      if (isOver) set(key, pieces.join(''))
      if (isOver) reader.step = readNext
      return stop + 1
    }
  }

  /** The reply ended inside the tag: a call that was cut off, if it had come as far as its name. */
  function cutOff(end: number): number {
    const name = nameOf()
    if (name !== '') new Call(context, name).cutOff(end)
    return reader.leave(name === '' ? 'declined' : 'done', end)
  }

  function nameOf(): string {
    return tool ?? decodeEntities(values.get(attribute) ?? '').trim()
  }

  function endTag(end: number, isEmpty: boolean): number {
    const name = nameOf()
    const given = spec.arguments ? values.get(spec.arguments) : undefined
    if (name === '' && !(spec.sure && given !== undefined)) return reader.leave('declined', end)
    call = new Call(context, name, values.get(ID))
    if (name === '')
      return reader.leave('done', call.fail('missing-name', 'the call names no tool', end))
    const own = [ID, attribute, spec.arguments]
    const others = [...values].filter(([key]) => !own.includes(key))
    // A tag that may mean something else is text when it names no tool or says more than a call.
    if (!spec.sure && (!call.draft || others.length > 0)) return unmeant(end)
    decoded = given === undefined ? fromAttributes(others) : decode(given)
    if (isEmpty) return finish(end)
    const isWhole = spec.body === undefined && (given !== undefined || others.length > 0)
    reader.step = isWhole ? readCloser : readText(end)
    return end
  }

  function unmeant(end: number): number {
    call.draft?.retract(`<${spec.tag}> is not a call here`, end)
    return reader.leave('declined', end)
  }

  // ── behind the tag ────────────────────────────────────────────────────────────────────────────

  function readCloser(text: string, at: number, last: boolean): number {
    const length = closing(text, at, text.length, last)
    if (length === NEED_MORE) return at
    return length > 0 ? finish(at + length) : unclosed(at)
  }

  /** Text up to the closing tag; without one it is no part of the call. */
  function readText(end: number): Step {
    const start = context.base() + end
    const body = createTagBody(endOfBody, MAX_BODY)
    return (text, at, last) => {
      const stop = body.read(text, at, last)
      if (body.state === 'open') return stop
      if (body.state === 'closed') return withText(body.text().trim(), stop)
      // Neither arguments nor an end: the tag is only talked about.
      const isBare = Object.keys(decoded.value).length === 0 && decoded.raw === undefined
      if (isBare && body.text().trim() !== '') return unmeant(stop)
      unclosed(start - context.base())
      return reader.leave('declined', stop)
    }
  }

  function endOfBody({ kind, name }: Tag): 'closed' | 'left' | undefined {
    if (name.toLowerCase() !== spec.tag) return undefined
    return kind === 'close' ? 'closed' : 'left'
  }

  function withText(text: string, end: number): number {
    if (spec.body === undefined) {
      decoded = parse(text, text)
    } else {
      const parts = [decoded.value[spec.body], text].filter(Boolean)
      decoded = { ...decoded, value: { ...decoded.value, [spec.body]: parts.join('\n') } }
    }
    return finish(end)
  }

  // ── values ────────────────────────────────────────────────────────────────────────────────────

  /** The first reading that is JSON wins: as written, with entities decoded, with escapes removed. */
  function decode(raw: string): Decoded {
    const plain = decodeEntities(raw)
    for (const reading of [raw, plain, unescapeQuotes(plain)]) {
      const value = parseObject(reading)
      if (value) return { value, repairs: [], raw }
    }
    return parse(plain, raw)
  }

  function parse(text: string, raw: string): Decoded {
    const json = /^\s*\{/.test(text) ? readJson(text, context) : undefined
    if (isJsonObject(json?.value)) return { value: json.value, repairs: json.repairs, raw }
    const { arguments: value, repairs } = readSpelled(text, call.draft?.schema, context.fit)
    return { value, repairs, raw }
  }

  // ── ends ──────────────────────────────────────────────────────────────────────────────────────

  function unclosed(end: number): number {
    call.repairs.push(missingCloser(closer))
    return finish(end)
  }

  function finish(end: number): number {
    const { value, repairs, raw } = decoded
    const lacking = (spec.required ?? []).filter((key) => !value[key]).join(', ')
    if (lacking === '') call.end({ json: JSON.stringify(value), repairs, raw, end })
    else call.fail('missing-argument', `<${spec.tag}> lacks ${lacking}`, end)
    return reader.leave('done', end)
  }

  return reader
}

function fromAttributes(attributes: readonly (readonly [string, string])[]): Decoded {
  const decoded = attributes.map(([key, raw]) => [key, decodeEntities(unescapeQuotes(raw))])
  return { value: Object.fromEntries(decoded), repairs: [] }
}

function unescapeQuotes(text: string): string {
  return text.replace(/\\(["'\\])/g, '$1')
}
