/** Reads calls and their parameters in tags; `tagged-call.ts` says where they begin. */
import type { IssueCode, Repair } from '../issue.ts'
import {
  type CallDraft,
  NEED_MORE,
  type ReadContext,
  type Reader,
  type ToolTable,
} from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { createJsonArguments, type JsonArguments } from './json-arguments.ts'
import { isHopeless } from './json-block.ts'
import { createParameters, type Parameters, type Reading } from './parameters.ts'
import { createRawValue, isOwnTag, isQuotedTag, type RawValue } from './raw-value.ts'
import { createSteps } from './steps.ts'
import { HEAD_WINDOW, type MatchTag, readHead, type Tag, type TagWords, tagsOf } from './tag.ts'
import type { Trim } from './trimmed.ts'

export interface TaggedCallSpec extends TagWords {
  /** How the tag of a call looks that may stand without a section around it. */
  readonly bare?: 'short' | 'named'
  readonly trim: Trim
  /** How a value is read of which neither the schema nor its tag tells the type. */
  readonly untyped?: Reading
  /** True when the models that write it are known to forget tags and to make up their own. */
  readonly loose?: boolean
  /** What encloses parameters whose tags are named like them. */
  readonly group?: string
}

/** Longest white space between tags that is looked over, and longest name between tags. */
const SPACE_WINDOW = 256
const NAME_WINDOW = 256

const ENDS_INSIDE = 'the reply ends inside a call'
const NOT_JSON = 'the arguments are not JSON'

