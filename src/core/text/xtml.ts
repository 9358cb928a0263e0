/**
 * Syntax factory: elements whose tags are made of tokens, with the types of the arguments written out.
 *
 *     <|open|>call tool="get_weather" index="1"<|sep|>
 *     <|open|>argument key="city" type="string"<|sep|>Oslo<|close|>argument<|sep|>
 *     <|close|>call<|sep|>
 *
 * A server that strips some of the tokens leaves the words between them, so the words decide.
 */
import type { IssueCode, Repair } from '../issue.ts'
import type { JsonValue } from '../json/value.ts'
import { writeJson } from '../json/write.ts'
import {
  type CallDraft,
  type Marker,
  NEED_MORE,
  NO_MATCH,
  type Opener,
  type Protocol,
  type ReadContext,
  type Reader,
} from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { decodeEntities } from './entities.ts'
import { createParameters, type Parameters } from './parameters.ts'
import {
  literally,
  oneOf,
  optional,
  type PatternReader,
  patternReader,
  SPACE,
  sequence,
} from './pattern.ts'
import { createSteps } from './steps.ts'

const OPEN = literally('<|open|>')
const CLOSE = literally('<|close|>')
const SEP = literally('<|sep|>')
const SECTION = literally('tools')
const CALL = literally('call')
const ARGUMENT = literally('argument')
const EQUALS = sequence(SPACE, '=', SPACE, '"')

/** Longest head of a call, and longest head of an argument but for its key. */
const WINDOW = 512
/** White space between elements that is looked over at once. */
const SPACE_WINDOW = 64

const callHead = patternReader(
  sequence(
    OPEN,
    SPACE,
    optional(SECTION, SPACE, optional(SEP, SPACE), optional(OPEN, SPACE)),
    CALL,
    '\\s{1,16}',
    literally('tool'),
    EQUALS,
    '(?<name>[^"]{1,200})',
    '"',
    '[^<]{0,64}',
    '<',
  ),
  '<|open|>call'.length,
)
const argumentHead = patternReader(
  sequence(optional(OPEN, SPACE), ARGUMENT, '\\s{1,16}', literally('key'), EQUALS),
)
const keyEnd = patternReader(
  sequence('"', SPACE, optional(literally('type'), EQUALS, '(?<type>[^"]{0,64})', '"'), SPACE, SEP),
)
const separator = patternReader(SEP)
const callEnd = patternReader(sequence(CLOSE, SPACE, CALL, SPACE, SEP))
const bareCallEnd = patternReader(sequence(CLOSE, SPACE, CALL))
const argumentEnd = patternReader(sequence(CLOSE, SPACE, ARGUMENT))
/** What a value ends before when its own end is missing. */
const nextArgument = patternReader(sequence(OPEN, SPACE, ARGUMENT, '\\s'))
const boundary = patternReader(
  sequence(oneOf(CLOSE, OPEN), SPACE, oneOf(CALL, SECTION, literally('message'))),
)

const ENDS_INSIDE = 'the reply ends inside a call'

export const xtmlCall: Opener = {
  prefix: [...'<|open'],
  match: callHead.match,
  keep: true,
  open: readCall,
}

/** A part of the reply begins or ends. */
export const xtmlTag: Marker = {
  // `<|open` or `<|clos`.
  prefix: ['<', '|', 'oc', 'pl', 'eo', 'ns'],
  match: patternReader(
    sequence(
      oneOf(OPEN, CLOSE),
      SPACE,
      '[a-z]{1,24}',
      optional('\\s', literally('role'), EQUALS, '[a-z]{0,24}', '"'),
      SPACE,
      SEP,
    ),
    '<|open|>'.length,
  ).match,
}

/** The tag that opens one part of a reply. */
export function xtmlOpening(word: string): Marker {
  const pattern = sequence(OPEN, SPACE, literally(word), SPACE, SEP)
  return { prefix: [...'<|open'], match: patternReader(pattern).match }
}

