/** Limits of replies that are lowered to the room that the model has, in both lanes. */
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/create-client.ts'
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import type { Outcome } from '../../src/gateway/observer.ts'
import { CONTENT_TYPES, sendJson, streamBytes } from '../../src/testing/upstream-reply.ts'
import { type RunningGateway, startGateway } from '../support/gateway.ts'
import { type Answer, ask, askerNamed, replyIn } from '../support/gateway-askers.ts'
import {
  type RawHandler,
  type RawUpstream,
  startRawUpstream,
} from '../support/gateway-raw-upstream.ts'

const WINDOW = 16_384
const PROMPT_TOKENS = 9000
const CHAT = getDialect('openai-chat')
const REPLY = {
  id: 'r',
  model: 'm',
  message: { role: 'assistant', content: 'Hello.' },
  finishReason: 'stop',
  usage: { inputTokens: 1, outputTokens: 2 },
  issues: [],
} as const

let server: RawUpstream
let gateway: RunningGateway
let outcomes: Outcome[]

beforeEach(async () => {
  server = await startRawUpstream()
  outcomes = []
  const observer = { begin: () => ({ end: (outcome: Outcome) => void outcomes.push(outcome) }) }
  gateway = await startGateway(
    {
      providers: {
        vllm: { baseUrl: `${server.url}/v1` },
        'llama-cpp': { baseUrl: `${server.url}/v1` },
        ollama: { baseUrl: server.url },
      },
    },
    { observers: [observer] },
  )
})
afterEach(async () => {
  await gateway.close()
  await server.close()
})

function says(response: ServerResponse, body: JsonObject): void {
  if (body['stream'] !== true) return sendJson(response, 200, CHAT.encodeResponse(REPLY))
  response.writeHead(200, { 'content-type': CONTENT_TYPES.sse })
  for (const bytes of streamBytes(CHAT, REPLY)) response.write(bytes)
  response.end()
}

function bodyOf(text: string): JsonObject {
  const body: unknown = JSON.parse(text)
  return isJsonObject(body) ? body : {}
}

/** A server that refuses what does not fit, in the words of vLLM; `lists`: it says how much does. */
function vllm(lists: boolean, refusesAlways = false): RawHandler {
  return (response, { path, text }) => {
    if (path === '/v1/models') {
      const data = lists ? [{ id: 'qwen3', owned_by: 'vllm', max_model_len: WINDOW }] : []
      return sendJson(response, 200, { object: 'list', data })
    }
    const body = bodyOf(text)
    const asked = Number(body['max_tokens'] ?? body['max_completion_tokens'])
    if (!refusesAlways && PROMPT_TOKENS + asked <= WINDOW) return says(response, body)
    sendJson(response, 400, {
      error: {
        message: `'max_tokens' or 'max_completion_tokens' is too large: ${asked}. This model's maximum context length is ${WINDOW} tokens and your request has ${PROMPT_TOKENS} input tokens (${asked} > ${WINDOW} - ${PROMPT_TOKENS}). (parameter=max_tokens, value=${asked})`,
        type: 'BadRequestError',
        param: 'max_tokens',
        code: 400,
      },
    })
  }
}

/** As many characters as the tokens that the server counts usually have. */
const TEXT = 'word '.repeat((PROMPT_TOKENS * 3.5) / 5)

function askFor(id: string, model: string, streamed: boolean, content = TEXT): Promise<Answer> {
  const request = { model, maxTokens: 32_000, messages: [{ role: 'user', content }] } as const
  return ask(gateway.url, askerNamed(id), request, streamed)
}

/** The limits of the requests for replies, in order. */
function limits(): number[] {
  const posts = server.requests.filter(({ text }) => text.includes('"messages"'))
  return posts.map(({ text }) => {
    const body = bodyOf(text)
    return Number(body['max_tokens'] ?? body['max_completion_tokens'])
  })
}

const LANES = [
  ['openai-chat', false],
  ['openai-chat', true],
  ['anthropic', false],
  ['anthropic', true],
] as const

