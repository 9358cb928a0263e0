/** Replies of the Responses API that clients ask for again, and what else there is around them. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { type FakeProviders, fakeProviders, type SentRequest } from '../support/gateway-send.ts'

const CONFIG: GatewayConfig = {
  demo: false,
  providers: {
    chat: { provider: 'openai-compatible', baseUrl: 'http://chat.test/v1' },
    openai: { baseUrl: 'http://openai.test/v1', apiKey: 'sk-provider' },
    plain: { provider: 'responses-compatible', baseUrl: 'http://plain.test/v1' },
  },
  keys: [
    { name: 'one', key: 'key-one' },
    { name: 'two', key: 'key-two' },
    { name: 'slow', key: 'key-slow', requestsPerMinute: 2 },
  ],
}
const USAGE = { input_tokens: 5, output_tokens: 1, total_tokens: 6 }

function answer({ url, body }: SentRequest): Response {
  if (url.hostname === 'chat.test') {
    const message = { role: 'assistant', content: `You wrote ${JSON.stringify(body['messages'])}` }
    return Response.json({ choices: [{ index: 0, message, finish_reason: 'stop' }] })
  }
  if (url.hostname === 'plain.test') {
    return Response.json({ error: { message: 'Not Found' } }, { status: 404 })
  }
  const [, path = ''] = url.href.split('/v1')
  if (path === '/responses/input_tokens') return Response.json({ input_tokens: 77 })
  if (path === '/responses/compact') {
    const output = [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'x' }]
    return Response.json({ id: 'resp_c', object: 'response.compaction', output, usage: USAGE })
  }
  if (path === '/responses' && body['stream'] === true) {
    const response = { id: 'resp_streamed', object: 'response', status: 'completed', output: [] }
    const frames = ['created', 'completed'].map((event) => {
      const type = `response.${event}`
      return `event: ${type}\ndata: ${JSON.stringify({ type, response })}\n\n`
    })
    return new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream' } })
  }
  if (path === '/responses') {
    return Response.json({ id: 'resp_up', object: 'response', status: 'completed', output: [] })
  }
  return Response.json({ path })
}

function open(): { readonly gateway: Gateway; readonly services: FakeProviders } {
  const services = fakeProviders(answer)
  return { services, gateway: createGateway(CONFIG, { send: services.send, env: {} }) }
}

async function call(
  gateway: Gateway,
  [method, path]: readonly [string, string],
  { key = 'key-one', body }: { readonly key?: string; readonly body?: JsonObject } = {},
): Promise<{ readonly status: number; readonly body: JsonObject; readonly headers: Headers }> {
  const reply = await gateway.fetch(
    new Request(`http://gateway.test/v1/responses${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  const text = await reply.text()
  const { status, headers } = reply
  return { status, headers, body: text.startsWith('{') ? JSON.parse(text) : { text } }
}

async function asked(
  gateway: Gateway,
  model: string,
  fields: JsonObject = {},
): Promise<JsonObject> {
  const { status, body } = await call(gateway, ['POST', ''], {
    body: { model, input: 'Hi', ...fields },
  })
  expect(status).toBe(200)
  return body
}

describe('a reply of another provider', () => {
  test('is there again, with the items that it answered', async () => {
    const { gateway } = open()
    const first = await asked(gateway, 'chat/m')
    expect(await call(gateway, ['GET', `/${first['id']}`])).toMatchObject({
      status: 200,
      body: first,
    })
    const next = await asked(gateway, 'chat/m', {
      previous_response_id: first['id'] ?? null,
      input: [{ role: 'user', content: 'And now?' }],
    })
    const listed = await call(gateway, ['GET', `/${next['id']}/input_items?order=asc`])
    expect(listed.body).toMatchObject({
      object: 'list',
      has_more: false,
      data: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'message', role: 'assistant' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
      ],
    })
    const [newest] = [listed.body].flatMap(({ data }) => (data as JsonObject[]).slice(-1))
    const page = await call(gateway, ['GET', `/${next['id']}/input_items?limit=1`])
    expect(page.body).toMatchObject({ data: [newest], has_more: true, last_id: newest?.['id'] })
    const rest = await call(gateway, [
      'GET',
      `/${next['id']}/input_items?after=${newest?.['id']}&order=desc`,
    ])
    expect(rest.body).toMatchObject({ data: [{ role: 'assistant' }, { role: 'user' }] })
  })

  test('is gone when it was deleted', async () => {
    const { gateway } = open()
    const { id = null } = await asked(gateway, 'chat/m')
    expect(await call(gateway, ['DELETE', `/${id}`])).toMatchObject({ body: { id, deleted: true } })
    expect(await call(gateway, ['GET', `/${id}`])).toMatchObject({ status: 404 })
    const body = { model: 'chat/m', input: 'More', previous_response_id: id }
    expect(await call(gateway, ['POST', ''], { body })).toMatchObject({ status: 400 })
  })

  test('is nobody else’s, and not kept unless the client wants it', async () => {
    const { gateway } = open()
    const { id } = await asked(gateway, 'chat/m')
    const foreign = await call(gateway, ['GET', `/${id}`], { key: 'key-two' })
    expect(foreign).toMatchObject({
      status: 404,
      body: {
        error: { type: 'invalid_request_error', message: expect.stringContaining(`'${id}'`) },
      },
    })
    await call(gateway, ['DELETE', `/${id}`], { key: 'key-two' })
    expect(await call(gateway, ['GET', `/${id}`])).toMatchObject({ status: 200 })
    const unkept = await asked(gateway, 'chat/m', { store: false })
    expect(await call(gateway, ['GET', `/${unkept['id']}`])).toMatchObject({ status: 404 })
  })

  test('cannot be cancelled', async () => {
    const { gateway } = open()
    const { id } = await asked(gateway, 'chat/m')
    expect(await call(gateway, ['POST', `/${id}/cancel`])).toMatchObject({ status: 400 })
  })
})

describe('a reply that its provider keeps', () => {
  test.for([false, true])('is asked for there, streamed: %s', async (stream) => {
    const { gateway, services } = open()
    await asked(gateway, 'openai/gpt-6', { stream })
    const id = stream ? 'resp_streamed' : 'resp_up'
    const got = await call(gateway, ['GET', `/${id}?include=a`])
    expect(got).toMatchObject({ status: 200, body: { path: `/responses/${id}?include=a` } })
    expect(services.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-provider')
    const items = await call(gateway, ['GET', `/${id}/input_items?limit=5`])
    expect(items.body).toEqual({ path: `/responses/${id}/input_items?limit=5` })
    expect((await call(gateway, ['DELETE', `/${id}`])).body).toEqual({ path: `/responses/${id}` })
    const foreign = await call(gateway, ['GET', `/${id}`], { key: 'key-two' })
    expect(foreign.status).toBe(404)
  })
})

describe('tokens', () => {
  test('are counted by a provider that can, and estimated for others', async () => {
    const { gateway } = open()
    const count = (model: string) =>
      call(gateway, ['POST', '/input_tokens'], { body: { model, input: 'Hello there' } })
    expect((await count('openai/gpt-6')).body).toEqual({ input_tokens: 77 })
    for (const model of ['chat/m', 'plain/m']) {
      const { status, body, headers } = await count(model)
      expect(status).toBe(200)
      expect(body).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) })
      expect(headers.get('x-toolglot-estimate')).toBe('true')
    }
  })
})

describe('compaction', () => {
  const body = (model: string): JsonObject => ({ model, input: [{ role: 'user', content: 'Hi' }] })

  test('is a matter of providers that have it', async () => {
    const { gateway, services } = open()
    const { status, body: compacted } = await call(gateway, ['POST', '/compact'], {
      body: body('openai/gpt-6'),
    })
    expect(status).toBe(200)
    expect(compacted).toMatchObject({
      object: 'response.compaction',
      output: [{ type: 'compaction' }],
    })
    expect(services.requests.at(-1)).toMatchObject({
      url: new URL('http://openai.test/v1/responses/compact'),
      body: body('gpt-6'),
    })
  })

  test('is refused where nobody has it, without a question to a model', async () => {
    const { gateway, services } = open()
    const refused = await call(gateway, ['POST', '/compact'], { body: body('chat/m') })
    expect(refused).toMatchObject({
      status: 501,
      body: { error: { type: 'server_error', code: 'not_supported' } },
    })
    expect(services.requests).toEqual([])
    const missing = await call(gateway, ['POST', '/compact'], { body: body('plain/m') })
    expect(missing.status).toBe(501)
  })
})

test('questions about replies count as requests of the key', async () => {
  const { gateway } = open()
  const ask = () => call(gateway, ['GET', '/resp_none'], { key: 'key-slow' })
  expect([await ask(), await ask(), await ask()].map(({ status }) => status)).toEqual([
    404, 404, 429,
  ])
})