function readCall(context: ReadContext): Reader {
  const reader = createSteps<Reader['state']>(readHead)
  let name = ''
  let draft: CallDraft | undefined
  let parameters: Parameters
  let key: string[] = []
  const repairs: Repair[] = []

  function readHead(text: string, at: number): number {
    const head = callHead.read(text, at, at + WINDOW)
    name = decodeEntities(head?.groups['name'] ?? '')
    if (!head?.whole) return fail('truncated-call', ENDS_INSIDE, text.length)
    draft = context.begin(name)
    parameters = createParameters(context, draft, { trim: 'none' })
    reader.step = readBetween
    return at + head.length - 1
  }

  // ── between arguments ─────────────────────────────────────────────────────────────────────────

  function readBetween(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at, Math.min(text.length, at + SPACE_WINDOW))
    if (i === at + SPACE_WINDOW) return i
    const found = matches(text, i, last, separator, argumentHead, boundary, callEnd, bareCallEnd)
    if (found.includes(NEED_MORE)) return at
    const [skipped = NO_MATCH, begun = NO_MATCH, other = NO_MATCH, ...ended] = found
    if (skipped > 0) return i + skipped
    if (begun > 0) {
      reader.step = readKey
      return i + begun
    }
    const length = Math.max(...ended)
    if (length > 0) return finish(i + length)
    if (last && isCutArgument(text, i)) return fail('truncated-call', ENDS_INSIDE, text.length)
    return parameters.size() > 0 || other > 0 ? finish(at, missing('call')) : skipToEnd(i)
  }

  /** The reply ends inside the head of an argument, as far as that can be told from a closing tag. */
  function isCutArgument(text: string, at: number): boolean {
    const found = argumentHead.read(text, at, at + WINDOW)
    return found?.whole === false && found.length > '<|'.length
  }

  function readKey(text: string, at: number, last: boolean): number {
    const quote = text.indexOf('"', at)
    const end = quote === -1 ? text.length : quote
    key.push(text.slice(at, end))
    if (quote !== -1) reader.step = readType
    else if (last) return fail('truncated-call', ENDS_INSIDE, end)
    return end
  }

  function readType(text: string, at: number, last: boolean): number {
    const found = keyEnd.read(text, at, at + WINDOW)
    if (!found) return skipToEnd(at)
    if (!found.whole) return last ? fail('truncated-call', ENDS_INSIDE, text.length) : at
    const type = found.groups['type']
    const reading = type === 'string' ? 'text' : type && 'json'
    parameters.begin(decodeEntities(key.join('')), reading || undefined)
    key = []
    reader.step = readValue
    return at + found.length
  }

  // ── values ────────────────────────────────────────────────────────────────────────────────────

  function readValue(text: string, at: number, last: boolean): number {
    for (let i = text.indexOf('<|', at); i !== -1; i = text.indexOf('<|', i + 1)) {
      const [own = NO_MATCH, ...others] = matches(
        text,
        i,
        last,
        argumentEnd,
        nextArgument,
        boundary,
      )
      if (own > 0) return endValue(text, at, i, i + own)
      if (own === NEED_MORE || others.includes(NEED_MORE)) return put(text, at, i)
      if (Math.max(...others) > 0) {
        repairs.push(missing('argument'))
        return endValue(text, at, i, i)
      }
    }
    if (last) return fail('truncated-call', ENDS_INSIDE, text.length)
    return put(text, at, certainEnd(text))
  }

  function endValue(text: string, at: number, end: number, next: number): number {
    put(text, at, end)
    parameters.end()
    reader.step = readBetween
    return next
  }

  function put(text: string, at: number, end: number): number {
    if (end > at) parameters.text(text.slice(at, end))
    return end
  }

  // ── ends ──────────────────────────────────────────────────────────────────────────────────────

  /** What cannot be read is passed over, up to where the call ends. */
  function skipToEnd(at: number): number {
    reader.step = (text, start, last) => {
      for (let i = text.indexOf('<|', start); i !== -1; i = text.indexOf('<|', i + 1)) {
        const [next = NO_MATCH, ...ended] = matches(text, i, last, boundary, callEnd, bareCallEnd)
        if (next === NEED_MORE || ended.includes(NEED_MORE)) return i
        const end = i + Math.max(...ended)
        if (next > 0) return fail('invalid-arguments', 'the arguments cannot be read', end)
      }
      return last ? fail('truncated-call', ENDS_INSIDE, text.length) : certainEnd(text)
    }
    return at
  }

  function finish(end: number, ...more: readonly Repair[]): number {
    if (!draft) return fail('unknown-tool', `there is no tool named ${name}`, end)
    reader.state = 'done'
    const given = parameters.ending()
    draft.end({ ...given, repairs: [...given.repairs, ...repairs, ...more], end })
    return end
  }

  function fail(code: IssueCode, message: string, end: number): number {
    reader.state = 'done'
    if (draft) draft.fail(code, message, end)
    else context.issue(code, message, end, name)
    return end
  }

  return reader
}

/** The next piece may complete a token. */
function certainEnd(text: string): number {
  return text.endsWith('<') ? text.length - 1 : text.length
}

function matches(
  text: string,
  at: number,
  last: boolean,
  ...patterns: readonly PatternReader[]
): number[] {
  const end = Math.min(text.length, at + WINDOW)
  return patterns.map(({ match }) => match(text, at, end, last || end < text.length))
}

function missing(word: string): Repair {
  return { code: 'missing-closer', path: [], risk: 'safe', after: `<|close|>${word}<|sep|>` }
}

/** Writes a call with the types that its values have in JSON. */
export const writeXtmlCall: Protocol['formatCall'] = ({ name, arguments: args }) => {
  const written = Object.entries(args).map(([key, value]) => writeArgument(key, value))
  const call = element(`call tool="${attribute(name)}" index="1"`, written.join(''), 'call')
  return element('tools', call)
}

function writeArgument(key: string, value: JsonValue): string {
  const plain = typeof value === 'string' && !value.includes('<|')
  const type = plain ? 'string' : typeOf(value)
  const content = plain ? value : writeJson(value).replaceAll('<|', '\\u003c|')
  return element(`argument key="${attribute(key)}" type="${type}"`, content, 'argument')
}

/** A text that quotes tokens is written as JSON, where they can be spelled otherwise. */
function typeOf(value: JsonValue): string {
  if (typeof value === 'string') return 'json'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function element(head: string, content: string, word = head): string {
  return `<|open|>${head}<|sep|>${content}<|close|>${word}<|sep|>`
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}
