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
  NO_MATCH,
  type Opener,
  type Protocol,
  type ReasoningTag,
  type ToolTable,
} from '../core/protocol.ts'
import { formatResultText } from '../core/result-text.ts'
import { CHANNEL, HEADER, headers, loneToken, recipientOf } from '../core/text/channel-header.ts'
import { marker } from '../core/text/marker.ts'
import { namedJson, writeNamedCall } from '../core/text/named-json.ts'
import { literally, oneOf, optional, patternReader, sequence } from '../core/text/pattern.ts'
import { untilMarker } from '../core/text/result-block.ts'

const START = '<|start|>'
const MESSAGE = '<|message|>'
const CALL = '<|call|>'
const END = '<|end|>'
const RETURN = '<|return|>'
const BEGINNINGS = [START, '<|channel|>']

const either = (...tokens: readonly string[]) => oneOf(...tokens.map((token) => literally(token)))

const read = {
  open: either(...BEGINNINGS),
  close: either(CALL, END, RETURN),
  // Between calls some write the name of the channel once more.
  tail: sequence(literally('commentary'), `(?=${CHANNEL})`),
  plain: true,
}

const message = namedJson({
  ...read,
  header: HEADER,
  identify: (groups) => ({ name: recipientOf(groups) }),
})

/** Behind the ends of reasoning, which begin the same. */
function callOpener(beginning: string): Opener {
  return { ...message, ...headers('call', beginning), priority: -1 }
}

/** What is left of a header without its special tokens. */
const STRIPPED = sequence(
  optional(optional(literally('assistant')), literally('commentary'), '\\s{1,2}'),
  literally('to=functions.'),
  '(?<name>[\\w.-]{1,100})',
  '\\s{0,2}',
  optional(either('json', 'code', MESSAGE)),
  '\\s{0,2}',
  '(?=\\{)',
)
const stripped = namedJson({
  ...read,
  header: STRIPPED,
  identify: ({ name }, tools) => ({ name: strippedName(name, tools) }),
})
const strippedReader = patternReader(STRIPPED)

const STRIPPED_REASONING: ReasoningTag = {
  open: {
    ...marker('analysis'),
    boundary: 'start',
    match: patternReader(sequence(literally('analysis'), '(?=[A-Z])')).match,
  },
  close: ['assistantfinal'],
  until: ['assistantcommentary to=', 'commentary to='],
}

/** The words behind the name have nothing between them any more. */
function strippedName(written = '', tools: ToolTable): string | undefined {
  const bare = written.replace(/(?:commentary|analysis)(?:json|code)?$/, '')
  return [bare, written, written.replace(/json$/, '')].find((name) => tools.find(name))
}

/** Without tokens only the name of a tool tells that a call is meant. */
function strippedOpener(beginning: string, tools: ToolTable): Opener {
  return {
    ...stripped,
    prefix: [...beginning.slice(0, 6)],
    boundary: 'word',
    match(text, at, end, last) {
      const length = stripped.match(text, at, end, last)
      if (length <= 0) return length
      const { name } = strippedReader.read(text, at, end)?.groups ?? {}
      return strippedName(name, tools) ? length : NO_MATCH
    },
  }
}

export const harmony: Protocol<'harmony'> = {
  id: 'harmony',
  emitters: 'gpt-oss 20b and 120b',
  models: ['gpt-oss'],
  openers: (tools) => [
    ...BEGINNINGS.map((beginning) => callOpener(beginning)),
    { ...callOpener('to='), boundary: 'start' },
    strippedOpener('to=functions.', tools),
    strippedOpener('commentary to=', tools),
    { ...strippedOpener('assistantcommentary to=', tools), boundary: 'start' },
  ],
  results: [{ open: headers('result', START), findEnd: untilMarker(END) }],
  reasoning: [
    ...BEGINNINGS.map((beginning) => ({
      open: headers('reasoning', beginning),
      close: [END],
      until: [...BEGINNINGS, CALL, RETURN],
    })),
    STRIPPED_REASONING,
  ],
  tokens: [
    ...[...BEGINNINGS, MESSAGE].flatMap((beginning) => [
      headers('text', beginning),
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
  formatResult: ({ name, ...result }) =>
    `${START}functions.${name} to=assistant<|channel|>commentary${MESSAGE}${formatResultText(result)}${END}`,
}
