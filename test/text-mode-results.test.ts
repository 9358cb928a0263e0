/** In text mode, results reach the model in the order of its calls and under their names, whoever sends them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runAgent } from '../src/agent/index.ts'
import { createClient } from '../src/client/create-client.ts'
import type { JsonObject } from '../src/core/json/value.ts'
import { createGateway, type Gateway } from '../src/gateway/gateway.ts'
import { fetchSend } from '../src/gateway/web.ts'
import { startUpstream, type Upstream } from '../src/testing/upstream.ts'
import { tool } from '../src/tool.ts'

let upstream: Upstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await startUpstream({ reply: 'Done.' })
  const words = { toolMode: 'text', apiKey: 'k' } as const
  gateway = createGateway(
    {
      providers: {
        words: { ...words, provider: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
        other: { ...words, provider: 'anthropic', baseUrl: upstream.url },
      },
    },
    { send: fetchSend(), env: {} },
  )
})
afterAll(async () => {
  await gateway.close()
  await upstream.close()
})
beforeEach(() => upstream.play({ reply: 'Done.' }))

/** What the model read last. */
function lastMessage(): string {
  const messages = upstream.requests.at(-1)?.body['messages']
  const { content } = (messages as { content: unknown }[]).at(-1) ?? {}
  // A list of parts, where the provider wants one.
  return typeof content === 'string' ? content : ((content as { text: string }[])[0]?.text ?? '')
}

const inOrder = [
  ['~~~tool_result', 'tide (answers call 1 of 3):', 'at 14:10', '~~~'],
  ['~~~tool_result', 'tide (answers call 2 of 3):', '[ERROR:NotFound] no such harbour', '~~~'],
  ['~~~tool_result', 'wind (answers call 3 of 3):', '4 knots', '~~~'],
]
  .flat()
  .join('\n')

test('of a client', async () => {
  const client = createClient({
    provider: 'openai-compatible',
    model: 'm',
    baseUrl: `${upstream.url}/v1`,
    toolMode: 'text',
  })
  const call = (id: string, name: string) => ({ id, name, arguments: {}, origin: 'text' }) as const
  await client.complete({
    tools: [{ name: 'tide', inputSchema: {} }],
    messages: [
      { role: 'user', content: 'When?' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [call('1', 'tide'), call('2', 'tide'), call('3', 'wind')],
      },
      {
        role: 'tool',
        content: '',
        toolResults: [
          { callId: '3', content: '4 knots' },
          { callId: '2', content: 'no such harbour', isError: true, errorCode: 'NotFound' },
          { callId: '1', content: 'at 14:10' },
        ],
      },
    ],
  })
  expect(lastMessage()).toBe(inOrder)
})

test('of an agent whose tools end in another order', async () => {
  const written = (name: string, args: JsonObject) =>
    `~~~tool_call\n${JSON.stringify({ name, arguments: args })}\n~~~`
  upstream.play(
    {
      reply: [
        written('tide', { harbour: 'Husum' }),
        written('tide', { harbour: 'Ulm' }),
        written('wind', {}),
      ].join('\n'),
    },
    { reply: 'Done.' },
  )
  const missing = Object.assign(new Error('no such harbour'), { code: 'NotFound' })
  let release = (): void => {}
  const others = new Promise<void>((resolve) => {
    release = resolve
  })
  const { result } = runAgent({
    client: createClient({
      provider: 'openai-compatible',
      model: 'm',
      baseUrl: `${upstream.url}/v1`,
      toolMode: 'text',
    }),
    prompt: 'When?',
    tools: [
      tool({
        name: 'tide',
        concurrencySafe: true,
        inputSchema: { type: 'object', properties: { harbour: { type: 'string' } } },
        async execute({ harbour }: { harbour?: string }) {
          await others
          if (harbour === 'Ulm') throw missing
          return 'at 14:10'
        },
      }),
      tool({
        name: 'wind',
        concurrencySafe: true,
        inputSchema: { type: 'object' },
        execute() {
          release()
          return '4 knots'
        },
      }),
    ],
  })
  await result
  expect(lastMessage()).toBe(inOrder)
})

describe('of clients of a gateway', () => {
  async function ask(path: string, body: JsonObject): Promise<void> {
    const request = new Request(`http://gateway.example${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body),
    })
    const reply = await gateway.fetch(request)
    expect(await reply.text()).toContain('Done.')
    expect(reply.status).toBe(200)
  }

  test.for(['words/m', 'other/m'])('OpenAI, answered by %s', async (model) => {
    const call = (id: string, name: string) => ({
      id,
      type: 'function',
      function: { name, arguments: '{}' },
    })
    const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
    await ask('/v1/chat/completions', {
      model,
      tools: [{ type: 'function', function: { name: 'tide', parameters: {} } }],
      messages: [
        { role: 'user', content: 'When?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('1', 'tide'), call('2', 'tide'), call('3', 'wind')],
        },
        result('3', '4 knots'),
        result('2', '[ERROR:NotFound] no such harbour'),
        result('1', 'at 14:10'),
      ],
    })
    expect(lastMessage()).toBe(inOrder)
  })

  test.for(['words/m', 'other/m'])('Anthropic, answered by %s', async (model) => {
    const call = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} })
    const result = (tool_use_id: string, content: string) => ({
      type: 'tool_result',
      tool_use_id,
      content,
      ...(content.startsWith('[ERROR') && { is_error: true }),
    })
    await ask('/v1/messages', {
      model,
      max_tokens: 100,
      tools: [{ name: 'tide', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user', content: 'When?' },
        {
          role: 'assistant',
          content: [call('1', 'tide'), call('2', 'tide'), call('3', 'wind')],
        },
        {
          role: 'user',
          content: [
            result('3', '4 knots'),
            result('2', '[ERROR:NotFound] no such harbour'),
            result('1', 'at 14:10'),
          ],
        },
      ],
    })
    expect(lastMessage()).toBe(inOrder)
  })
})
