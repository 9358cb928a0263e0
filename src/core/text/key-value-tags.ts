/**
 * Syntax factory: the name behind a tag, then keys and values in tags of their own.
 *
 *     <tool_call>get_weather
 *     <arg_key>city</arg_key>
 *     <arg_value>Oslo</arg_value>
 *     </tool_call>
 *
 * The tag alone begins many formats, so what follows it must be a name and what comes behind a name.
 * Every tag may be missing: a value also ends before the next key, a call before the next call.
 */
import type { IssueCode, Repair } from '../issue.ts'
import {
  type CallDraft,
  NEED_MORE,
  type Opener,
  type ReadContext,
  type Reader,
  type ToolTable,
} from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { createJsonArguments, type JsonArguments } from './json-arguments.ts'
import { isHopeless } from './json-block.ts'
import {
  type CallTags,
  closesCall,
  HEAD,
  type KeyValueTag,
  matchCall,
  opensCall,
  tagAt,
} from './key-value-tag.ts'
import { createParameters, type Parameters, type Reading } from './parameters.ts'
import { createRawValue, type RawValue } from './raw-value.ts'
import { createSteps } from './steps.ts'
import type { Tag } from './tag.ts'

export interface KeyValueTags extends CallTags {
  /** How a value is read of which the schema does not tell the type. */
  readonly untyped: Reading
}

/** Longest white space between tags that is looked over, and longest key. */
const SPACE_WINDOW = 64
const KEY_WINDOW = 256
/** Longest call that is recognized when it is written once more inside itself. */
const REPEAT_WINDOW = 512

const ENDS_INSIDE = 'the reply ends inside a call'

export function keyValueTags(options: KeyValueTags, tools: ToolTable): Opener {
  return {
    prefix: [...`<${options.tag}`],
    match: (text, at, end, last) => matchCall(options, tools, text, at, end, last),
    open: (context) => readCall(options, context),
  }
}

