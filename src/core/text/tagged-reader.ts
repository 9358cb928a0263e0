/** Reads calls and their parameters in tags; `tagged-call.ts` says where they begin. */
import type { Repair } from '../issue.ts'
import { NEED_MORE, type ReadContext, type Reader } from '../protocol.ts'
import { Call, corrected, dropped, missingCloser } from './call.ts'
import { createJsonArguments, type JsonArguments } from './json-arguments.ts'
import { isHopeless } from './json-calls.ts'
import { endsWithRemains, mayBeNearTag, nearClosersOf, nearTagAt } from './near-tag.ts'
import { createParameters, type Parameters } from './parameters.ts'
import { createRawValue, type RawValue } from './raw-value.ts'
import { takeSteps } from './steps.ts'
import {
  closerOf,
  closingTagsOf,
  isNameless,
  isOuter,
  nextAt,
  SPACE_WINDOW,
  strayClosersOf,
  type Tag,
  type TagAt,
  tagsOf,
} from './tag.ts'
import {
  anyTagAt,
  endOfBareKey,
  endOfRepetition,
  isParameterClosed,
  NAME_WINDOW,
  parameterAhead,
  REPEAT_WINDOW,
  skipNothing,
} from './tagged-ahead.ts'
import { nameAt, ownName } from './tagged-name.ts'
import type { TaggedCallSpec } from './tagged-spec.ts'
import type { Trim } from './trimmed.ts'
import { createValueEnd, type TagStyle } from './value-end.ts'

/** Shortest beginning of a closing tag that can be told from one in the text. */
const SHORTEST = 6

/** How many tags after one marker are looked at for a character that they lost; each look takes about 0.1 ms. */
const MOST_TRIES = 8

type Enclosing = TagStyle & Pick<Tag, 'reading'>

const UNREADABLE = 'the arguments cannot be read'
const EMPTY = 'a call block with nothing in it'

