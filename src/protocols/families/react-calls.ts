/**
 * Syntax factory: calls as steps of an agent's log, as ReAct prompts ask for.
 *
 *     Thought: I need the weather.
 *     Action: get_weather
 *     Action Input: {"city": "Oslo"}
 *     Observation:
 *
 * The input is JSON, or plain text for the tool's only parameter. It ends with the line that begins
 * the next step; an observation that the model writes itself is a made-up result.
 */

import { unquote } from '../../core/arguments/quoted.ts'
import { readSpelled, type SpelledArguments } from '../../core/arguments/spelled.ts'
import type { JsonSchema } from '../../core/model.ts'
import type { Fit } from '../../core/options.ts'
import {
  type CallEnding,
  NEED_MORE,
  NO_MATCH,
  type Opener,
  type ReadContext,
  type Reader,
  type ToolTable,
} from '../../core/protocol.ts'
import { Call } from '../../core/text/call.ts'
import { skipSpace } from '../../core/text/characters.ts'
import { createJsonArguments } from '../../core/text/json-arguments.ts'
import { isHopeless } from '../../core/text/json-calls.ts'
import {
  either,
  literally,
  oneOf,
  optional,
  patternReader,
  sequence,
} from '../../core/text/pattern.ts'
import { soleTextParameter } from '../../core/text/plain-schema.ts'
import { createSteps, type Step } from '../../core/text/steps.ts'

const NUMBER = ' {0,2}\\d{0,3}'
const BOLD = '\\*{0,2}'
const MAX_INDENT = 32
const INDENT = `[ \\t]{0,${MAX_INDENT}}`
const ACTION = sequence(BOLD, literally('Action'), NUMBER)
/** What ends the word of a step; bold print may end on both sides of it. */
const COLON = sequence(BOLD, '[:：]')

const HEADER = patternReader(
  sequence(
    ...[
      ACTION,
      COLON,
      BOLD,
      '\\s{0,32}',
      '(?<name>[^\\s:：](?:[^:\\n]|:(?!\\s)){0,127}?)',
      '[ \\t]{0,16}\\n\\s{0,32}',
    ],
    ...[ACTION, literally(' Input'), NUMBER, COLON],
  ),
)
const OBSERVATION = sequence(BOLD, literally('Observation'), NUMBER, COLON)
/** The line that begins the next step, or the beginning of one at the end of the text. */
const STEP = new RegExp(
  sequence(
    ...['\\n', INDENT],
    oneOf(
      OBSERVATION,
      sequence(ACTION, optional(literally(' Input'), NUMBER), COLON),
      sequence(BOLD, either('Thought', 'Final Answer'), NUMBER, COLON),
    ),
  ),
  'g',
)
/** The answer of the tool, when that is the next step. */
const ANSWER = patternReader(sequence('\\s{0,64}', OBSERVATION))
/** Longer than any header. */
const WINDOW = 320
const FENCED = /^(`{1,3})\w*\s*(\{[\s\S]*\})\s*\1$/
const NOTHING = /^(?:none|null|n\/a)?$/i

/** With tools, only their names make a call. */
export function reactSteps(tools: ToolTable): readonly Opener[] {
  return [
    {
      prefix: ['A*', 'c*', 'tA', 'ic', 'ot', 'ni'],
      boundary: 'line',
      keep: true,
      match(text, at, end, last) {
        const length = HEADER.match(text, at, end, last)
        return length > 0 && !tools.find(nameOf(text, at)) ? NO_MATCH : length
      },
      open: readStep,
    },
  ]
}

/** The name in the header at `at`, without the marks that some put around it. */
function nameOf(text: string, at: number): string {
  const name = HEADER.read(text, at, at + WINDOW)?.groups['name'] ?? ''
  return name.replace(/^[\s*`"'[]+|[\s*`"'\]]+$/g, '')
}

