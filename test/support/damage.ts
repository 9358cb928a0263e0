/**
 * Written calls with one character deleted, or cut off anywhere, and what becomes of them.
 *
 * Markup is everything of a written call but the name of the tool and the values of its arguments: tags,
 * punctuation, keywords, keys. Whoever deletes from a name or a value has written another one, which no
 * reader can know.
 */
import { isDeepStrictEqual } from 'node:util'
import type { JsonPath, Repair, Span } from '../../src/core/issue.ts'
import { isJsonObject, type JsonValue } from '../../src/core/json/value.ts'
import type { Extraction, Tool, ToolCall } from '../../src/core/model.ts'
import type { Protocol } from '../../src/core/protocol.ts'
import type { WrittenCall } from './soup.ts'

/** What became of a damaged text; `partial` and below are failures. */
export type Outcome = 'same' | 'repaired' | 'issue' | 'partial' | 'wrong' | 'silent'

export const damageTools: readonly Tool[] = [
  {
    name: 'get_weather',
    description: 'The weather of a city',
    inputSchema: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer' },
        unit: { enum: ['celsius', 'fahrenheit'] },
        hours: { type: 'array', items: { type: 'integer' } },
        place: {
          type: 'object',
          properties: { lat: { type: 'number' }, street: { type: 'string' } },
        },
      },
      required: ['city'],
    },
  },
  {
    name: 'send_mail',
    description: 'Sends a mail',
    inputSchema: {
      type: 'object',
      properties: { recipient: { type: 'string' }, subject: { type: 'string' } },
      required: ['recipient', 'subject'],
    },
  },
]

const WEATHER: WrittenCall = {
  name: 'get_weather',
  arguments: { city: 'Bergen', days: 47 },
}
const MAIL: WrittenCall = {
  name: 'send_mail',
  arguments: { recipient: 'Grieg', subject: 'Midsummer night' },
}
const NESTED: WrittenCall = {
  name: 'get_weather',
  arguments: {
    city: 'Bergen',
    hours: [12, 18],
    place: { lat: 60.39, street: 'Torgallmenningen' },
  },
}

export interface WrittenText {
  readonly name: string
  readonly text: string
  readonly calls: readonly WrittenCall[]
}

/** The texts that are damaged: calls as the protocol writes them. */
export function writtenTexts(protocol: Protocol): readonly WrittenText[] {
  const written = (name: string, ...calls: readonly WrittenCall[]): WrittenText => ({
    name,
    text: calls.map((call) => protocol.formatCall(call)).join('\n'),
    calls,
  })
  return [
    written('two arguments', WEATHER),
    written('two calls', WEATHER, MAIL),
    written('nested arguments', NESTED),
  ]
}

/** For each character of a text, whether it is part of a tool's name or of a value. */
function contentOf({ text, calls }: WrittenText): readonly boolean[] {
  const content = Array.from({ length: text.length }, () => false)
  for (const { name, arguments: args } of calls) {
    for (const word of [name, ...leavesOf(args)]) {
      for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
        content.fill(true, at, at + word.length)
      }
    }
  }
  return content
}

function leavesOf(value: JsonValue): readonly string[] {
  if (value === null || typeof value !== 'object') return [String(value)]
  return Object.values(value).flatMap(leavesOf)
}

/** What became of the calls of a text that was read after it was damaged. */
export function outcomeOf(
  written: readonly WrittenCall[],
  damaged: string,
  found: Pick<Extraction, 'calls' | 'issues'>,
): Outcome {
  const { calls, issues } = found
  let repaired = false
  let next = 0
  for (const call of calls) {
    while (next < written.length && !isMeant(written[next], call)) next++
    const meant = written[next++]
    if (meant === undefined) return 'wrong'
    repaired ||= !isSame(meant, call) || call.repairs !== undefined
  }
  if (calls.length === written.length) return repaired ? 'repaired' : 'same'
  if (issues.length === 0) return 'silent'
  return remainsAreCovered(damaged, written, found) ? 'issue' : 'partial'
}

function isSame(one: WrittenCall, { name, arguments: args }: ToolCall): boolean {
  return one.name === name && isDeepStrictEqual(one.arguments, args)
}

/** Either the call that was written, or one with guesses listed wherever it differs. */
function isMeant(one: WrittenCall | undefined, call: ToolCall): boolean {
  if (one === undefined || one.name !== call.name) return false
  const guesses = (call.repairs ?? []).filter(({ risk }) => risk === 'guess')
  return differences(one.arguments, call.arguments).every((path) =>
    guesses.some((guess) => covers(guess, path)),
  )
}

function covers({ path }: Repair, place: JsonPath): boolean {
  return path.length > 0 && path.every((step, index) => place[index] === step)
}

/** The places at which two values differ. */
function differences(
  one: JsonValue | undefined,
  other: JsonValue | undefined,
  path: JsonPath = [],
): readonly JsonPath[] {
  if (isDeepStrictEqual(one, other)) return []
  if (Array.isArray(one) && Array.isArray(other)) {
    const length = Math.max(one.length, other.length)
    return Array.from({ length }).flatMap((_, i) => differences(one[i], other[i], [...path, i]))
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return [path]
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].flatMap((key) => differences(one[key], other[key], [...path, key]))
}

/** True when every name and value that is left is inside a call or an issue. */
function remainsAreCovered(
  damaged: string,
  calls: readonly WrittenCall[],
  found: Pick<Extraction, 'calls' | 'issues'>,
): boolean {
  const content = contentOf({ name: '', text: damaged, calls })
  const spans = [...found.calls, ...found.issues].flatMap(({ span }: { span?: Span }) =>
    span ? [span] : [],
  )
  return content.every((is, at) => !is || spans.some(([start, end]) => start <= at && at < end))
}

/** A text that was damaged, and what became of it. */
export interface Damage {
  readonly text: string
  readonly damaged: string
  readonly outcome: Outcome
  /** True when what was deleted is part of a name or a value: then only silence is a failure. */
  readonly inContent: boolean
}

type Read = (text: string) => Pick<Extraction, 'calls' | 'issues'>

/** The text with each of its characters deleted in turn, or each `step`th. */
export function* deletions(written: WrittenText, read: Read, step = 1): Generator<Damage> {
  const { text, calls } = written
  const content = contentOf(written)
  for (let at = 0; at < text.length; at += step) {
    const damaged = text.slice(0, at) + text.slice(at + 1)
    const outcome = outcomeOf(calls, damaged, read(damaged))
    yield { text, damaged, outcome, inContent: content[at] ?? false }
  }
}

/** The text cut off behind each of its characters, once it names a tool. */
export function* prefixes({ text, calls }: WrittenText, read: Read): Generator<Damage> {
  for (let end = 1; end < text.length; end++) {
    const damaged = text.slice(0, end)
    const begun = calls.filter(({ name }) => damaged.includes(name))
    if (begun.length === 0) continue
    yield { text, damaged, outcome: outcomeOf(begun, damaged, read(damaged)), inContent: false }
  }
}
