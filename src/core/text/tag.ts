/**
 * The tags of calls as models write them: `<function=name>`, `</parameter>`, `<invoke name="x">`, with
 * white space where none belongs and marks missing; or the same made of a model's own tokens.
 */
import { NEED_MORE } from '../protocol.ts'
import { remembering } from '../remember.ts'
import { skipSpace } from './characters.ts'
import { decodeEntities } from './entities.ts'
import type { Reading } from './parameters.ts'
import {
  either,
  literally,
  oneOf,
  optional,
  type Pattern,
  patternReader,
  SPACE,
  sequence,
} from './pattern.ts'

export interface TagWords {
  /** What encloses calls. */
  readonly sections: readonly string[]
  readonly calls: readonly string[]
  /** What encloses a key when keys stand in tags of their own. */
  readonly keys?: readonly string[]
  readonly parameters: readonly string[]
  /** True when the models that write it are known to forget tags and to make up their own. */
  readonly loose?: boolean
  /** What may stand between tags beside white space; if it begins with `<`, then as tags do. */
  readonly separator?: Pattern
  /** How tags are made of words; by default as in XML. */
  readonly marks?: TagMarks
}

/** The patterns around the word of a tag. */
export interface TagMarks {
  /** What must follow `<` and `</`, one of these characters; by default what words begin with. */
  readonly lead?: string | undefined
  /** What may stand behind the lead of an opening tag, place by place. */
  readonly follows?: readonly string[] | undefined
  readonly open: Pattern
  /** What may be hung on a word. */
  readonly suffix?: Pattern | undefined
  /** From behind the word to the end of an opening tag; what is given stands in the group `head`. */
  readonly head: Pattern
  readonly close: Pattern
  /** From behind the word to the end of a closing tag. */
  readonly tail: Pattern
  /** A closing tag as it should be. */
  closer(word: string): string
}

export interface Tag {
  readonly kind: 'section' | 'call' | 'key' | 'parameter' | 'separator'
  readonly word: string
  readonly closing: boolean
  /** Index behind the tag. */
  readonly end: number
  /** True when the reply ends inside the tag. */
  readonly cut: boolean
  /** What is called or given, behind `=` or as an attribute. */
  readonly name?: string | undefined
  /** True for `<function=name>`. */
  readonly short?: boolean
  readonly selfClosing?: boolean
  /** True when it opens something, and says nothing about it but its name and type. */
  readonly plain?: boolean
  /** What the tag says about its value. */
  readonly reading?: Reading | undefined
  /** True when it closes nothing by its word, but may be meant to close the value before it. */
  readonly stray?: boolean
}

export function isOuter({ kind }: Tag): boolean {
  return kind === 'call' || kind === 'section'
}

/** Nothing, or a key, where the name should stand. */
export function isNameless(tag: Tag): boolean {
  return tag.kind === (tag.closing ? 'call' : 'key')
}

/** Undefined: no tag stands here. */
export type TagAt = (
  text: string,
  at: number,
  end: number,
  last: boolean,
) => Tag | undefined | typeof NEED_MORE

/** Longest tag, and longest beginning of one that is looked up. */
const WINDOW = 2560
const LONGEST = 32
/** Longest white space between tags that is looked over. */
export const SPACE_WINDOW = 256

/** Where the next tag may stand, behind white space. */
export function nextAt(text: string, at: number): number {
  return skipSpace(text, at, at + SPACE_WINDOW)
}

/** The `>` may be missing: a line break ends a name behind `=`, and the next tag ends any head. */
const NEXT_TAG = '<(?:$|[^|])'
const VALUE = oneOf('"[^"<>\\n]*"?', "'[^'<>\\n]*'?", '[^\\s<>"\']+')
const ATTRIBUTE = sequence('[\\w:-]{1,64}', '\\s*', '=', '\\s*', VALUE)
const ATTRIBUTES = `\\s*(?:${ATTRIBUTE})?(?:\\s+(?:$|${ATTRIBUTE}))*[\\s/]*`
const TOKENS = `(?:${sequence('<', '\\|', '\\w{1,24}', '\\|', '>')})*`
const HEAD = oneOf(
  sequence('(?<short>\\s{0,16}=[^<>\\n]*)', oneOf('>', `(?=\\n|${NEXT_TAG})`)),
  sequence(
    `(?<head>${ATTRIBUTES})`,
    oneOf(sequence(TOKENS, '["\'\\s]{0,4}', '>'), `(?=${NEXT_TAG})`),
  ),
)
/** The name may stand there once more: `</parameter=city>`. */
const TAIL = sequence(
  ...[SPACE, optional('\\w{0,8}', '=[^<>\\n]{0,128}(?![^<>\\n])'), SPACE],
  oneOf('>', '(?=[^\\w>=\\s])'),
)