describe.for(LANES)('%s client, streamed: %s', ([id, streamed]) => {
  test('what the server says about its context is respected from the start', async () => {
    server.answer(vllm(true))
    const answer = await askFor(id, 'vllm/qwen3', streamed)
    expect(replyIn(answer, askerNamed(id), streamed).message.content).toBe('Hello.')
    const [sent = 0, ...others] = limits()
    expect(others).toEqual([])
    expect(sent).toBeGreaterThan(5000)
    expect(sent).toBeLessThanOrEqual(WINDOW - PROMPT_TOKENS)
    expect(answer.headers.get('x-toolglot-max-tokens')).toBe(String(sent))
    expect(outcomes).toMatchObject([{ fitted: { asked: 32_000, sent }, issues: [] }])
  })

  test('what a refusal says is used at once, and remembered', async () => {
    server.answer(vllm(false))
    const answer = await askFor(id, 'vllm/qwen3', streamed)
    expect(replyIn(answer, askerNamed(id), streamed).message.content).toBe('Hello.')
    expect(limits()).toEqual([32_000, WINDOW - PROMPT_TOKENS - 16])
    await askFor(id, 'vllm/qwen3', streamed)
    const [, , again = 0, ...others] = limits()
    expect(others).toEqual([])
    expect(again).toBeLessThan(WINDOW - PROMPT_TOKENS)
  })

  test('a server that refuses its own number is not asked for ever', async () => {
    server.answer(vllm(false, true))
    const answer = await askFor(id, 'vllm/qwen3', streamed)
    expect(answer.status).toBe(400)
    expect(limits()).toHaveLength(2)
  })

  test('a prompt that is too long by itself is refused once, in the words of llama.cpp', async () => {
    server.answer((response, { path }) => {
      if (path !== '/v1/chat/completions') return sendJson(response, 404, { error: 'no' })
      sendJson(response, 400, {
        error: {
          code: 400,
          message:
            'request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 9000,
          n_ctx: 4096,
        },
      })
    })
    const answer = await askFor(id, 'llama-cpp/qwen3', streamed)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('x-toolglot-error')).toBe('context_length_exceeded')
    expect(limits()).toEqual([32_000])
  })

  test('a short reply is left alone, and nobody is asked about the model', async () => {
    server.answer(vllm(true))
    const request = { model: 'vllm/qwen3', maxTokens: 500, messages: [] as const }
    const messages = [{ role: 'user', content: 'Hi.' }] as const
    const answer = await ask(gateway.url, askerNamed(id), { ...request, messages }, streamed)
    expect(answer.headers.get('x-toolglot-max-tokens')).toBe(null)
    expect(limits()).toEqual([500])
    expect(server.requests).toHaveLength(1)
  })
})

test('a picture is not counted by its bytes', async () => {
  server.answer(vllm(true))
  const url = `data:image/png;base64,${'A'.repeat(400_000)}`
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url } },
  ]
  await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'vllm/qwen3',
      max_tokens: 32_000,
      messages: [{ role: 'user', content }],
    }),
  })
  const [sent = 0] = limits()
  expect(sent).toBeGreaterThan(WINDOW - 2000)
})

test('the context that Ollama runs a model with limits its replies', async () => {
  server.answer((response, { path }) =>
    path === '/api/show'
      ? sendJson(response, 200, { parameters: 'num_ctx 8192', capabilities: ['completion'] })
      : sendJson(response, 200, getDialect('ollama').encodeResponse(REPLY)),
  )
  const answer = await askFor('ollama', 'ollama/qwen3', false, 'Hello?')
  expect(answer.status).toBe(200)
  const { options } = bodyOf(server.requests.at(-1)?.text ?? '{}')
  expect(isJsonObject(options) && options['num_predict']).toBeLessThan(8192)
})

test('a client does the same', async () => {
  server.answer(vllm(false))
  const client = createClient({
    provider: 'vllm',
    model: 'm',
    baseUrl: `${server.url}/v1`,
    env: {},
  })
  const fitted: object[] = []
  const messages = [{ role: 'user', content: TEXT }] as const
  const { message } = await client.complete(
    { messages, maxTokens: 32_000 },
    { onFitted: (one) => fitted.push(one) },
  )
  expect(message.content).toBe('Hello.')
  expect(fitted).toEqual([{ asked: 32_000, sent: WINDOW - PROMPT_TOKENS - 16 }])
})
