/** What clients of every API send, most of it damaged, and how they behave. */
import { isJsonObject, type JsonValue } from '../../src/core/json/value.ts'
import { ASKERS, type Asker } from '../support/gateway-askers.ts'
import { type Dice, filled } from './dice.ts'
import { deepText, mutatedBytes, mutatedJson } from './mutations.ts'
import { sampleRequest } from './samples.ts'

export interface Question {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** When the client hangs up, in milliseconds; never by default. */
  readonly leavesAfterMs?: number
}

const ALL = filled(ASKERS)
const ODD_HEADERS: readonly [Record<string, string>, ...Record<string, string>[]] = [
  { 'content-type': 'text/plain' },
  { 'content-encoding': 'gzip' },
  { 'x-toolglot-model': 'no/such model' },
  { 'x-toolglot-preset': 'unknown' },
  { 'x-toolglot-tool-mode': 'text' },
  { authorization: 'Bearer' },
  { accept: 'text/event-stream;q=0' },
  { traceparent: '00-zz-01' },
  { expect: '100-continue' },
]

/** A question for a model of the provider that speaks `dialect`; half of them in that dialect itself. */
export function question(dialect: string, dice: Dice): Question {
  const own = ASKERS.filter((one) => one.dialect.id === dialect)
  const asker = own.length > 0 && dice.chance(0.5) ? dice.pick(filled(own)) : dice.pick(ALL)
  const streamed = dice.chance(0.5)
  const model = `${dialect}/scripted`
  const path = asker.path(model, streamed)
  return {
    path: dice.chance(0.03) ? oddPath(path, dice) : path,
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer fuzz-key',
      ...(dice.chance(0.08) && dice.pick(ODD_HEADERS)),
    },
    body: bodyOf(asker, model, streamed, dice),
    ...(dice.chance(0.08) && { leavesAfterMs: dice.below(30) }),
  }
}

function bodyOf(asker: Asker, model: string, streamed: boolean, dice: Dice): Uint8Array {
  const body: JsonValue = asker.body(sampleRequest(model, dice), streamed)
  const changed = dice.chance(0.7) ? mutatedJson(body, dice) : body
  // A request whose model is lost ends early: most shall get further.
  const kept = isJsonObject(changed) && 'model' in body ? { ...changed, model } : changed
  const text = JSON.stringify(dice.chance(0.9) ? kept : changed)
  const bytes = Buffer.from(dice.chance(0.005) ? text.replace('[', `[${deepText(dice)},`) : text)
  return dice.chance(0.1) ? mutatedBytes(bytes, dice) : bytes
}

function oddPath(path: string, dice: Dice): string {
  return dice.pick([
    `${path}/`,
    `/${path}`,
    `${path}?a=%zz`,
    path.replace('scripted', '..%2f..'),
    path.replace('scripted', 'x'.repeat(5000)),
    '/v1/messages/count_tokens',
    '/v1beta/models/demo%2Fhermes:countTokens',
    '/api/show',
    '/api/tags',
    '/v1/models',
    '/health',
  ])
}