/** Reads a section or a call from its tag on. */
export function readTagged(spec: TaggedCallSpec, context: ReadContext): Reader {
  const { tools } = context
  const tags = tagsOf(spec)
  const reader = createSteps<Reader['state']>(readBetween)
  let found = 0
  let inSection = false
  /** The word of the call under way. */
  let word = ''
  let name = ''
  let draft: CallDraft | undefined
  let parameters: Parameters
  let args: JsonArguments | undefined
  /** Why the call cannot be made. */
  let failure: string | undefined
  let repairs: Repair[] = []
  let key = ''
  let value: RawValue
  /** True once a value of the call had its closing tag, and once one had none. */
  let closed = false
  let unclosed = false
  /** True where parameters are tags named like them. */
  let grouped = false
  /** True when only that and a declared name tell that it is a call. */
  let guessed = false

  /** The first character behind white space, or -1: more is needed to tell. */
  function nextAt(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + SPACE_WINDOW)
    const i = skipSpace(text, at, window)
    return i === text.length && i < at + SPACE_WINDOW && !last ? -1 : i
  }

  function tagAt(text: string, i: number, last: boolean): ReturnType<MatchTag> {
    return text.charAt(i) === '<' ? tags(text, i, text.length, last) : undefined
  }

  function headAt(text: string, i: number, tag: Tag): ReturnType<typeof readHead> {
    const end = Math.min(text.length, i + HEAD_WINDOW)
    return readHead(text, tag.end, end, end === i + HEAD_WINDOW)
  }

  // ── between calls ─────────────────────────────────────────────────────────────────────────────

  function readBetween(text: string, at: number, last: boolean): number {
    const i = nextAt(text, at, last)
    if (i === -1) return at
    if (i === at + SPACE_WINDOW) return i
    const tag = tagAt(text, i, last)
    if (tag === NEED_MORE) return at
    if (!tag && inSection && found === 0 && spec.loose) return readFirstWord(text, at, i, last)
    if (!tag || tag.cut || tag.kind === 'parameter') return leave(at)
    if (tag.closing) return tag.kind === 'section' ? closeSection(tag.end) : tag.end
    if (found > 0 && (!inSection || tag.kind === 'section')) return leave(at)
    const head = headAt(text, i, tag)
    if (head === NEED_MORE && !last) return at
    if (!head || head === NEED_MORE) return leave(at)
    if (tag.kind === 'section') {
      inSection = true
      return head.name === undefined ? head.end : beginGuess(head.name, tag.word, head.end)
    }
    word = tag.word
    if (head.name !== undefined) return beginCall(head.name, head.end, head.selfClosing)
    reader.step = readName
    return head.end
  }

  /** The name as the first word or the first tag of the section. */
  function readFirstWord(text: string, at: number, i: number, last: boolean): number {
    const named = nameInSection(text.slice(i, i + NAME_WINDOW))
    if (!named && !last) return at
    return named?.name ? beginGuess(named.name, named.name, i + named.length) : leave(at)
  }

  function beginGuess(given: string, closer: string, end: number): number {
    word = closer
    beginCall(given, end, false)
    guessed = grouped = true
    return end
  }

  function leave(at: number): number {
    reader.state = found > 0 ? 'done' : 'declined'
    return at
  }

  function closeSection(end: number): number {
    if (found === 0) context.issue('empty-call', 'a call block with nothing in it', end)
    reader.state = 'done'
    return end
  }

  /** A tag without a name: `<name>…</name>` follows, or the name stands between the tags. */
  function readName(text: string, at: number, last: boolean): number {
    const near = text.slice(at, at + NAME_WINDOW)
    const between = new RegExp(`^\\s*([^<>\\n]+?)\\s*</\\s*${word}\\s*>`)
    const match = NAME_CHILD.exec(near) ?? (spec.loose ? between.exec(near) : null)
    if (match) return beginCall(match.at(-1) ?? '', at + match[0].length, false)
    return last || near.length === NAME_WINDOW ? leave(at) : at
  }

  function beginCall(given: string, end: number, selfClosing: boolean): number {
    name = given
    draft = context.begin(ownName(given, tools))
    parameters = createParameters(context, draft, spec)
    args = undefined
    failure = undefined
    repairs = []
    closed = unclosed = grouped = guessed = false
    if (selfClosing) return finish(end)
    reader.step = readBody
    return end
  }

  // ── inside a call ─────────────────────────────────────────────────────────────────────────────

  function readBody(text: string, at: number, last: boolean): number {
    const i = nextAt(text, at, last)
    if (i === -1) return at
    if (i === at + SPACE_WINDOW) return i
    if (i === text.length) return endOfReply(at)
    if (text.charAt(i) === '{' && isEmpty()) return beginJson(i)
    const tag = tagAt(text, i, last)
    if (tag === NEED_MORE) return at
    if (tag && tag.kind !== 'parameter') return readCallTag(tag, at)
    if (tag?.closing) return tag.cut ? endOfReply(tag.end) : tag.end
    if (tag) return readParameter(tag, text, at, i, last)
    return grouped || spec.group ? readGroup(text, at, i, last) : readOther(at)
  }

  /** The end of this call or section, or the beginning of the next. */
  function readCallTag(tag: Tag, at: number): number {
    const own = tag.closing && tag.word === word
    if (!own && (!tag.closing || tag.kind === 'section')) return finish(at, missing(`</${word}>`))
    if (tag.cut) return endOfReply(tag.end)
    const wrong: Repair = { code: 'mismatched-closer', path: [], risk: 'safe', after: `</${word}>` }
    return finish(tag.end, own ? undefined : wrong)
  }

  function isEmpty(): boolean {
    return parameters.size() === 0 && !args && failure === undefined
  }

  /** All values are complete, so what is missing are closing tags, unless there is no value. */
  function endOfReply(end: number): number {
    if (isEmpty()) return fail('truncated-call', ENDS_INSIDE, end)
    return finish(end, missing(`</${word}>`), true)
  }

  /** Text where a tag should be: behind values the call is over. */
  function readOther(at: number): number {
    if (guessed) {
      draft?.retract('other text stands in the call')
      reader.state = 'declined'
      return at
    }
    if (!isEmpty()) return finish(at, missing(`</${word}>`))
    return fail('invalid-arguments', 'other text stands in place of the parameters', at)
  }

  function beginJson(at: number): number {
    args = createJsonArguments(context, draft, (text, i) => text.charAt(i) === '<')
    reader.step = readJson
    return at
  }

  function readJson(text: string, at: number, last: boolean): number {
    if (!args) return at
    const end = args.reader.read(text, at, last)
    const { status } = args.reader
    if (status === 'done') reader.step = readBody
    else if (status === 'failed') return skipValue(NOT_JSON, end)
    else if (last) return fail('truncated-call', ENDS_INSIDE, text.length)
    return end
  }

  // ── parameters ────────────────────────────────────────────────────────────────────────────────

  function readParameter(tag: Tag, text: string, at: number, i: number, last: boolean): number {
    const head = tag.cut ? NEED_MORE : headAt(text, i, tag)
    if (head === NEED_MORE) return last ? fail('truncated-call', ENDS_INSIDE, text.length) : at
    if (!head) return readOther(at)
    if (head.name === undefined) {
      if (!spec.loose) return skipValue('a parameter has no name', head.end)
      reader.step = readKey
      return head.end
    }
    // Markup that is indented was laid out for the eye, and so are its values.
    const indented = spec.loose && i > at && ' \t'.includes(text.charAt(i - 1))
    beginValue(head.name, tags, readingOf(head.attributes), indented ? 'space' : spec.trim)
    if (!head.selfClosing) return head.end
    parameters.end()
    reader.step = readBody
    return head.end
  }

  /** `<parameter>city</parameter>Oslo`: the key stands where the value should. */
  function readKey(text: string, at: number, last: boolean): number {
    const near = text.slice(at, at + NAME_WINDOW)
    const i = at + near.indexOf('<')
    const tag = i < at ? undefined : tagAt(text, i, last)
    const undecided = i < at ? near.length < NAME_WINDOW && !last : tag === NEED_MORE
    if (undecided) return at
    const given = text.slice(at, i).trim()
    if (!tag || tag === NEED_MORE || !tag.closing || given === '') {
      return skipValue('a parameter has no name', at)
    }
    beginValue(given, tags)
    return tag.end
  }

  function beginValue(given: string, own: MatchTag, reading?: Reading, trim?: Trim): void {
    key = given
    parameters.begin(key, reading, trim)
    openValue(own)
  }

  /** What cannot be read is passed over up to where a value would end. */
  function skipValue(reason: string, end: number): number {
    failure = reason
    openValue(tags)
    return end
  }

  function openValue(own: MatchTag): void {
    const sink = failure === undefined ? parameters : undefined
    value = createRawValue(own, sink, endsValue, spec.loose === true)
    reader.step = readValue
  }

  function readValue(text: string, at: number, last: boolean): number {
    const end = value.read(text, at, last)
    if (value.state === 'open') return end
    const { tag } = value
    if (value.state === 'cut' && !(tag ?? isUnclosed())) {
      return fail('truncated-call', ENDS_INSIDE, text.length)
    }
    const proper = tag?.kind === 'parameter' && tag.closing
    if (failure === undefined) parameters.end(!proper || value.exact ? 'space' : undefined)
    closed ||= proper
    unclosed ||= !proper
    if (!proper) repairs.push({ ...missing('</parameter>'), path: [key] })
    reader.step = readBody
    if (value.state === 'cut') return finish(text.length, missing(`</${word}>`), true)
    return proper ? tag.end : end
  }

  /** True when the reply may well end with a value: closing tags were left out before. */
  function isUnclosed(): boolean {
    return spec.loose === true && !closed && (unclosed || value.inline)
  }

  function endsValue(
    tag: Tag,
    text: string,
    i: number,
    before: string,
    last: boolean,
  ): boolean | undefined {
    if (tag.closing) {
      if (tag.kind === 'call' && tag.word !== word) return false
      const quoted = isQuotedTag(before, text, tag.end, last)
      return quoted === undefined ? undefined : !quoted
    }
    if (tag.cut || !isOwnTag(before)) return false
    const head = headAt(text, i, tag)
    if (head === NEED_MORE) return last ? false : undefined
    if (!head) return false
    if (tag.kind === 'section')
      return head.attributes.size === 0 && opensSection(text, head.end, last)
    if (head.name === undefined) return tag.kind === 'parameter' && spec.loose === true
    return tag.kind === 'parameter' || tools.find(head.name) !== undefined
  }

  function opensSection(text: string, at: number, last: boolean): boolean | undefined {
    const i = nextAt(text, at, last)
    const next = i === -1 ? NEED_MORE : tagAt(text, i, last)
    if (next === NEED_MORE) return undefined
    return next?.kind === 'call' && !next.closing
  }

  // ── parameters in tags named like them ────────────────────────────────────────────────────────

  function readGroup(text: string, at: number, i: number, last: boolean): number {
    const near = text.slice(i, i + NAME_WINDOW)
    const [whole, slash, tag = ''] = ANY_TAG.exec(near) ?? []
    if (whole === undefined) {
      return !last && near.length < NAME_WINDOW && /^<[^<>]*$/.test(near) ? at : readOther(at)
    }
    const end = i + whole.length
    if (slash && tag === word) return finish(end)
    if (tag === spec.group) grouped = !slash
    else if (slash || !grouped) return readOther(at)
    else beginValue(tag, tagsOf({ sections: [], calls: [], parameters: [tag] }))
    return end
  }

  // ── ends ──────────────────────────────────────────────────────────────────────────────────────

  function finish(end: number, repair?: Repair, cut = false): number {
    if (!draft) return fail('unknown-tool', `there is no tool named ${name}`, end)
    if (failure !== undefined) return fail('invalid-arguments', failure, end)
    if (args && isHopeless(args.repairs)) return fail('invalid-json', NOT_JSON, end)
    const given = args ? { ...args, json: args.json() } : parameters.ending()
    const { json, streamed } = given
    const all = [...given.repairs, ...repairs, ...(repair ? [repair] : [])]
    next()
    draft.end({ json, streamed, repairs: all, end, cut })
    return end
  }

  function fail(code: IssueCode, message: string, end: number): number {
    next()
    if (draft) draft.fail(code, message, end)
    else context.issue(code, message, end, name)
    return end
  }

  function next(): void {
    found++
    reader.step = readBetween
  }

  function missing(tag: string): Repair {
    return { code: 'missing-closer', path: [], risk: 'safe', after: tag }
  }

  return reader
}