/** What is written for the bar of a token. */
const BARS = '｜|‖'

/** Tags as in XML; `namespace` stands before the words in bars of any number: `<｜DSML｜invoke …>`. */
export function xmlMarks(namespace?: string, suffix?: Pattern): TagMarks {
  const before = namespace
    ? sequence(`[${BARS}\\s]{1,8}`, literally(namespace), `[${BARS}\\s]{0,8}`)
    : SPACE
  return {
    lead: namespace ? BARS : undefined,
    follows: namespace ? [`${BARS} \t\r\n${namespace.charAt(0)}`] : undefined,
    open: sequence('<', before),
    suffix,
    head: HEAD,
    close: sequence('<', SPACE, '\\/', before),
    tail: TAIL,
    closer: (word) => `</${namespace ? `｜${namespace}｜` : ''}${word}>`,
  }
}

const XML = xmlMarks()

/** A closing tag as it should be. */
export function closerOf({ marks = XML }: TagWords, word: string): string {
  return marks.closer(word)
}

/** The characters with which a tag of one of the words can begin, place by place. */
export function tagPrefix(words: readonly string[]): string[] {
  const length = Math.min(6, ...words.map((word) => word.length))
  const places = Array.from({ length }, (_, at) => words.map((word) => word.charAt(at)))
  return ['<', ...places.map((characters) => characters.join(''))]
}

/** Finds tags made of these words. */
export const tagsOf: (words: TagWords) => TagAt = remembering(createTags)

function createTags(spec: TagWords): TagAt {
  const { lead, open, suffix = '', head, close, tail } = spec.marks ?? XML
  const kinds = new Map<string, Tag['kind']>()
  for (const word of spec.parameters) kinds.set(word, 'parameter')
  for (const word of spec.keys ?? []) kinds.set(word, 'key')
  for (const word of spec.calls) kinds.set(word, 'call')
  for (const word of spec.sections) kinds.set(word, 'section')
  const words = [...kinds.keys()]
  const begins = lead === undefined ? words.map((word) => `<${word} `) : []
  const leads = ` \t\r\n${lead ?? words.map((word) => word.charAt(0)).join('')}`
  const spelled = either(...words)
  const pattern = oneOf(
    ...(spec.separator ? [`(?<separator>${spec.separator})`] : []),
    sequence(open, `(?<opened>${spelled})`, suffix, WORD_END, head),
    sequence(close, `(?<closed>${spelled})`, suffix, WORD_END, tail),
  )
  // Tags may be longer than other patterns, for a key may be.
  const whole = new RegExp(`^${pattern.replaceAll('$|', '')}`)
  const partial = new RegExp(`^(?:$|${pattern})`)

  return (text, at, end, last) => {
    // Most of what begins like a tag is none, and seen to be none at a glance.
    const start = text.startsWith('</', at) ? at + 2 : at + 1
    if (start < end && text.charAt(at) === '<' && !leads.includes(text.charAt(start))) {
      return undefined
    }
    const limit = Math.min(end, at + WINDOW)
    const near = text.slice(at, limit)
    // In a stream tags come letter by letter: half a word needs no expression.
    if (!last && near.length < LONGEST && begins.some((tag) => tag.startsWith(near))) {
      return NEED_MORE
    }
    const complete = whole.exec(near)
    const found = complete ?? (near.length < WINDOW ? partial.exec(near) : null)
    if (!found) return undefined
    const cut = !complete
    if (cut && !last) return NEED_MORE
    const { groups = {} } = found
    const behind = at + found[0].length
    if (groups['separator'] !== undefined)
      return cut ? undefined : { kind: 'separator', word: '', closing: false, end: behind, cut }
    const closing = groups['closed'] !== undefined
    const begun = groups['closed'] ?? groups['opened'] ?? ''
    const word = cut ? words.find((known) => known.startsWith(begun)) : begun
    const kind = begun && kinds.get(word ?? '')
    if (!word || !kind) return undefined
    const short = groups['short']
    const given = short ?? groups['head'] ?? ''
    const name = cut || given === '' ? undefined : nameIn(given, short !== undefined)
    return {
      // `<parameter>city</parameter>Oslo`: the key stands where the value should.
      kind: kind === 'parameter' && spec.loose && !closing && name === undefined ? 'key' : kind,
      word,
      closing,
      end: behind,
      cut,
      name: kind === 'call' ? name || undefined : name,
      short: short !== undefined,
      selfClosing: given !== '' && /\/\s*$/.test(given),
      plain: !FOREIGN.test(given),
      reading: given === '' ? undefined : readingIn(given),
    }
  }
}

