import { describe, expect, test } from 'vitest'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { ToolDefinitions } from '../core/schema/tool.ts'
import { readRequest } from './client-request.ts'
import { createClient } from './create-client.ts'
import { createFallback } from './fallback.ts'

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const name = 'get_weather'
const description = 'The weather of a city'
const wire = { type: 'function', function: { name, description, parameters: schema } }
const messages = [{ role: 'user', content: 'Coat or not?' }] as const

const SPELLINGS: readonly (readonly [string, ToolDefinitions])[] = [
  ['ours', [{ name, description, inputSchema: schema }]],
  ['OpenAI Chat', [wire]],
  ['OpenAI Responses', [{ type: 'function', name, description, parameters: schema }]],
  ['Anthropic', [{ name, description, input_schema: schema }]],
  ['Gemini', [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }]],
  ['Bedrock', [{ toolSpec: { name, description, inputSchema: { json: schema } } }]],
  ['MCP', [{ name, description, inputSchema: schema, annotations: { readOnlyHint: true } }]],
  ['name, description and schema', [{ name, description, schema }]],
  ['a record', { [name]: { description, inputSchema: schema } }],
]

function recording() {
  const bodies: JsonObject[] = []
  const send: typeof fetch = async (_, init) => {
    const body: unknown = JSON.parse(String(init?.body))
    if (isJsonObject(body)) bodies.push(body)
    return Response.json({ choices: [{ message: { role: 'assistant', content: 'Coat.' } }] })
  }
  return { bodies, send }
}

function clientOf(send: typeof fetch, toolMode: 'native' | 'text' = 'native') {
  const provider = 'openai-compatible'
  return createClient({
    provider,
    model: 'm',
    baseUrl: 'http://h/v1',
    fetch: send,
    env: {},
    toolMode,
  })
}

describe.for(SPELLINGS)('tools in the spelling of %s', ([, tools]) => {
  test('reach the provider', async () => {
    const { bodies, send } = recording()
    const client = clientOf(send)
    await client.complete({ messages, tools })
    await client.stream({ messages, tools }).response.catch(() => {})
    await createFallback([client]).complete({ messages, tools })
    expect(bodies.map((body) => body['tools'])).toEqual([[wire], [wire], [wire]])
  })

  test('are described in text mode', async () => {
    const { bodies, send } = recording()
    await clientOf(send, 'text').complete({ messages, tools })
    expect(JSON.stringify(bodies[0])).toContain(name)
  })
})

test('a fallback chain knows that a record of tools are tools', async () => {
  const { send } = recording()
  const client = createClient({ provider: 'perplexity', model: 'm', apiKey: 'k', fetch: send })
  const run = createFallback([client]).complete({ messages, tools: { [name]: { description } } })
  await expect(run).rejects.toMatchObject({ code: 'unsupported' })
})

test('a tool without a name is refused by its place', async () => {
  const { send } = recording()
  const run = clientOf(send).complete({ messages, tools: [wire, { function: {} }] })
  await expect(run).rejects.toThrow('tools[1] has no name')
})

test('a list that needs no change is used as it is', () => {
  const tools = [{ name, inputSchema: schema }]
  expect(readRequest({ messages, tools }, 'm').tools).toBe(tools)
})

test('a turn without content counts as an empty one', async () => {
  const { bodies, send } = recording()
  const call = { id: 'c1', name, arguments: {}, origin: 'native' } as const
  const toolResults = [{ callId: 'c1', content: '4 °C' }]
  const said = [
    ...messages,
    { role: 'assistant', content: null, toolCalls: [call] },
    { role: 'tool', toolResults },
  ]
  // @ts-expect-error: messages of an API have null where a turn only calls tools
  await clientOf(send).complete({ messages: said })
  expect(bodies[0]).toMatchObject({
    messages: [{}, { tool_calls: [{ id: 'c1' }] }, { role: 'tool', content: '4 °C' }],
  })
})

test('a mark for the cache asks for the cache, unless the request says otherwise', () => {
  const content = [{ type: 'text', text: 'Long.', cache_control: { type: 'ephemeral' } }] as const
  const marked = [{ role: 'user', content }] as const
  expect(readRequest({ messages: marked }, 'm').cache).toBe(true)
  expect(readRequest({ messages: marked, cache: false }, 'm').cache).toBe(false)
  expect(readRequest({ messages }, 'm')).not.toHaveProperty('cache')
})
