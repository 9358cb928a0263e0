/**
 * Harmony: messages with headers; those to a function are calls.
 *
 *     <|channel|>analysis<|message|>I need the weather.<|end|>
 *     <|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo"}<|call|>
 *     <|start|>assistant<|channel|>final<|message|>It is warm.<|return|>
 *
 * The recipient may also stand behind the role. Servers that drop special tokens leave only
 * `commentary to=functions.get_weather json{"city": "Oslo"}`.
 *
 * @see https://cookbook.openai.com/articles/openai-harmony
 */
import { writing } from '../core/instructions.ts'
import {
  type Marker,
  NEED_MORE,
  NO_MATCH,
  type Opener,
  type Protocol,
  type ReasoningTag,
  type ToolTable,
} from '../core/protocol.ts'
import { placedResultText } from '../core/result-text.ts'
import { onLineBefore } from '../core/text/followed-calls.ts'
import type { Identity } from '../core/text/json-calls.ts'
import { marker } from '../core/text/marker.ts'
import { type Groups, namedJson, writeNamedCall } from '../core/text/named-json.ts'
import {
  ahead,
  either,
  literally,
  markerWith,
  oneOf,
  optional,
  type Pattern,
  patternReader,
  sequence,
} from '../core/text/pattern.ts'
import { untilMarker } from '../core/text/result-block.ts'

const START = '<|start|>'
const MESSAGE = '<|message|>'
const CALL = '<|call|>'
const END = '<|end|>'
const RETURN = '<|return|>'
const BEGINNINGS = [START, '<|channel|>']

const read = {
  open: either(...BEGINNINGS),
  close: either(CALL, END, RETURN),
  // Between calls some write the name of the channel once more.
  tail: sequence(literally('commentary'), ahead(literally('<|channel|>'))),
  plain: true,
}

const SPACE = '\\s{0,2}'
const WORD = '[a-z]{1,16}'
const NAME = '[\\w.-]{0,64}'
const ROLE = optional(literally(START), `(?!functions\\.)${NAME}`)
/** What the body is written in, and where it begins. */
const body = (begin: Pattern): Pattern =>
  sequence(SPACE, optional(literally('<|constrain|>')), '\\w{0,16}', SPACE, begin)
const BODY = body(literally(MESSAGE))

const channel = (name: Pattern, ...more: Pattern[]): Pattern =>
  sequence(literally('<|channel|>'), name, ...more)

const recipient = (pattern: Pattern): Pattern => optional(SPACE, literally('to='), pattern)

const others = (group: string): Pattern => `(?<${group}>[^\\s<{"]{1,100})`

/** Headers to others. Some name two channels: the last recipient counts. */
const HEADER = sequence(
  ROLE,
  recipient(others('to')),
  optional(channel(WORD, recipient(others('first')))),
  optional(channel(`(?!final)${WORD}`, recipient(others('second')))),
  BODY,
)
/** The same where the last token is lost. */
const UNENDED = sequence(
  ...[ROLE, optional(channel(WORD)), SPACE, literally('to='), others('other')],
  ...[optional(channel(WORD)), body('(?=\\{)')],
)

const SELF = recipient(literally('assistant'))
const EARLIER = optional(channel(WORD, SELF), ahead(literally('<|channel|>')))

/** Headers of what stays with the model, or is for the user. */
const ownHeader = (role: Pattern, last: Pattern): Pattern =>
  sequence(role, SELF, EARLIER, last, BODY)

const FUNCTION = `${START}functions.`
/** Muse, whose headers are much the same, has one role for all tools. */
const RESULT = ownHeader(
  sequence(
    literally(START),
    oneOf(sequence(literally('functions.'), '[^\\s<]{0,64}'), literally('tool')),
  ),
  optional(channel(WORD, SELF)),
)
const REASONING = ownHeader(ROLE, channel(literally('analysis'), SELF))
const TEXT = ownHeader(ROLE, optional(channel(`(?!analysis\\b)${WORD}`, SELF)))

/** Less of a header at the end of a reply is text. */
const SHORTEST = START.length

function headers(pattern: Pattern, beginning: string, cut: number = SHORTEST): Marker {
  return { ...marker(beginning), match: patternReader(pattern, cut).match }
}