/** A closing tag of any name. */
const CLOSING = patternReader(
  sequence('<', SPACE, '\\/', SPACE, '(?<word>[\\w:.-]{1,256}(?![\\w:.(-]))', TAIL),
)

/**
 * Finds closing tags of a parameter and of what is around it, with names that are known from the reply: no
 * expression is made for them. Where there is none it asks for `others`.
 */
export function closingTagsOf(parameter: string, around: string, others: TagAt): TagAt {
  return (text, at, end, last) => {
    const found = CLOSING.read(text, at, end)
    const written = found?.groups['word'] ?? ''
    const word = [parameter, around].find((known) =>
      found?.whole ? written === known : known.startsWith(written),
    )
    if (!found || !word) return others(text, at, end, last)
    const cut = !found.whole
    if (cut && !last) return NEED_MORE
    const kind = word === parameter ? 'parameter' : 'section'
    return { kind, word, closing: true, end: at + found.length, cut }
  }
}

/** What models close a parameter with, beside its key. */
const CLOSERS = ['param', 'parameter', 'parameters', 'arg', 'argument', 'value']

/** Finds closing tags that are no tags of calls, and may be meant for the value of `key`. */
export function strayClosersOf(key: string, tags: TagAt): TagAt {
  const words = [key.toLowerCase(), ...CLOSERS]
  return (text, at, end, last) => {
    const tag = tags(text, at, end, last)
    const found = tag ? undefined : CLOSING.read(text, at, end)
    if (!found) return tag
    const written = found.groups['word']?.toLowerCase() ?? ''
    if (!found.whole) {
      return !last && words.some((word) => word.startsWith(written)) ? NEED_MORE : undefined
    }
    if (!words.includes(written)) return undefined
    const behind = at + found.length
    return { kind: 'parameter', word: written, closing: true, end: behind, cut: false, stray: true }
  }
}

/** A word ends here; `<functionname="x">` has lost a space. */
const WORD_END = oneOf(`(?=${literally('name')})`, '(?![\\w.:(-])')
const NAME = /(?:^|\s)(?:name|tool|key)\s*=\s*(?:"([^"]*)|'([^']*)|([^\s"']*[^\s"'/]))/i
const SHORT_NAME = /^\s*=\s*(?:"([^"]*)|'([^']*)|(.*))/
/** Attributes behind a name without quotes. */
const ATTRIBUTES_BEHIND = /\s\w+=["'].*/
/** The end of a tag that closes itself, and attributes that are not of calls. */
const FOREIGN = /\/\s*$|(?:^|\s)(?!(?:name|tool|key|type|string)\s*=)[\w:-]+\s*=/i
const READING = /\s(?:string|type)\s*=\s*["']?(\w+)/i

function nameIn(given: string, isShort: boolean): string | undefined {
  const [, double, single, bare] = (isShort ? SHORT_NAME : NAME).exec(given) ?? []
  // The slash by itself: an expression for the white space around it would go over it again and again.
  const name =
    double ?? single ?? bare?.replace(ATTRIBUTES_BEHIND, '').trim().replace(/\/$/, '').trimEnd()
  return name === undefined ? undefined : decodeEntities(name)
}

/** Text or JSON, as an attribute says. */
function readingIn(head: string): Reading | undefined {
  const [, type] = READING.exec(head) ?? []
  if (type === undefined) return undefined
  return /^(?:true|str|text)/i.test(type) ? 'text' : 'json'
}
