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
import { parseArguments } from '../arguments/parse.ts'
import { unquote } from '../arguments/quoted.ts'
import type { Repair } from '../issue.ts'
import { readJson } from '../json/read.ts'
import { isJsonObject, type JsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import {
  type CallDraft,
  type CallEnding,
  NO_MATCH,
  type Opener,
  type ReadContext,
  type Reader,
  type ToolTable,
} from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { soleTextParameter } from './fitting-tool.ts'
import { createJsonArguments } from './json-arguments.ts'
import { isHopeless } from './json-block.ts'
import { literally, oneOf, optional, patternReader, sequence } from './pattern.ts'
import { createSteps } from './steps.ts'

const NUMBER = ' {0,2}\\d{0,3}'
const BOLD = '\\*{0,2}'
const MAX_INDENT = 32
const INDENT = `[ \\t]{0,${MAX_INDENT}}`
const ACTION = sequence(BOLD, literally('Action'), NUMBER)

const HEADER = patternReader(
  sequence(
    ...[
      ACTION,
      ':',
      BOLD,
      '\\s{0,32}',
      '(?<name>[^\\s:][^:\\n]{0,127}?)',
      '[ \\t]{0,16}\\n\\s{0,32}',
    ],
    ...[ACTION, literally(' Input'), NUMBER, ':'],
  ),
)
const OBSERVATION = sequence(BOLD, literally('Observation'), NUMBER, ':')
/** The line that begins the next step, or the beginning of one at the end of the text. */
const STEP = new RegExp(
  sequence(
    ...['\\n', INDENT],
    oneOf(
      OBSERVATION,
      sequence(ACTION, optional(literally(' Input'), NUMBER), ':'),
      sequence(BOLD, oneOf(literally('Thought'), literally('Final Answer')), NUMBER, ':'),
    ),
  ),
  'g',
)
/** The answer of the tool, when that is the next step. */
const ANSWER = patternReader(sequence('\\s{0,64}', OBSERVATION))
/** Longer than any header. */
const WINDOW = 320
const FENCED = /^```\w*\s*\n([\s\S]*?)\s*```$/
const NOTHING = /^(?:none|null|n\/a)?$/i
const NOT_JSON = 'the action input is not valid JSON'

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

  function readHeader(text: string, at: number): number {
    const draft = context.begin(nameOf(text, at))
    if (!draft) {
      reader.state = 'declined'
      return at
    }
    reader.step = (more, from, last) => readBold(draft, more, from, last)
    return at + (HEADER.read(text, at, at + WINDOW)?.length ?? 0)
  }

  /** The end of bold print around the header. */
  function readBold(draft: CallDraft, text: string, at: number, last: boolean): number {
    if (text.length < at + 2 && !last) return at
    reader.step = (more, from, final) => readLead(draft, more, from, final)
    return text.startsWith('**', at) ? at + 2 : at
  }

  /** Up to the first character of the input. */
  function readLead(draft: CallDraft, text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at, text.length)
    if (i === text.length && !last) return lineStart(text, at, i)
    if (text.charAt(i) === '{') return beginJson(draft, i)
    const pieces: string[] = []
    // From the blanks on: the next step may begin at once.
    reader.step = (more, from, final) => readText(draft, pieces, more, from, final)
    return at
  }

  // ── JSON ──────────────────────────────────────────────────────────────────────────────────────

  function beginJson(draft: CallDraft, at: number): number {
    const input = createJsonArguments(context, draft)
    reader.step = (text, from, last) => {
      const end = input.reader.read(text, from, last)
      const { status } = input.reader
      if (status === 'done' && isHopeless(input.repairs)) {
        draft.fail('invalid-json', NOT_JSON, end)
        reader.state = 'done'
      } else if (status === 'done') {
        const { repairs, streamed } = input
        settle(draft, { json: input.json(), repairs, streamed, end })
      } else if (status === 'failed') {
        reader.step = (more, start, final) => skip(draft, more, start, final)
      } else if (last) {
        draft.fail('truncated-call', 'the reply ends inside a call', text.length)
        reader.state = 'done'
        return text.length
      }
      return end
    }
    return at
  }

  function skip(draft: CallDraft, text: string, at: number, last: boolean): number {
    const { end, found } = findStep(text, at, last)
    if (!found && !last) return end
    draft.fail('invalid-json', NOT_JSON, end)
    reader.state = 'done'
    return end
  }

  // ── plain text ────────────────────────────────────────────────────────────────────────────────

  function readText(
    draft: CallDraft,
    pieces: string[],
    text: string,
    at: number,
    last: boolean,
  ): number {
    const { end, found } = findStep(text, at, last)
    pieces.push(text.slice(at, end))
    if (!found && !last) return end
    const raw = pieces.join('').trim()
    const { json, repairs } = readInput(raw, draft.schema)
    settle(draft, { json: JSON.stringify(json), repairs, end, raw, cut: !found })
    return end
  }

  function settle(draft: CallDraft, ending: CallEnding): void {
    draft.end(ending)
    reader.step = readObservation
  }

  // ── what follows ──────────────────────────────────────────────────────────────────────────────

  function readObservation(text: string, at: number, last: boolean): number {
    const found = ANSWER.read(text, at, Math.min(text.length, at + WINDOW))
    if (found && !found.whole && !last) return at
    if (!found?.whole) {
      reader.state = 'done'
      return at
    }
    let isEmpty = true
    reader.step = (more, from, final) => {
      const step = findStep(more, from, final)
      isEmpty &&= !/[^\s*]/.test(more.slice(from, step.end))
      if (!step.found && !final) return step.end
      // A stop sequence that came along is no result.
      if (!isEmpty) {
        context.issue('role-played-result', 'the model wrote a tool result itself', step.end)
      }
      reader.state = 'done'
      return step.end
    }
    return at + found.length
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
  if (hit && last && !hit[0].endsWith(':')) hit = null
  return { end: hit?.index ?? text.length, found: hit?.[0].endsWith(':') ?? false }
}

interface Input {
  readonly json: JsonObject
  readonly repairs: readonly Repair[]
}

/** The arguments that plain text stands for: those of the names in it, or the only one there is. */
function readInput(raw: string, schema: JsonSchema | undefined): Input {
  if (NOTHING.test(raw)) {
    return { json: {}, repairs: [{ code: 'empty-arguments', path: [], risk: 'safe' }] }
  }
  const fenced = readJson(FENCED.exec(raw)?.[1] ?? '')
  if (fenced.complete && isJsonObject(fenced.value)) {
    return { json: fenced.value, repairs: fenced.repairs }
  }
  const parsed = schema === undefined ? undefined : parseArguments(raw, schema)
  const isInOrder = parsed?.repairs.some(({ code }) => code === 'named-positional')
  const isNamed = parsed && !isInOrder && !('arg0' in parsed.arguments)
  const key = soleTextParameter(schema)
  if (parsed && (isNamed || (isInOrder && key === undefined))) {
    return { json: parsed.arguments, repairs: parsed.repairs }
  }
  return named(key ?? 'input', unquote(raw) ?? raw)
}

function named(key: string, text: string): Input {
  return {
    json: { [key]: text },
    repairs: [{ code: 'named-positional', path: [key], risk: 'guess' }],
  }
}
