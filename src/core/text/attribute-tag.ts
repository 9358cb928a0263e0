/**
 * Syntax factory: a call as one tag whose attributes hold the name and the arguments.
 *
 *     <tool_call name="get_weather" args='{"city": "Oslo"}' />
 *
 * The tag may also be a pair, with the arguments between the two.
 */
import { parseArguments } from '../arguments/parse.ts'
import type { IssueCode, Repair } from '../issue.ts'
import { parseObject } from '../json/strict.ts'
import type { JsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import {
  type CallDraft,
  NEED_MORE,
  type Opener,
  type ReadContext,
  type Reader,
} from '../protocol.ts'
import { type AttributeValue, createAttributes } from './attributes.ts'
import { isSpace, isWord, skipSpace } from './characters.ts'
import { decodeEntities } from './entities.ts'
import { createJsonArguments, type JsonArguments } from './json-arguments.ts'
import { markerAnyCase, overlap } from './marker.ts'
import { createSteps } from './steps.ts'

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

const CLOSER_WINDOW = 64
const MAX_BODY = 64 * 1024
const ID = 'id'

export function attributeTag(spec: AttributeTag): Opener {
  return {
    ...markerAnyCase(`<${spec.tag}`, followsTagName),
    open: (context) => readTag(spec, context),
  }
}

/** White space and the beginning of an attribute. */
function followsTagName(text: string, at: number, end: number, last: boolean): boolean | undefined {
  if (at < end && !isSpace(text.charCodeAt(at))) return false
  const i = skipSpace(text, at, end)
  if (i === end) return last ? false : undefined
  return isWord(text.charCodeAt(i))
}

interface Decoded {
  readonly value: JsonObject
  readonly repairs: readonly Repair[]
  readonly raw?: string
}

function readTag(spec: AttributeTag, context: ReadContext): Reader {
  const reader = createSteps<Reader['state']>(readAttributes)
  const closer = `</${spec.tag}>`
  const closing = markerAnyCase(closer)
  const attributes = createAttributes(context, new Set(spec.arguments ? [spec.arguments] : []))
  let name = ''
  let draft: CallDraft | undefined
  let args: JsonArguments | undefined
  let decoded: Decoded = { value: {}, repairs: [] }

  // ── the tag ───────────────────────────────────────────────────────────────────────────────────

  function readAttributes(text: string, at: number, last: boolean): number {
    const end = attributes.read(text, at, last)
    if (attributes.state === 'closed') return tagRead(end)
    if (attributes.state === 'broken') return decline(end)
    return last ? cutOff(text.length) : end
  }

  /** The reply ended inside the tag: a call that was cut off, if it had come as far as its name. */
  function cutOff(end: number): number {
    name = nameOf()
    return name === '' ? decline(end) : fail('truncated-call', 'the reply ends inside a call', end)
  }

  function nameOf(): string {
    if ('tool' in spec.name) return spec.name.tool
    return decodeEntities(attributes.values.get(spec.name.attribute)?.raw ?? '').trim()
  }

  function tagRead(end: number): number {
    name = nameOf()
    if (name === '') return nameless(end)
    draft = context.begin(name, attributes.values.get(ID)?.raw)
    // A tag that may mean something else is text when it names no tool or says more than a call.
    if (!spec.sure && (!draft || hasOtherAttributes())) return unmeant(end)
    decoded = fromAttributes()
    if (attributes.selfClosing) return finish(end, [])
    if (spec.body !== undefined) return bodyFrom(end)
    reader.step =
      Object.keys(decoded.value).length > 0 || decoded.raw !== undefined ? readCloser : readBody
    return end
  }

  /** Attributes that say which call it is and are no arguments. */
  function isOwn(key: string): boolean {
    return key === ID || ('attribute' in spec.name && key === spec.name.attribute)
  }

  function hasOtherAttributes(): boolean {
    return [...attributes.values.keys()].some((key) => !isOwn(key) && key !== spec.arguments)
  }

  function unmeant(end: number): number {
    draft?.retract(`<${spec.tag}> is not a call here`)
    return decline(end)
  }

  function nameless(end: number): number {
    const meant = spec.sure && spec.arguments && attributes.values.has(spec.arguments)
    return meant ? fail('missing-name', 'the call names no tool', end) : decline(end)
  }

  function fromAttributes(): Decoded {
    const given = spec.arguments ? attributes.values.get(spec.arguments) : undefined
    if (given) return decodeArguments(given, draft?.schema)
    const entries = [...attributes.values].filter(([key]) => !isOwn(key))
    const value = Object.fromEntries(
      entries.map(([key, { raw }]) => [key, decodeEntities(unescapeQuotes(raw))]),
    )
    return { value, repairs: [] }
  }

  // ── between the tags ──────────────────────────────────────────────────────────────────────────

  /** A pair without arguments in its attributes has them between the tags. */
  function readBody(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + CLOSER_WINDOW)
    const i = skipSpace(text, at, window)
    if (i === text.length && !last && i < at + CLOSER_WINDOW) return at
    if (text.charAt(i) !== '{' || i === window) return bodyFrom(at)
    args = createJsonArguments(context, draft, (body, j) => body.charAt(j) === '<')
    reader.step = readBodyJson
    return i
  }

  function readBodyJson(text: string, at: number, last: boolean): number {
    if (!args) return at
    const json = args.reader
    const end = json.read(text, at, last)
    if (json.status === 'done') reader.step = readCloser
    else if (json.status === 'failed')
      return fail('invalid-json', 'the arguments are not JSON', end)
    else if (last) return fail('truncated-call', 'the reply ends inside a call', text.length)
    return end
  }

  /** Reads text up to the closing tag; without one it is no part of the call. */
  function bodyFrom(end: number): number {
    const start = context.base() + end
    const pieces: string[] = []
    let budget = MAX_BODY
    reader.step = (text, at, last) => {
      const sibling = indexOrEnd(text.indexOf(`<${spec.tag}`, at), text)
      const found = indexOrEnd(text.indexOf(closer, at), text)
      const held = last ? 0 : Math.max(overlap(text, closer), overlap(text, `<${spec.tag}`))
      const stop = Math.min(found, sibling, Math.max(at, text.length - held), at + budget)
      pieces.push(text.slice(at, stop))
      budget -= stop - at
      if (stop === found && found < text.length) {
        return withBody(pieces.join('').trim(), stop + closer.length)
      }
      const over = last || budget === 0 || (stop === sibling && sibling < text.length)
      if (over) endsAtTag(start - context.base())
      return stop
    }
    return end
  }

  function endsAtTag(end: number): void {
    finish(end, [missing()])
    // The call is settled up to its tag; the text behind it is text.
    reader.state = 'declined'
  }

  function withBody(body: string, end: number): number {
    if (spec.body !== undefined) {
      const parts = [decoded.value[spec.body], body].filter((part) => part !== undefined)
      const joined = parts.filter((part) => part !== '').join('\n')
      decoded = { value: { ...decoded.value, [spec.body]: joined }, repairs: decoded.repairs }
    } else {
      const parsed = parseArguments(body, draft?.schema)
      decoded = { value: parsed.arguments, repairs: parsed.repairs, raw: body }
    }
    return finish(end, [])
  }

  function readCloser(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + CLOSER_WINDOW)
    const i = skipSpace(text, at, window)
    const length = closing.match(text, i, window, last || window === at + CLOSER_WINDOW)
    if (length === NEED_MORE) return at
    return length > 0 ? finish(i + length, []) : finish(at, [missing()])
  }

  // ── ends ──────────────────────────────────────────────────────────────────────────────────────

  function finish(end: number, more: readonly Repair[]): number {
    const lacking = (spec.required ?? []).filter((key) => !decoded.value[key])
    if (lacking.length > 0) {
      return fail('missing-argument', `<${spec.tag}> lacks ${lacking.join(', ')}`, end)
    }
    if (!draft) return fail('unknown-tool', `there is no tool named ${name}`, end)
    reader.state = 'done'
    const json = args ? args.json() : JSON.stringify(decoded.value)
    const repairs = [...(args?.repairs ?? decoded.repairs), ...more]
    draft.end({ json, repairs, end, raw: decoded.raw, streamed: args?.streamed })
    return end
  }

  function fail(code: IssueCode, message: string, end: number): number {
    reader.state = 'done'
    if (draft) draft.fail(code, message, end)
    else context.issue(code, message, end, name)
    return end
  }

  function decline(at: number): number {
    reader.state = 'declined'
    return at
  }

  function missing(): Repair {
    return { code: 'missing-closer', path: [], risk: 'safe', after: closer }
  }

  return reader
}

function indexOrEnd(index: number, text: string): number {
  return index === -1 ? text.length : index
}

/** The first reading that is JSON wins: as written, with entities decoded, with escapes removed. */
function decodeArguments(value: AttributeValue, schema: JsonSchema | undefined): Decoded {
  const { raw } = value
  const decoded = decodeEntities(raw)
  for (const reading of [value.json ?? raw, decoded, unescapeQuotes(decoded)]) {
    const object = parseObject(reading)
    if (object) return { value: object, repairs: [], raw }
  }
  const parsed = parseArguments(decoded, schema)
  return { value: parsed.arguments, repairs: parsed.repairs, raw }
}

function unescapeQuotes(text: string): string {
  return text.replace(/\\(["'\\])/g, '$1')
}
