/** Reads calls and their parameters in tags; `tagged-call.ts` says where they begin. */
import type { Repair } from '../issue.ts'
import { NEED_MORE, type ReadContext, type Reader } from '../protocol.ts'
import { Call, missingCloser } from './call.ts'
import { skipSpace } from './characters.ts'
import { createJsonArguments, type JsonArguments } from './json-arguments.ts'
import { isHopeless } from './json-calls.ts'
import { createParameters, type Parameters, type Reading } from './parameters.ts'
import { createRawValue, isOwnTag, isUnquoted, type RawValue } from './raw-value.ts'
import { takeSteps } from './steps.ts'
import { closerOf, closingTagsOf, type Tag, type TagAt, type TagWords, tagsOf } from './tag.ts'
import { nameAt, ownName } from './tagged-name.ts'
import type { Trim } from './trimmed.ts'

export interface TaggedCallSpec extends TagWords {
  /**
   * How the tag of a call looks that may stand without a section around it; `marked`: named, and in a
   * namespace that says enough.
   */
  readonly bare?: 'short' | 'named' | 'marked'
  readonly trim: Trim
  /** How a value is read of which neither the schema nor its tag tells the type. */
  readonly untyped?: Reading
  /** True when parameters may be tags named like them: declared ones, and any in a tag around them all. */
  readonly group?: boolean
  /** True when models, and servers with them, take values for XML, which has escapes. */
  readonly escaped?: boolean
  /** True when tags are tokens that nobody writes by hand: all of them count, other text does not. */
  readonly tokens?: boolean
}

