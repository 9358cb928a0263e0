import { describe, expect, test } from 'vitest'
import { createFrameReader } from '../../client/frames.ts'
import type { ChatEvent, ChatResponse } from '../../core/chat.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { openaiChat } from '../../dialects/openai-chat.ts'
import type { ByteSource, UpstreamReply } from '../http.ts'
import { listDemoModels } from './demo-models.ts'
import { demoProvider } from './demo-provider.ts'
import { createDemoSend } from './demo-send.ts'

const TOOL = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    },
  },
}

const send = createDemoSend({ slowMs: 1 })

function ask(body: JsonObject | string, signal?: AbortSignal): Promise<UpstreamReply> {
  return send({
    method: 'POST',
    url: new URL(demoProvider.baseUrl + demoProvider.paths.chat),
    headers: {},
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal,
  })
}

function question(model: string, more: JsonObject = {}): JsonObject {
  const messages = [{ role: 'user', content: 'How is the weather in "Tromsø 🌃"?' }]
  return { model, messages, tools: [TOOL], ...more }
}

function collect(source: ByteSource): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  return new Promise((resolve, reject) => {
    source.start({
      data: (bytes) => {
        text += decoder.decode(bytes, { stream: true })
      },
      end: () => resolve(text),
      fail: reject,
    })
  })
}

async function askText(body: JsonObject | string): Promise<string> {
  return collect((await ask(body)).body)
}

async function askWhole(body: JsonObject): Promise<ChatResponse> {
  return openaiChat.decodeResponse(JSON.parse(await askText(body)))
}

function decode(stream: string): ChatEvent[] {
  const reader = createFrameReader('sse')
  const decoder = openaiChat.createStreamDecoder()
  const frames = [...reader.push(new TextEncoder().encode(stream)), ...reader.end()]
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

describe.for(listDemoModels())('$id', ({ id }) => {
  test('streams what it answers at once, twice the same', async () => {
    const body = question(id, { stream: true, stream_options: { include_usage: true } })
    const stream = await askText(body)
    expect(await askText(body)).toBe(stream)
    const events = decode(stream)
    const whole = await askWhole(question(id))
    expect(events.at(-1)).toEqual({ type: 'finish', response: whole })
    const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
    expect(deltas.join('')).toBe(whole.message.content)
    for (const delta of deltas) expect(delta.length).toBeLessThanOrEqual(8)
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
  })
})

test('native arguments come in pieces', async () => {
  const events = decode(await askText(question('native', { stream: true })))
  const deltas = events.flatMap((event) =>
    event.type === 'call-delta' ? [event.argumentsDelta] : [],
  )
  expect(deltas.length).toBeGreaterThan(2)
  expect(JSON.parse(deltas.join(''))).toEqual({ city: 'Tromsø 🌃' })
})

test('a cut-off reply says so', async () => {
  expect(await askText(question('hermes:truncated'))).toContain('"finish_reason":"length"')
  expect(await askText(question('hermes:truncated', { stream: true }))).toContain(
    '"finish_reason":"length"',
  )
})

test('counts come with a stream only when they are asked for', async () => {
  expect(await askText(question('hermes', { stream: true }))).not.toContain('usage')
  const options = { stream: true, stream_options: { include_usage: true } }
  expect(await askText(question('hermes', options))).toContain('"total_tokens"')
})

test('the type of the answer is told', async () => {
  const whole = await ask(question('hermes'))
  const stream = await ask(question('hermes', { stream: true }))
  expect(whole).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
  expect(stream).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } })
})

test('the list of models has them all', async () => {
  const url = new URL(demoProvider.baseUrl + demoProvider.paths.models)
  const reply = await send({ method: 'GET', url, headers: {} })
  const { data } = JSON.parse(await collect(reply.body))
  expect(data.map((model: JsonObject) => model['id'])).toEqual(listDemoModels().map(({ id }) => id))
})

describe('what cannot be answered', () => {
  test.for([
    ['an unknown model', question('nobody'), 404, 'model_not_found'],
    ['no JSON', '{"model":', 400, 'invalid_json'],
    ['no messages', { model: 'hermes' }, 400, 'invalid_input'],
  ] as const)('%s', async ([, body, status, code]) => {
    const reply = await ask(body)
    expect(reply.status).toBe(status)
    expect(JSON.parse(await collect(reply.body))).toMatchObject({
      error: { type: 'invalid_request_error', code, message: expect.any(String) },
    })
  })

  test('another address', async () => {
    const url = new URL(`${demoProvider.baseUrl}/embeddings`)
    const reply = await send({ method: 'POST', url, headers: {}, body: '{}' })
    expect(reply.status).toBe(404)
  })
})

describe('a request that is given up', () => {
  test('before it is sent', async () => {
    const reason = new Error('given up')
    await expect(ask(question('hermes'), AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  test('before the answer is read', async () => {
    const controller = new AbortController()
    const { body } = await ask(question('hermes', { stream: true }), controller.signal)
    const reason = new Error('given up')
    controller.abort(reason)
    await expect(collect(body)).rejects.toBe(reason)
  })

  test('while the answer is read', async () => {
    const controller = new AbortController()
    const { body } = await ask(question('slow', { stream: true }), controller.signal)
    const reason = new Error('given up')
    let pieces = 0
    const ended = new Promise((resolve, reject) => {
      body.start({
        data: () => {
          pieces += 1
          if (pieces === 3) controller.abort(reason)
        },
        end: () => reject(new Error('came to its end')),
        fail: resolve,
      })
    })
    expect(await ended).toBe(reason)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(pieces).toBe(3)
  })
})