const FIRST_WORD = /^([\w.-]+)\s*/
/** Not those of other formats in the same section. */
const OWN_TAG = /^<(?!arg_|tool_)[a-z][\w.-]*[\s=>]/i
const CUT_TAG = /^<(?:[\w.-]*|(?:tool_|function_)?name>[^<>\n]*(?:<\/?\w*)?)$/
const NAME_CHILD = /^\s*<((?:tool_|function_)?name)>\s*([^<]+?)\s*<\/\1>/
const ANY_TAG = /^<(\/?)([\w:.-]+)\s*>/

/** What a tag says about its value. */
function readingOf(attributes: ReadonlyMap<string, string>): Reading | undefined {
  const isText = attributes.get('string')
  if (isText !== undefined) return isText.toLowerCase() === 'true' ? 'text' : 'json'
  const type = attributes.get('type')
  return type === undefined ? undefined : /^str|^text/i.test(type) ? 'text' : 'json'
}

/** A name that is given twice, as namespace and as name, unless that is how a tool is called. */
function ownName(name: string, tools: ToolTable): string {
  const half = name.slice(0, (name.length - 1) / 2)
  return name === `${half}.${half}` && !tools.find(name) ? half : name
}

/**
 * The name of a call that a section has instead of a call's tag: as an attribute, as its first word, or
 * in a tag of its own, with the parameters in tags named like them. Empty: there is none. Undefined:
 * more characters are needed to tell.
 */
export function nameInSection(
  text: string,
  given = '',
): { readonly name: string; readonly length: number } | undefined {
  const child = given === '' ? NAME_CHILD.exec(text) : null
  if (child) return { name: child.at(-1) ?? '', length: child[0].length }
  const [whole = '', word = ''] = (given === '' && FIRST_WORD.exec(text)) || []
  const name = given || word
  const rest = text.slice(whole.length)
  if (name !== '' && OWN_TAG.test(rest)) return { name, length: word.length }
  const begun = text.length < NAME_WINDOW && (rest === '' || CUT_TAG.test(rest))
  return begun ? undefined : { name: '', length: 0 }
}