function readCall(options: KeyValueTags, context: ReadContext): Reader {
  const reader = createSteps<Reader['state']>(readName)
  let name = ''
  let draft: CallDraft | undefined
  let parameters: Parameters
  /** Arguments that were written as JSON behind the name. */
  let args: JsonArguments | undefined
  /** The key whose value has not come yet. */
  let key: string | undefined
  let value: RawValue
  const repairs: Repair[] = []
  /** What was read of the call before the piece at hand, and where it is read on from. */
  let body = ''
  let from = 0

  function readName(text: string, at: number): number {
    const [, found = ''] = HEAD.exec(text.slice(at)) ?? []
    name = found
    draft = context.begin(name)
    parameters = createParameters(context, draft, { untyped: options.untyped, trim: 'none' })
    reader.step = readBetween
    return text.indexOf(name, at) + name.length
  }

  // ── between keys and values ───────────────────────────────────────────────────────────────────

  function readBetween(text: string, at: number, last: boolean): number {
    const window = at + SPACE_WINDOW
    const i = skipBlank(text, at, Math.min(text.length, window))
    if (i >= window) return i
    const tag = tagAt(text, i, text.length, last)
    if (tag === NEED_MORE || (!last && text.slice(i) === '\\')) return at
    if (tag) return readTag(tag, text, at, i, last)
    if (i === text.length) return endOfReply(i)
    if (key !== undefined) return beginValue(i)
    if (text.charAt(i) === '{' && isEmpty()) return beginJson(i)
    if (text.charAt(i) === '}' && args) return dropBracket(i)
    return readOther(text, at, i, last)
  }

  function readTag(tag: KeyValueTag, text: string, at: number, i: number, last: boolean): number {
    if (closesCall(tag, options)) return finish(tag.end)
    if (opensCall(tag, options)) return readSibling(tag, text, at, i, last)
    if (tag.word === 'user' || tag.word === 'tool_calls') return readOther(text, at, i, last)
    if (!tag.closing && tag.word === 'arg_value') return beginValue(tag.end)
    if (!tag.closing && tag.word === 'arg_key') {
      dropKey()
      reader.step = readKey
    }
    return tag.end
  }

  /** Neither a tag nor a value: a key without its opening tag, or the text behind the call. */
  function readOther(text: string, at: number, i: number, last: boolean): number {
    const begins = hasKeyEnd(text, i, last)
    if (begins === undefined) return at
    if (begins) {
      reader.step = readKey
      return i
    }
    // Half a tag at the end of the reply is no text.
    if (tagAt(text, i, text.length, false) === NEED_MORE) return endOfReply(text.length)
    if (!isEmpty()) return finish(at, missing(`</${options.tag}>`))
    draft?.retract('no arguments follow the name')
    return decline(at)
  }

  /** The next call begins inside this one: its end is missing, or it is the same once more. */
  function readSibling(
    tag: KeyValueTag,
    text: string,
    at: number,
    i: number,
    last: boolean,
  ): number {
    const written = (body + text.slice(from, i)).trim()
    const start = skipNear(text, tag.end)
    const rest = text.slice(start, start + written.length)
    const repeats = written.length <= REPEAT_WINDOW && written.startsWith(rest)
    if (repeats && rest === written) {
      const closer = tagAt(text, skipNear(text, start + rest.length), text.length, last)
      if (closer === NEED_MORE) return at
      if (closer && closesCall(closer, options)) return finish(closer.end, dropped('the same call'))
    } else if (repeats && !last) {
      return at
    }
    return finish(at, missing(`</${options.tag}>`))
  }

  /** Complete pairs are a call even when its closer is missing. */
  function endOfReply(end: number): number {
    if (isEmpty() || key !== undefined) return fail('truncated-call', ENDS_INSIDE, end)
    return finish(end, missing(`</${options.tag}>`))
  }

  function isEmpty(): boolean {
    return !args && parameters.size() === 0 && repairs.length === 0
  }

  // ── keys ──────────────────────────────────────────────────────────────────────────────────────

  function readKey(text: string, at: number, last: boolean): number {
    const { tag, at: end } = findTag(text, at, last, at + KEY_WINDOW)
    if (tag === NEED_MORE) return at
    if (!tag) return end < text.length ? skipToEnd(end) : fail('truncated-call', ENDS_INSIDE, end)
    key = text.slice(at, end).trim()
    reader.step = readBetween
    if (tag.closing && tag.word === 'arg_key') return tag.end
    if (tag.closing || tag.word !== 'arg_value') dropKey()
    return end
  }

  function dropKey(): void {
    if (key !== undefined) repairs.push(dropped(key))
    key = undefined
  }

  // ── values ────────────────────────────────────────────────────────────────────────────────────

  function beginValue(at: number): number {
    if (key === undefined) repairs.push(dropped('a value without a key'))
    else parameters.begin(key)
    value = createRawValue(tagAt, key === undefined ? undefined : parameters, endsValue, false)
    reader.step = readValue
    return at
  }

  function readValue(text: string, at: number, last: boolean): number {
    const end = value.read(text, at, last)
    if (value.state === 'open') return end
    const { tag } = value
    if (!tag) return fail('truncated-call', ENDS_INSIDE, end)
    const closed = tag.closing && tag.word === 'arg_value'
    if (!closed) repairs.push(missing('</arg_value>'))
    if (key !== undefined) parameters.end(closed ? undefined : 'space')
    key = undefined
    reader.step = readBetween
    return closed ? tag.end : end
  }

  /** Whether a value ends here, also without its closing tag, or only quotes the tag. */
  function endsValue(
    tag: Tag,
    text: string,
    _at: number,
    _before: string,
    last: boolean,
  ): boolean | undefined {
    if (tag.word === 'arg_value') return tag.closing
    if (tag.word === 'arg_key') return !tag.closing && hasKeyEnd(text, tag.end, last)
    if (!closesCall(tag, options)) return false
    const next = skipNear(text, tag.end)
    if (next === text.length && last) return true
    const following = tagAt(text, next, text.length, last)
    if (following === NEED_MORE) return undefined
    return following !== undefined && isCallTag(following)
  }

  function isCallTag(tag: KeyValueTag): boolean {
    return closesCall(tag, options) || opensCall(tag, options)
  }

  // ── arguments as JSON ─────────────────────────────────────────────────────────────────────────

  function beginJson(at: number): number {
    args = createJsonArguments(context, draft, (text, i, last) => {
      const tag = tagAt(text, i, text.length, last)
      return tag === NEED_MORE ? undefined : tag !== undefined
    })
    reader.step = readJson
    return at
  }

  function readJson(text: string, at: number, last: boolean): number {
    if (!args) return at
    const json = args.reader
    const end = json.read(text, at, last)
    if (json.status === 'done') reader.step = readBetween
    else if (json.status === 'failed') return skipToEnd(end)
    else if (last) return fail('truncated-call', ENDS_INSIDE, text.length)
    return end
  }

  function dropBracket(at: number): number {
    repairs.push({ code: 'dropped-bracket', path: [], risk: 'safe', before: '}' })
    return at + 1
  }

  // ── ends ──────────────────────────────────────────────────────────────────────────────────────

  /** What cannot be read is passed over, up to where the call ends. */
  function skipToEnd(at: number): number {
    reader.step = (text, i, last) => {
      const { tag, at: end } = findTag(text, i, last)
      if (tag === NEED_MORE) return end
      if (tag && !isCallTag(tag)) return tag.end
      const closes = tag && closesCall(tag, options)
      return fail('invalid-arguments', 'the arguments cannot be read', closes ? tag.end : end)
    }
    return at
  }

  function finish(end: number, ...more: readonly Repair[]): number {
    dropKey()
    if (name === '') return failNameless(end)
    if (!draft && isEmpty()) return decline(end)
    if (!draft) return fail('unknown-tool', `there is no tool named ${name}`, end)
    if (args && isHopeless(args.repairs)) return fail('invalid-json', 'the call is not JSON', end)
    reader.state = 'done'
    const given = args ? { ...args, json: args.json() } : parameters.ending()
    const { json, streamed } = given
    draft.end({ json, streamed, repairs: [...given.repairs, ...repairs, ...more], end })
    return end
  }

  function failNameless(end: number): number {
    if (isEmpty()) return fail('empty-call', 'a call block with nothing in it', end)
    return fail('missing-name', 'the call names no tool', end)
  }

  function fail(code: IssueCode, message: string, end: number): number {
    reader.state = 'done'
    if (draft) draft.fail(code, message, end)
    else context.issue(code, message, end, name || undefined)
    return end
  }

  function decline(at: number): number {
    reader.state = 'declined'
    return at
  }

  return {
    read(text, at, last) {
      from = at
      const end = reader.read(text, at, last)
      if (body.length <= REPEAT_WINDOW) body += text.slice(at, end)
      return end
    },
    get state() {
      return reader.state
    },
  }
}