function readStep(context: ReadContext): Reader {
  const reader = createSteps<Reader['state']>(readHeader)
  let call: Call

  function readHeader(text: string, at: number): number {
    call = new Call(context, nameOf(text, at))
    if (!call.draft) return reader.leave('declined', at)
    reader.step = readLead
    return at + (HEADER.read(text, at, at + WINDOW)?.length ?? 0)
  }

  /** Up to the first character of the input, behind the end of bold print around the header. */
  function readLead(text: string, at: number, last: boolean): number {
    if (text.length < at + 2 && !last) return at
    const start = text.startsWith('**', at) ? at + 2 : at
    const i = skipSpace(text, start)
    if (i === text.length && !last) return lineStart(text, start, i)
    const isJson = text.charAt(i) === '{'
    reader.step = isJson ? readJson() : readUpToStep(takeText)
    // Text from the blanks on: the next step may begin at once.
    return isJson ? i : start
  }

  function readJson(): Step {
    const { reader: json, ...args } = createJsonArguments(context, call.draft)
    return (text, at, last) => {
      const end = json.read(text, at, last)
      if (json.status === 'done') {
        return isHopeless(args.repairs) ? fail(end) : settle({ ...args, json: args.json(), end })
      }
      if (json.status === 'failed') reader.step = readUpToStep((_, end) => fail(end))
      else if (last) return done(call.cutOff(text.length))
      return end
    }
  }

  function fail(end: number): number {
    return done(call.fail('invalid-json', 'the action input is not valid JSON', end))
  }

  /** Reads what stands before the next step or the end of the reply. */
  function readUpToStep(take: (words: string, end: number, found: boolean) => number): Step {
    const pieces: string[] = []
    return (text, at, last) => {
      const { end, found } = findStep(text, at, last)
      pieces.push(text.slice(at, end))
      return found || last ? take(pieces.join(''), end, found) : end
    }
  }

  function takeText(words: string, end: number, found: boolean): number {
    const raw = words.trim()
    const { arguments: args, repairs } = readInput(raw, call.draft?.schema, context.fit)
    return settle({ json: JSON.stringify(args), repairs, end, raw, cut: !found })
  }

  function settle(ending: CallEnding): number {
    reader.step = readObservation
    return call.end(ending)
  }

  /** What the tool would have answered, made up; a stop sequence that came along is no result. */
  function readObservation(text: string, at: number, last: boolean): number {
    const found = ANSWER.match(text, at, Math.min(text.length, at + WINDOW), last)
    if (found === NEED_MORE) return at
    if (found === NO_MATCH) return done(at)
    reader.step = readUpToStep((words, end) => {
      if (/[^\s*]/.test(words)) {
        context.issue('role-played-result', 'the model wrote a tool result itself', end)
      }
      return done(end)
    })
    return at + found
  }

  function done(end: number): number {
    return reader.leave('done', end)
  }

  return reader
}

/** From where blanks have to be kept, because the next step may begin with them. */
function lineStart(text: string, at: number, end: number): number {
  const start = Math.max(at, text.lastIndexOf('\n'))
  return end - start > MAX_INDENT ? end : start
}

/** Where the next step begins, or where the text ends for now. */
function findStep(text: string, at: number, last: boolean): { end: number; found: boolean } {
  STEP.lastIndex = at
  let hit = STEP.exec(text)
  // Half a step counts only as long as more may come.
  const found = /[:：]$/.test(hit?.[0] ?? '')
  if (last && !found) hit = null
  return { end: hit?.index ?? text.length, found }
}

/** The arguments that plain text stands for: those of the names in it, or the only one there is. */
function readInput(
  raw: string,
  schema: JsonSchema | undefined,
  fit: Fit | undefined,
): SpelledArguments {
  if (NOTHING.test(raw)) {
    return { arguments: {}, repairs: [{ code: 'empty-arguments', path: [], risk: 'safe' }] }
  }
  const json = FENCED.exec(raw)?.[2]
  const parsed = readSpelled(json ?? raw, schema, fit)
  const isInOrder = parsed.repairs.some(({ code }) => code === 'named-positional')
  const isNamed = schema !== undefined && !isInOrder && !('arg0' in parsed.arguments)
  const key = soleTextParameter(schema)
  if (json !== undefined || isNamed || (isInOrder && key === undefined)) return parsed
  const name = key ?? 'input'
  return {
    arguments: { [name]: unquote(raw) ?? raw.replace(/^`([^`]+)`$/, '$1') },
    repairs: [{ code: 'named-positional', path: [name], risk: 'guess' }],
  }
}
