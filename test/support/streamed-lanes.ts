/** A text that a provider streams in pieces of a given size, read through each of the ways that rewrite streams. */
import { writeFrame } from '../../src/client/frames.ts'
import { createStreamRescue } from '../../src/client/rescue.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { rescueFetch } from '../../src/fetch.ts'
import { createPacedSource } from '../../src/gateway/demo/paced-source.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { chunksOf } from '../../src/testing/index.ts'

type Run = (text: string, size: number) => Promise<void>

const tools = [
  {
    name: 'get_weather',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
  },
]
const messages = [{ role: 'user', content: 'Well?' }] as const
const request = { model: 'up/m', messages, tools, stream: true, maxTokens: 100 } as const

const SSE = { 'content-type': 'text/event-stream' }

function framesOf(text: string, size: number): Uint8Array[] {
  const choice = (delta: JsonObject, reason: string | null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: reason }],
  })
  const data = [
    ...Array.from(chunksOf(text, size), (content) => JSON.stringify(choice({ content }, null))),
    JSON.stringify(choice({}, 'stop')),
    '[DONE]',
  ]
  return data.map((one) => writeFrame('sse', { data: one }))
}

const bodyFor = (dialect: 'openai-chat' | 'anthropic'): string =>
  JSON.stringify(getDialect(dialect).encodeRequest(request))

async function readAll(response: Response): Promise<void> {
  if (response.status !== 200) throw new Error(await response.text())
  for await (const _ of response.body ?? []);
}

async function throughFetch(text: string, size: number): Promise<void> {
  const frames = framesOf(text, size).values()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = frames.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  const fetch = rescueFetch({ fetch: async () => new Response(body, { headers: SSE }) })
  const url = 'http://provider.test/v1/chat/completions'
  await readAll(await fetch(url, { method: 'POST', body: bodyFor('openai-chat') }))
}

async function throughClient(text: string, size: number): Promise<void> {
  const rescue = createStreamRescue({ tools })
  for (const chunk of chunksOf(text, size)) rescue.push({ type: 'text-delta', text: chunk })
  const message = { role: 'assistant', content: text } as const
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  const response = {
    id: 'r',
    model: 'm',
    message,
    finishReason: 'stop',
    usage,
    issues: [],
  } as const
  rescue.push({ type: 'finish', response })
}

const throughGateway =
  (dialect: 'openai-chat' | 'anthropic', path: string): Run =>
  async (text, size) => {
    const provider = { provider: 'openai-compatible', baseUrl: 'http://provider.test/v1' }
    const body = createPacedSource(framesOf(text, size))
    const gateway = createGateway(
      { providers: { up: { ...provider, apiKey: 'k' } }, demo: false },
      { env: {}, send: async () => ({ status: 200, headers: SSE, body }) },
    )
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: bodyFor(dialect) }
    await readAll(await gateway.fetch(new Request(`http://gateway.test${path}`, init)))
    await gateway.close()
  }

export const STREAMED_LANES: Readonly<Record<string, Run>> = {
  rescueFetch: throughFetch,
  client: throughClient,
  'the gateway, passing': throughGateway('openai-chat', '/v1/chat/completions'),
  'the gateway, translating': throughGateway('anthropic', '/v1/messages'),
}