/** Passes white space, but no more than may stand between tags. */
function skipNear(text: string, at: number): number {
  return skipSpace(text, at, Math.min(text.length, at + SPACE_WINDOW))
}

/** White space, also where it is spelled as `\n`. */
function skipBlank(text: string, at: number, end: number): number {
  let i = skipSpace(text, at, end)
  while (i < end && text.startsWith('\\n', i)) i = skipSpace(text, i + 2, end)
  return i
}

/**
 * The next tag that begins between `at` and `limit`. Without one, `at` is the limit or the end of the
 * reply; when that is not known yet, it is from where to look again.
 */
function findTag(
  text: string,
  at: number,
  last: boolean,
  limit = Number.POSITIVE_INFINITY,
): { readonly at: number; readonly tag: ReturnType<typeof tagAt> } {
  for (let i = text.indexOf('<', at); i !== -1 && i < limit; i = text.indexOf('<', i + 1)) {
    const tag = tagAt(text, i, text.length, last)
    if (tag) return { at: i, tag }
  }
  if (text.length > limit) return { at: limit, tag: undefined }
  return { at: text.length, tag: last ? undefined : NEED_MORE }
}

/** Whether a key stands here, as the tag behind it shows; undefined: not known yet. */
function hasKeyEnd(text: string, at: number, last: boolean): boolean | undefined {
  let end = at
  while (end < text.length && end < at + SPACE_WINDOW && !'<>\n'.includes(text.charAt(end))) end++
  const tag = tagAt(text, end, text.length, last)
  if (tag === NEED_MORE) return undefined
  if (!tag) return false
  return tag.word === (tag.closing ? 'arg_key' : 'arg_value')
}

function missing(after: string): Repair {
  return { code: 'missing-closer', path: [], risk: 'safe', after }
}

function dropped(before: string): Repair {
  return { code: 'dropped-text', path: [], risk: 'guess', before }
}