/** Longest white space between tags that is looked over, and longest name between tags. */
const SPACE_WINDOW = 256
const NAME_WINDOW = 256
/** How far behind the end of a call the end of a value is looked for. */
const CLOSER_WINDOW = 1024
/** Of it, so much must be new to look at it again. */
const FEW = 128
/** Longest key without a tag before it. */
const KEY_WINDOW = 64
/** Shortest beginning of a closing tag that can be told from one in the text. */
const SHORTEST = 6
/** Longest call that is recognized when it is written once more inside itself. */
const REPEAT_WINDOW = 512

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
  let short: boolean | undefined
  let call: Call
  let parameters: Parameters
  /** Arguments that are written as JSON in place of the parameters. */
  let args: JsonArguments | undefined
  /** True when what stands in the call cannot be read. */
  let failed: boolean
  /** The key whose value has not come yet, or is being read. */
  let key: string | undefined
  let value: RawValue
  /** The tag that the value stands in, the tags that count in it, and the words of those that are text. */
  let enclosing: Pick<Tag, 'word' | 'short'> = { word: '' }
  let own: TagAt
  let quoted: Set<string>
  /** How much stood behind a closing tag when it could not be told whether it is the last. */
  let awaited = 0
  /** True once a value of the call had its closing tag. */
  let closed: boolean
  /** True once a key of the call stood in a tag of its own: where none does, such a tag is text. */
  let keyed: boolean
  /** True where parameters are tags named like them, and the tag around them all. */
  let grouped: boolean
  let wrapper: string
  /** True when only that and a declared name tell that it is a call. */
  let guessed: boolean
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

  function nextAt(at: number): number {
    return skipSpace(text, at, at + SPACE_WINDOW)
  }

  function tagAt(at: number): ReturnType<TagAt> {
    return tags(text, at, text.length, last)
  }

  /** Passes white space and separators, and tells what stands behind them, at `i`. */
  function pass(at: number, see: (tag: Tag | undefined, at: number, i: number) => number): number {
    const i = nextAt(at)
    if (i === at + SPACE_WINDOW) return i
    const tag = tagAt(i)
    if (tag === NEED_MORE) return at
    return tag?.kind === 'separator' ? tag.end : see(tag, at, i)
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
    const tag = tagAt(nextAt(at))
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
      return finish(tag.end, { ...missing(word), code: 'mismatched-closer' })
    }
    const end = spec.keys && !tag.closing ? endOfRepetition(tag, at) : -1
    if (end === undefined) return at
    if (end > 0) return finish(end, dropped(call.name))
    // Behind values half a tag begins the next call; behind the name it may be one of a related format.
    if (tag.cut && isEmpty()) return cutOff(spec.keys ? at : text.length)
    return finish(at, missing(word))
  }

  /** Where the call ends if it is written once more inside itself, or -1; undefined: not known yet. */
  function endOfRepetition(tag: Tag, at: number): number | undefined {
    const written = (body + text.slice(from, at)).trim()
    const start = nextAt(tag.end)
    const again = text.slice(start, start + written.length)
    if (written.length > REPEAT_WINDOW || !written.startsWith(again)) return -1
    const closer = tagAt(nextAt(start + again.length))
    if (closer === NEED_MORE) return undefined
    return closer?.closing && again === written ? closer.end : -1
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
    const [near = ''] = /^[^<>\n]*/.exec(text.slice(i, i + KEY_WINDOW)) ?? []
    const tag = tagAt(i + near.length)
    if (tag === NEED_MORE) return at
    if (tag?.kind !== (tag?.closing ? 'key' : 'parameter')) {
      return endBefore(at, endsInTag(i + near.length))
    }
    reader.step = readKey
    return i
  }

  /** Other text follows: the call is over, unless it is a few words before the next value. */
  function endBefore(at: number, cut = false): number {
    if (guessed || (spec.group && !inSection && isEmpty())) {
      call.draft?.retract('other text stands in the call')
      reader.state = 'declined'
      return at
    }
    const next = nextParameter(at)
    if (next !== at) {
      if (next !== undefined) call.repairs.push(dropped(text.slice(at, next)))
      return next ?? at
    }
    if (!isEmpty()) return finish(at, missing(word), cut)
    failed = true
    return spec.tokens ? skip(at) : finish(at)
  }

  /** Where the next parameter begins if little stands before it, or `at`; undefined: not known yet. */
  function nextParameter(at: number): number | undefined {
    const limit = at + KEY_WINDOW
    for (let i = text.indexOf('<', at); i !== -1 && i < limit; i = text.indexOf('<', i + 1)) {
      const tag = tagAt(i)
      if (tag === NEED_MORE) return undefined
      if (tag) return tag.closing || isOuter(tag) || tag.kind === 'separator' ? at : i
    }
    return last || text.length >= limit ? at : undefined
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
    const near = text.slice(i, i + SPACE_WINDOW)
    const [whole, behind = ''] = NO_JSON.exec(near) ?? []
    // An object with nothing in it before parameters is none.
    if (whole !== undefined && behind.length > 1) return i + whole.length - behind.length
    if (whole === near && !last) return at
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
    beginValue(given, tag.end, tag, tags, tag.reading, indented ? 'space' : undefined)
    if (tag.selfClosing) endValue()
    return tag.end
  }

  /** A key in a tag of its own. */
  function readKey(at: number): number {
    const near = text.slice(at, at + NAME_WINDOW)
    const length = near.indexOf('<')
    if (length === -1 && near.length < NAME_WINDOW) return last ? cutOff() : at
    const tag = length > 0 ? tagAt(at + length) : undefined
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
    within: typeof enclosing = { word: spec.parameters[0] ?? '' },
    counting = tags,
    reading?: Reading,
    trim?: Trim,
  ): number {
    key = given
    // Arguments cannot be both.
    failed ||= args !== undefined
    enclosing = within
    own = counting
    quoted = new Set()
    if (key === undefined) call.repairs.push(dropped('a value'))
    else if (!failed) parameters.begin(key, reading, trim)
    const sink = key === undefined || failed ? undefined : parameters
    value = createRawValue(own, sink, endsValue, spec.loose)
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
    const proper = tag?.kind === 'parameter' && tag.closing
    if (!proper) call.repairs.push(missing(enclosing.word))
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

  function endsValue(tag: Tag, before: string): boolean | undefined {
    if (spec.tokens) return tag.kind !== 'separator'
    if (tag.closing) return isEnd(tag, before)
    const ends = !tag.cut && isOwnTag(before) && isNext(tag)
    if (ends === false && !tag.selfClosing) quoted.add(tag.word)
    return ends
  }

  /** True for the next parameter or call. */
  function isNext(tag: Tag): boolean | undefined {
    if (tag.kind === 'section') {
      const inside = tagAt(nextAt(tag.end))
      return inside === NEED_MORE
        ? undefined
        : inside?.kind === 'call' && !inside.closing && isAlike(inside)
    }
    if (tag.name === undefined) return tag.kind === 'key' && keyed
    return isAlike(tag) && (tag.kind === 'parameter' || tools.find(tag.name) !== undefined)
  }

  /** True for a tag that is written as this call and its parameters are: any other may be text. */
  function isAlike(tag: Tag): boolean {
    if (tag.closing) return tag.kind !== 'call' || tag.word === word
    if (tag.kind === 'section') return true
    if (tag.kind === 'key') return keyed
    const known = tag.kind === 'call' ? { word, short } : enclosing
    return !!tag.plain && tag.short === known.short && (tag.short || tag.word === known.word)
  }

  /** A closing tag of the value, the call or the section, and no mention of one. */
  function isEnd(tag: Tag, before: string): boolean | undefined {
    if (tag.kind === 'key' || !isAlike(tag)) return false
    const unquoted = isUnquoted(before, text, tag.end, last)
    const isOwn = tag.word === enclosing.word
    // It may close a tag like it that is text.
    const isPaired = quoted.has(tag.word)
    if (isOwn && !isPaired) return unquoted && isOwnEnd(tag.end)
    if (tag.kind === 'parameter' && !isOwn && isPaired) return false
    return unquoted && isLastCloser(tag.end, false)
  }

  /** The value's own closing tag is text as well if other text follows, and then one more of its kind. */
  function isOwnEnd(end: number): boolean | undefined {
    const next = text.charAt(nextAt(end))
    return next === '<' || isLastCloser(end, true)
  }

  /** Asked with every piece of a stream until it is known: a few characters more tell nothing. */
  function isLastCloser(end: number, isOwn: boolean): boolean | undefined {
    const ahead = text.length - end
    const enough = awaited < FEW ? 0 : Math.min(awaited + FEW, CLOSER_WINDOW)
    if (!last && ahead < enough) return undefined
    const is = isOuterEnd(end, isOwn)
    awaited = is === undefined ? ahead : 0
    return is
  }

  /**
   * What closes more than the value is text if the value's own closing tag is still to come; where keys
   * have tags of their own that one is hardly ever forgotten, and only a key tells that it was.
   */
  function isOuterEnd(end: number, isOwn: boolean): boolean | undefined {
    const next = nextAt(end)
    const limit = end + CLOSER_WINDOW
    for (let i = next; i !== -1 && i < limit; i = spec.keys ? -1 : text.indexOf('<', i + 1)) {
      const tag = own(text, i, text.length, last)
      if (tag === NEED_MORE) return undefined
      if (!tag) continue
      if (tag.closing && tag.kind === 'parameter') return false
      // Right behind it any call counts.
      if (i === next && !tag.closing && isOuter(tag)) return true
      if ((i === next || !tag.closing) && isAlike(tag)) return true
    }
    const isFull = text.length >= limit
    if (!spec.keys) return last || isFull || undefined
    // Looked for by their words: there may be such a place in every line.
    const ahead = new RegExp(`[\\w>\\n]</?${spec.keys[0]}|/${spec.parameters[0]}`)
    const [found] = ahead.exec(text.slice(end, limit)) ?? []
    if (found) return !found.startsWith('/')
    return isFull ? isOwn : last || undefined
  }

  /** A parameter in a tag named like it. */
  function readGroup(at: number, i: number): number {
    const near = text.slice(i, i + NAME_WINDOW)
    const [whole, slash, tag = ''] = ANY_TAG.exec(near) ?? []
    if (whole === undefined) {
      if (near.length === NAME_WINDOW || !TAG_BEGUN.test(near)) return endBefore(at)
      return last ? endInTag(i) : at
    }
    const end = i + whole.length
    if (slash && tag === word) return finish(end)
    if (parameters.wraps(tag)) {
      grouped = !slash
      wrapper = tag
    } else if (slash || !(grouped || parameters.declares(tag))) return endBefore(at)
    else beginValue(tag, end, { word: tag }, closingTagsOf(tag, wrapper, tags))
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

  return reader
}

const NO_JSON = /^\{\s*\}?\s*(<[^/]?|$)/
const ANY_TAG = /^<(\/?)([\w:.-]+)\s*>/
/** What may become a closing tag, also where tags are tokens. */
const CLOSING_BEGUN = /^<(?:\/|\|?$|\|c)/
const TAG_BEGUN = /^<\/?[\w:.-]*\s*$/

export function isOuter({ kind }: Tag): boolean {
  return kind === 'call' || kind === 'section'
}

/** Nothing, or a key, where the name should stand. */
export function isNameless(tag: Tag): boolean {
  return tag.kind === (tag.closing ? 'call' : 'key')
}

function dropped(before: string): Repair {
  return { code: 'dropped-text', path: [], risk: 'guess', before }
}
