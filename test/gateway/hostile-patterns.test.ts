/** Regular expressions in the schemas of clients: a gateway answers, and serves others meanwhile. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import { startGateway } from '../support/gateway.ts'

let running: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  running = await startGateway()
})
afterAll(() => running.close())

/** Each takes a backtracking matcher longer than anybody waits, on `aaa…!`. */
const PATTERNS = [
  '^(a|a)*$',
  '^(a+)+$',
  '^(a?){40}a{40}$',
  '^(?=(a|aa)+$)a',
  '^(\\w+\\s?)*$',
  '^(a+)+\\1$',
  `^${'(a?)'.repeat(400)}${'a'.repeat(400)}$`,
]

/** As many as fit into the definition of one tool, three times, with the longest pattern. */
const MANY = 40

const TEXT = `${'a'.repeat(60)}!`

/** Every place in which a schema can have an expression, and an example that is tried against it. */
const SCHEMAS: readonly (readonly [string, (pattern: string) => JsonObject])[] = [
  ['pattern', (pattern) => ({ type: 'string', pattern, default: TEXT })],
  ['patternProperties', (pattern) => ({ patternProperties: { [pattern]: { type: 'integer' } } })],
  ['propertyNames', (pattern) => ({ propertyNames: { pattern } })],
  ['not', (pattern) => ({ not: { pattern }, examples: [TEXT] })],
  [
    'many properties',
    (pattern) => ({
      properties: Object.fromEntries(
        Array.from({ length: MANY }, (_, at) => [`p${at}`, { pattern: `${pattern}|${at}` }]),
      ),
      required: Array.from({ length: MANY }, (_, at) => `p${at}`),
    }),
  ],
]

/** Models that write a call of their own making, and one that repeats what the user quotes. */
const MODELS = ['demo/echo', 'demo/hermes', 'demo/native']

test.for(SCHEMAS)('%s', async ([, schemaOf]) => {
  for (const pattern of PATTERNS) {
    const inner = schemaOf(pattern)
    const parameters = { type: 'object', properties: { [TEXT]: inner, a: inner }, ...inner }
    const call = JSON.stringify({ name: 'save', arguments: { [TEXT]: { [TEXT]: '1' }, a: TEXT } })
    const content = `<tool_call>${call}</tool_call>`
    const answers = MODELS.map((model) => ask(model, content, parameters))
    const health = await fetch(`${running.url}/health`, { signal: AbortSignal.timeout(5000) })
    expect(health.status).toBe(200)
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]))
  }
})

async function ask(model: string, content: string, parameters: JsonObject): Promise<number> {
  const response = await fetch(`${running.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content }],
      tools: [{ type: 'function', function: { name: 'save', parameters } }],
    }),
    signal: AbortSignal.timeout(20_000),
  })
  await response.text()
  return response.status
}
