/**
 * Schemas and arguments of clients that are long in both: what is done for each pair of their parts takes minutes.
 * A gateway answers, and serves others meanwhile.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import { startGateway } from '../support/gateway.ts'
import { startRawUpstream } from '../support/gateway-raw-upstream.ts'

/** As much as fits into the definition of one tool. */
const MANY = 9000
const VALUES = 40_000

/** Becomes quotes that are not escaped, so that the text is repaired. */
const UNESCAPED = '«a=b»'

const list = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at))
const object = (count: number, make: (at: number) => readonly [string, JsonValue]): JsonObject =>
  Object.fromEntries(list(count, make))

const items = (schema: JsonObject): JsonObject => ({
  type: 'object',
  properties: { list: { type: 'array', items: schema } },
})

const CASES: readonly (readonly [string, JsonObject, JsonObject])[] = [
  [
    'members of an enum',
    items({ enum: list(MANY, (at) => `member ${at}`) }),
    { list: list(VALUES, (at) => `other ${at}`) },
  ],
  [
    'members that are objects',
    items({ enum: list(MANY, (at) => ({ at })) }),
    { list: list(VALUES, (at) => ({ other: at })) },
  ],
  [
    'keys with a slip',
    items({ type: 'object', properties: object(MANY, (at) => [`property${at}`, {}]) }),
    { list: list(VALUES, (at) => ({ [`poperty${at}`]: at })) },
  ],
  [
    'patterns of keys',
    items({ patternProperties: object(MANY, (at) => [`^x${at}$`, {}]) }),
    { list: list(10, () => object(VALUES / 10, (at) => [`key${at}`, at])) },
  ],
  [
    'two enums at once',
    items({
      allOf: [{ enum: list(MANY, (at) => `one ${at}`) }, { enum: list(MANY, (at) => `two ${at}`) }],
    }),
    { list: ['one 1'] },
  ],
  [
    'references to references',
    {
      ...items({ $ref: '#/$defs/d0' }),
      $defs: object(4000, (at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]),
    },
    { list: ['5'] },
  ],
  [
    'parts that say the same property',
    { allOf: list(4000, (at) => ({ properties: { list: { minItems: at } } })) },
    { list: '5' },
  ],
  [
    'names that a text may have swallowed',
    { type: 'object', properties: object(MANY, (at) => [`text${at}`, { type: 'string' }]) },
    { text0: `${UNESCAPED}${'=text '.repeat(VALUES * 10)}` },
  ],
  [
    'alternatives',
    items({ anyOf: list(MANY, (at) => ({ const: at })) }),
    { list: list(VALUES, () => 'none') },
  ],
]

const TARGETS = ['chat/m', 'text/m', 'gemini/m'] as const

let arguments_: JsonObject = {}
let running: Awaited<ReturnType<typeof startGateway>>
let upstream: Awaited<ReturnType<typeof startRawUpstream>>

beforeAll(async () => {
  upstream = await startRawUpstream((response, request) => {
    const call = JSON.stringify({ name: 'save', arguments: arguments_ }).replace(
      UNESCAPED,
      'x "a=b" ',
    )
    const text = `<tool_call>${call}</tool_call>`
    const isGemini = request.path.includes('generateContent')
    const reply = isGemini
      ? { candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }] }
      : { choices: [{ index: 0, message: { content: text }, finish_reason: 'stop' }] }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply))
  })
  const service = { baseUrl: upstream.url, apiKey: 'a-key-of-the-test' }
  running = await startGateway({
    providers: {
      chat: { provider: 'openai-compatible', ...service },
      text: { provider: 'openai-compatible', toolMode: 'text', ...service },
      gemini: { provider: 'gemini', ...service },
    },
  })
})
afterAll(async () => {
  await running.close()
  await upstream.close()
})

test.for(CASES)('%s', { timeout: 60_000 }, async ([, parameters, given]) => {
  arguments_ = given
  for (const model of TARGETS) {
    const answer = ask(model, parameters)
    const health = await fetch(`${running.url}/health`, { signal: AbortSignal.timeout(10_000) })
    expect(health.status).toBe(200)
    expect(await answer).toBe(200)
  }
})

async function ask(model: string, parameters: JsonObject): Promise<number> {
  const response = await fetch(`${running.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'Save it.' }],
      tools: [{ type: 'function', function: { name: 'save', parameters } }],
    }),
    signal: AbortSignal.timeout(20_000),
  })
  await response.text()
  return response.status
}