/** A token that begins no header. */
function loneToken(token: string): Marker {
  const own = marker(token)
  const any = patternReader(oneOf(RESULT, HEADER, UNENDED))
  return {
    ...own,
    match(text, at, end, last) {
      const found = any.read(text, at, end)
      if (!found) return own.match(text, at, end, last)
      return found.whole || last ? NO_MATCH : NEED_MORE
    },
  }
}

/** Whom the message is for, unless it stays with the model. */
function identify({ other, to = other, first = to, second = first }: Groups): Identity | undefined {
  const isCall = second !== undefined && second !== 'assistant'
  return isCall ? { name: second.replace(/^functions\./, '') } : undefined
}

/** Behind the ends of reasoning, which begin the same. */
const message = {
  ...namedJson({ ...read, header: oneOf(HEADER, UNENDED), cut: SHORTEST, identify }),
  priority: -1,
}
/** Without a token of its own, half a header is `to=` and a word. */
const firstMessage = namedJson({ ...read, header: HEADER, identify })

/** What is left of a header without its special tokens. */
const STRIPPED = sequence(
  optional(optional(literally('assistant')), literally('commentary'), '\\s{1,2}'),
  literally('to=functions.'),
  '(?<name>[^\\s<{"]{1,100})',
  '\\s{0,2}',
  optional(either('json', 'code', MESSAGE)),
  '\\s{0,2}',
  '(?=\\{)',
)
/** The last one is looked for only where a line or a block ended: to find its first letters takes long. */
const STRIPPED_BEGINNINGS = [
  ['to=functions.', 'word'],
  ['commentary to=', 'word'],
  ['assistantcommentary to=', 'line'],
] as const
const beforeMessage = onLineBefore(
  ...STRIPPED_BEGINNINGS.map(([beginning]) => beginning),
  'assistantfinal',
  'assistantanalysis',
)

const STRIPPED_REASONING: ReasoningTag = {
  open: { ...markerWith('analysis', ahead('[A-Z]')), boundary: 'start' },
  close: ['assistantfinal'],
  until: ['assistantcommentary to=', 'commentary to='],
}

/** The words behind the name have nothing between them any more. */
function strippedName(written = '', tools: ToolTable): string | undefined {
  const bare = written.replace(/(?:commentary|analysis)(?:json|code)?$/, '')
  return [bare, written, written.replace(/json$/, '')].find((name) => tools.find(name))
}

/** Without tokens only the name of a tool tells that a call is meant. */
function strippedOpeners(tools: ToolTable): Opener[] {
  const call = namedJson({
    ...read,
    header: STRIPPED,
    identify(groups) {
      const name = strippedName(groups['name'], tools)
      return name === undefined ? undefined : { name }
    },
  })
  return STRIPPED_BEGINNINGS.flatMap(([beginning, later]) =>
    // Right behind reasoning no word ends.
    ([later, 'start'] as const).map((boundary) => ({
      ...beforeMessage(call),
      prefix: marker(beginning).prefix,
      boundary,
    })),
  )
}

export const harmony: Protocol<'harmony'> = {
  id: 'harmony',
  emitters: 'gpt-oss',
  openers: (tools) => [
    ...BEGINNINGS.map((beginning) => ({ ...message, prefix: marker(beginning).prefix })),
    { ...firstMessage, prefix: [...'to='], boundary: 'start', priority: -1 },
    ...strippedOpeners(tools),
  ],
  reasoning: [
    ...BEGINNINGS.map((beginning) => ({
      open: headers(REASONING, beginning),
      close: [END],
      until: [...BEGINNINGS, CALL, RETURN],
    })),
    STRIPPED_REASONING,
  ],
  tokens: [
    ...[...BEGINNINGS, MESSAGE].flatMap((beginning) => [
      headers(TEXT, beginning),
      loneToken(beginning),
    ]),
    '<|constrain|>',
    CALL,
    END,
    RETURN,
  ],
  ...writing(
    writeNamedCall(
      '<|start|>assistant<|channel|>commentary to=functions.',
      ' <|constrain|>json<|message|>',
      CALL,
    ),
  ),
  results: [
    { open: headers(RESULT, START, FUNCTION.length), findEnd: untilMarker(END, '<|eom|>') },
  ],
  formatResult: ({ name = 'unknown', ...result }, place) =>
    `${START}functions.${name} to=assistant<|channel|>commentary${MESSAGE}${placedResultText(result, place)}${END}`,
}