/** Reads a section or a call from its tag on, or from behind the tag of a call that is `lost`. */
export function readTagged(spec: TaggedCallSpec, context: ReadContext, lost = ''): Reader {
  const { tools } = context
  const tags = tagsOf(spec)
  const reader = {
    read,
    state: 'open' as Reader['state'],
    step: lost === '' ? readBetween : readName,
  }
  /** The piece at hand, and whether it is the last. */
  let text: string
  let last: boolean
  let found = 0
  let inSection = false
  /** The word that closes the call under way, and whether its name stands behind `=`. */
  let word = lost
  let short: boolean
  let call: Call
  let parameters: Parameters
  /** Arguments that are written as JSON in place of the parameters. */
  let args: JsonArguments | undefined
  /** True when what stands in the call cannot be read. */
  let failed: boolean
  /** The key whose value has not come yet, or is being read. */
  let key: string | undefined
  let value: RawValue
  /** The tag that the value stands in. */
  let enclosing: Enclosing = { word: '' }
  /** True once a value of the call had its closing tag. */
  let closed: boolean
  /** True once a key of the call stood in a tag of its own: where none does, such a tag is text. */
  let keyed: boolean
  /** True where parameters are tags named like them, and the tag around them all. */
  let grouped: boolean
  let wrapper: string
  /** True when only that and a declared name tell that it is a call. */
  let guessed: boolean
  /** Tags that were corrected before the call that they belong to. */
  let corrections: Repair[] = []
  let triesLeft = MOST_TRIES
  /** What was read of the call before the piece at hand, and where it is read on from. */
  let body = ''
  let from: number

  function read(piece: string, at: number, isLast: boolean): number {
    text = piece
    last = isLast
    from = at
    const end = takeSteps(reader, at, (step, i) => step(i))
    if (body.length <= REPEAT_WINDOW) body += text.slice(from, end)
    return end
  }

  function tagAt(at: number): ReturnType<TagAt> {
    return tags(text, at, text.length, last)
  }

  /** Passes white space and separators, and tells what stands behind them, at `i`. */
  function pass(at: number, see: (tag: Tag | undefined, at: number, i: number) => number): number {
    const i = nextAt(text, at)
    if (i === at + SPACE_WINDOW) return i
    const tag = tagAt(i)
    if (tag === NEED_MORE) return at
    const meant = correctedAt(tag, i)
    if (meant === NEED_MORE) return at
    const next = meant ?? tag
    return next?.kind === 'separator' ? next.end : see(next, at, i)
  }

  /** True for text where a tag should be, and for a tag that should have a name. */
  function mayHaveLost(tag: Tag | undefined, i: number): boolean | undefined {
    if (triesLeft === 0 || context.repair !== 'guess') return false
    if (!tag) return (found > 0 || inSection || isInCall()) && mayBeNearTag(spec, text, i, last)
    if (tag.closing || tag.name !== undefined || spec.keys || tag.kind === 'separator') return false
    return text.slice(i, tag.end).includes('=')
  }

  function isInCall(): boolean {
    return reader.step === readBody || reader.step === readKey
  }

  /** The tag that is meant by what stands at `i`, which is read as `written`. */
  function correctedAt(written: Tag | undefined, i: number): ReturnType<TagAt> {
    const isLost = mayHaveLost(written, i)
    if (!isLost) return isLost === undefined ? NEED_MORE : undefined
    const fits = (tag: Tag): boolean => isMeant(tag) && (!written || tag.name !== undefined)
    const meant = nearTagAt(spec, text, i, last, fits)
    if (meant === NEED_MORE) return meant
    triesLeft--
    if (meant) {
      const repair = corrected(text.slice(i, meant.end))
      if (isInCall()) call.repairs.push(repair)
      else corrections.push(repair)
    }
    return meant
  }

  /** True for a tag that can be next. */
  function isMeant(tag: Tag): boolean {
    if (tag.closing || tag.kind === 'separator') return true
    if (tag.kind === 'section') return false
    if (tag.kind === 'key') return spec.keys !== undefined
    if (tag.name === undefined) return spec.keys !== undefined && tag.kind === 'parameter'
    if (tag.kind === 'call') return tools.known && tools.find(tag.name) !== undefined
    return isInCall() && parameters.declares(tag.name)
  }

  // ── between calls ─────────────────────────────────────────────────────────────────────────────

  function readBetween(at: number): number {
    return pass(at, seeBetween)
  }

  function seeBetween(tag: Tag | undefined, at: number, i: number): number {
    if (!tag && inSection && found === 0 && spec.loose) {
      word = ''
      reader.step = readName
      return i
    }
    if (!tag || !isOuter(tag)) return leave(at)
    if (tag.closing) return tag.kind === 'section' ? closeSection(tag.end) : tag.end
    if (found > 0 && (!inSection || tag.kind === 'section')) return leave(at)
    if (tag.cut) return cutInHead()
    word = tag.word
    inSection ||= tag.kind === 'section'
    if (tag.kind === 'call' && tag.name === undefined) reader.step = readName
    if (tag.name === undefined) return tag.end
    return tag.kind === 'call' ? begin(tag.name, tag) : guess(tag.name, tag.end)
  }

  function done(end: number): number {
    reader.state = 'done'
    return end
  }

  function leave(at: number): number {
    reader.state = found > 0 ? 'done' : 'declined'
    return at
  }

  function cutInHead(): number {
    return new Call(context, '').cutOff(done(text.length))
  }

  function closeSection(end: number): number {
    if (found === 0) context.issue('empty-call', EMPTY, end)
    return done(end)
  }

  /** A tag without a name: it stands behind the tag, or in a tag of its own. */
  function readName(at: number): number {
    const named = nameAt(spec, text, at, text.length, last)
    if (named === NEED_MORE) return at
    body = ''
    from = at
    if (named && word !== '') return begin(named.name, named)
    if (named) {
      word = named.name
      return guess(named.name, named.end)
    }
    const tag = tagAt(nextAt(text, at))
    if (tag === NEED_MORE) return at
    if (!tag) return last ? cutInHead() : leave(at)
    if (isNameless(tag)) return begin('', { end: at })
    if (tag.kind !== 'call') return leave(at)
    // The tag was written twice.
    reader.step = readBetween
    return at
  }

  function guess(name: string, end: number): number {
    begin(name, { end })
    guessed = grouped = true
    return end
  }

  function begin(name: string, tag: Pick<Tag, 'end' | 'selfClosing' | 'short'>): number {
    call = new Call(context, ownName(name, tools))
    call.repairs.push(...corrections)
    corrections = []
    parameters = createParameters(context, call.draft, spec)
    args = key = undefined
    failed = closed = keyed = grouped = guessed = false
    wrapper = ''
    short = tag.short ?? false
    reader.step = readBody
    return tag.selfClosing ? finish(tag.end) : tag.end
  }

  // ── inside a call ─────────────────────────────────────────────────────────────────────────────

  function readBody(at: number): number {
    return pass(at, seeInside)
  }

  function seeInside(tag: Tag | undefined, at: number, i: number): number {
    if (!tag) return readOther(at, i)
    if (isOuter(tag)) return readCallTag(tag, at)
    if (tag.closing) return tag.cut ? endOfReply(tag.end) : tag.end
    if (tag.cut) return cutOff()
    if (tag.kind === 'parameter') return readParameter(tag, at, i)
    dropKey()
    reader.step = readKey
    return tag.end
  }

  /** The end of this call or section, or the beginning of the next. */
  function readCallTag(tag: Tag, at: number): number {
    if (tag.cut && tag.closing) return endOfReply(tag.end)
    if (tag.closing && tag.word === word) return finish(tag.end)
    if (tag.closing && tag.kind === 'call') {
      return finish(tag.end, mismatched(word))
    }
    const again = spec.keys && !tag.closing
    const end = again ? endOfRepetition(tags, body + text.slice(from, at), text, tag.end, last) : -1
    if (end === undefined) return at
    if (end > 0) return finish(end, dropped(call.name))
    // Behind values half a tag begins the next call; behind the name it may be one of a related format.
    if (tag.cut && isEmpty()) return cutOff(spec.keys ? at : text.length)
    return finish(at, missing(word), isEmpty())
  }

  /** True when the reply ends at `at` or inside what may have become a tag there. */
  function endsInTag(at: number): boolean {
    return last && tags(text, at, text.length, false) === NEED_MORE
  }

  /** Text where a tag should be. */
  function readOther(at: number, i: number): number {
    const mark = text.charAt(i)
    if (endsInTag(i)) return mark === '' ? endOfReply(at) : endInTag(i)
    if (key !== undefined) return beginValue(key, i)
    if (mark === '{' && isEmpty()) return beginJson(at, i)
    if (mark === '}' && !isEmpty()) {
      call.repairs.push({ code: 'dropped-bracket', path: [], risk: 'safe', before: mark })
      return i + 1
    }
    if (grouped || spec.group) return readGroup(at, i)
    return spec.keys ? readBareKey(at, i) : endBefore(at)
  }

  /** A key without its opening tag, as the tag behind it shows. */
  function readBareKey(at: number, i: number): number {
    const end = endOfBareKey(text, i)
    const tag = tagAt(end)
    if (tag === NEED_MORE) return at
    if (tag?.kind !== (tag?.closing ? 'key' : 'parameter')) return endBefore(at, endsInTag(end))
    reader.step = readKey
    return i
  }

  /** Other text follows: the call is over, unless it is a few words before the next value. */
  function endBefore(at: number, cut = false): number {
    if (guessed || (spec.group && !inSection && isEmpty())) {
      call.draft?.retract('other text is in the call', at)
      reader.state = 'declined'
      return at
    }
    const next = parameterAhead(tags, text, at, last)
    if (next === undefined) return at
    if (next !== at) {
      call.repairs.push(dropped(text.slice(at, next)))
      return next
    }
    const isLost = isParameterClosed(tags, text, at, last)
    if (isLost === undefined) return at
    if (isLost) return skip(at)
    if (!isEmpty()) return finish(at, missing(word), cut)
    failed = true
    return spec.tokens ? skip(at) : finish(at)
  }

  function isEmpty(): boolean {
    return !args && !failed && parameters.size() + call.repairs.length === 0
  }

  /** All values are complete, so what is missing are closing tags, unless there is no value. */
  function endOfReply(end: number): number {
    if (isEmpty() || key !== undefined) return cutOff(end)
    return finish(end, missing(word), true)
  }

  /** Half a tag that opens something begins what is not there. */
  function endInTag(at: number): number {
    return CLOSING_BEGUN.test(text.slice(at)) ? endOfReply(text.length) : cutOff()
  }

  function cutOff(end = text.length): number {
    return call.cutOff(next(end))
  }

  function beginJson(at: number, i: number): number {
    const start = skipNothing(text, i, last)
    if (start !== i) return start ?? at
    args = createJsonArguments(context, call.draft, (piece, i, isLast) => {
      const tag = tags(piece, i, piece.length, isLast)
      return tag === NEED_MORE ? undefined : tag !== undefined
    })
    reader.step = readJson
    return i
  }

  function readJson(at: number): number {
    const json = args?.reader
    const end = json?.read(text, at, last) ?? at
    if (json?.status === 'done') reader.step = readBody
    else if (json?.status === 'failed') return skip(end)
    else if (last) return cutOff()
    return end
  }

  // ── parameters ────────────────────────────────────────────────────────────────────────────────

  function readParameter(tag: Tag, at: number, i: number): number {
    const given = tag.name ?? key
    if (given === undefined && isEmpty()) return skip(tag.end)
    // Markup that is indented was laid out for the eye, and so are its values.
    const indented = spec.loose && i > at && ' \t'.includes(text.charAt(i - 1))
    beginValue(given, tag.end, tag, tags, indented ? 'space' : undefined)
    if (tag.selfClosing) endValue()
    return tag.end
  }

  /** A key in a tag of its own. */
  function readKey(at: number): number {
    const near = text.slice(at, at + NAME_WINDOW)
    const length = near.indexOf('<')
    if (length === -1 && near.length < NAME_WINDOW) return last ? cutOff() : at
    const written = length > 0 ? tagAt(at + length) : undefined
    if (written === NEED_MORE) return at
    const tag = written ?? (length > 0 ? correctedAt(undefined, at + length) : undefined)
    if (tag === NEED_MORE) return at
    if (!tag) return skip(at)
    key = near.slice(0, length).trim()
    keyed = true
    reader.step = readBody
    return tag.closing && !isOuter(tag) ? tag.end : at + length
  }

  function dropKey(): void {
    if (key !== undefined) call.repairs.push(dropped(key))
    key = undefined
  }

  function beginValue(
    given: string | undefined,
    at: number,
    parameter: Enclosing = { word: spec.parameters[0] ?? '' },
    counting = tags,
    trim?: Trim,
  ): number {
    key = given
    // Arguments cannot be both.
    failed ||= args !== undefined
    enclosing = parameter
    if (key === undefined) call.repairs.push(dropped('a value'))
    else if (!failed) parameters.begin(key, parameter.reading, trim)
    const sink = key === undefined || failed ? undefined : parameters
    const { accepts } = parameters
    const around = { call: { word, short }, parameter, tags: counting, keyed, accepts }
    const ends = createValueEnd(spec, tools, around)
    const found = spec.tokens ? counting : strayClosersOf(given ?? '', counting)
    // Of tags named like parameters, one may well be another without a letter.
    const isKnown = spec.parameters.includes(parameter.word) && context.repair === 'guess'
    const near = isKnown ? nearClosersOf(spec, parameter.word, found) : found
    value = createRawValue(near, sink, ends, spec.loose)
    reader.step = readValue
    return at
  }

  /** What cannot be read is passed over, up to where the call ends. */
  function skip(at: number): number {
    failed = true
    value = createRawValue(tags, undefined, isOuter)
    reader.step = readValue
    return at
  }

  function readValue(at: number): number {
    const end = value.read(text, at, last)
    if (value.state === 'open') return end
    const { tag } = value
    // The reply may well end with a value if no closing tag was written before.
    if (!tag && (!spec.loose || failed || closed || !value.inline)) return cutOff()
    // Half a tag of which so little is left may be a part of the value.
    if (tag?.cut && text.length - end < SHORTEST) return cutOff()
    const proper = tag?.closing === true && !isOuter(tag)
    if (!proper) {
      call.repairs.push(missing(enclosing.word))
      failed ||= endsWithRemains(spec, enclosing.word, value.tail)
    } else if (tag.stray || tag.kind === 'key') call.repairs.push(mismatched(enclosing.word))
    closed ||= proper
    endValue(!proper || value.exact ? 'space' : undefined)
    if (!tag || tag.cut) return endOfReply(text.length)
    return proper ? tag.end : end
  }

  function endValue(trim?: Trim): void {
    if (key !== undefined && !failed) parameters.end(trim)
    key = undefined
    reader.step = readBody
  }

  /** A parameter in a tag named like it. */
  function readGroup(at: number, i: number): number {
    const tag = anyTagAt(text, i)
    if (!tag) return endBefore(at)
    if (tag === NEED_MORE) return last ? endInTag(i) : at
    const { name, closing, end } = tag
    if (closing && name === word) return finish(end)
    if (parameters.wraps(name)) {
      grouped = !closing
      wrapper = name
    } else if (closing || !(grouped || parameters.declares(name))) return endBefore(at)
    else beginValue(name, end, { word: name }, closingTagsOf(name, wrapper, tags))
    return end
  }

  // ── ends ──────────────────────────────────────────────────────────────────────────────────────

  function finish(end: number, repair?: Repair, cut = false): number {
    next(end)
    if (call.name === '') {
      return isEmpty()
        ? call.fail('empty-call', EMPTY, end)
        : call.fail('missing-name', 'the call names no tool', end)
    }
    dropKey()
    if (repair) call.repairs.push(repair)
    if (call.draft && failed) return call.fail('invalid-arguments', UNREADABLE, end)
    const given = args ? { ...args, json: args.json() } : parameters.ending()
    const { json, streamed, repairs } = given
    if (args && isHopeless(repairs)) return call.fail('invalid-json', UNREADABLE, end)
    return call.end({ json, streamed, repairs, end, cut })
  }

  function next(end: number): number {
    found++
    reader.step = readBetween
    return spec.keys ? done(end) : end
  }

  function missing(closer = ''): Repair {
    return missingCloser(closerOf(spec, closer))
  }

  function mismatched(closer: string): Repair {
    return { ...missing(closer), code: 'mismatched-closer' }
  }

  return reader
}

/** What may become a closing tag, also where tags are tokens. */
const CLOSING_BEGUN = /^<(?:\/|\|?$|\|c)/
