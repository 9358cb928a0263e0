/** Whatever goes wrong while a reply is mended, its reader gets at least what the server sent. */
import { describe, expect, it } from 'vitest'
import type { Protocol } from '../../src/core/protocol.ts'
import { rescueFetch } from '../../src/fetch.ts'
import { randomChunks } from '../../src/testing/chunks.ts'
import { bytesOf, encode, playing, REQUESTS, rescue, sse, URLS } from './replies.ts'

const BERGEN = '<tool_call>{"name": "get_weather", "arguments": {"city": "Bergen"}}</tool_call>'
const JSON_TYPE = { type: 'application/json' }
const body = JSON.stringify(REQUESTS['openai-chat'])
const url = URLS['openai-chat']
const said = (content: string) => sse({ choices: [{ index: 0, delta: { content } }] })
const whole = (content: string) =>
  JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content } }] })

/** A format whose reader fails at the first mark of exclamation. */
const failing: Protocol = {
  id: 'failing',
  emitters: 'nobody',
  openers: () => [
    {
      prefix: ['!'],
      match: () => {
        throw new Error('not my day')
      },
      open: () => {
        throw new Error('not reached')
      },
    },
  ],
  formatTools: () => '',
  formatCall: () => '',
  formatResult: () => '',
}

describe('a format that fails', () => {
  it('leaves a stream as it came', async () => {
    const stream = `${said('One ')}${said('two ')}${said('three!x')}${said(BERGEN)}${said('.')}`
    for (let seed = 1; seed < 20; seed++) {
      const pieces = randomChunks(stream, random(seed))
      expect(await rescue('openai-chat', pieces, { protocols: [failing, 'hermes'] })).toBe(stream)
    }
  })

  it('leaves what was mended before it, and the rest as it came', async () => {
    const rest = `${said('Then!x')}${said(BERGEN)}`
    const stream = `${said('One ')}${said(BERGEN)}${rest}`
    const got = await rescue('openai-chat', [stream], { protocols: ['hermes', failing] })
    expect(got).toContain('"tool_calls"')
    expect(got.endsWith(rest)).toBe(true)
  })

  it('leaves a whole reply as it came', async () => {
    const reply = whole(`Look!x ${BERGEN}`)
    const how = { ...JSON_TYPE, protocols: [failing, 'hermes'] }
    expect(await rescue('openai-chat', [reply], how)).toBe(reply)
  })
})

describe('a reply that is too long', () => {
  const reply = whole(BERGEN)

  it('passes as it is', async () => {
    const mended = await rescue('openai-chat', [...reply], { ...JSON_TYPE, maxBodyBytes: 1000 })
    expect(mended).toContain('"tool_calls"')
    const long = await rescue('openai-chat', [...reply], { ...JSON_TYPE, maxBodyBytes: 50 })
    expect(long).toBe(reply)
  })

  it('is not even opened when it says so', async () => {
    const headers = { 'content-length': String(reply.length) }
    let sent: Response | undefined
    const fetch = rescueFetch({
      maxBodyBytes: 50,
      fetch: async (...given) => {
        sent = await playing([reply], { ...JSON_TYPE, headers })(...given)
        return sent
      },
    })
    expect(await fetch(url, { method: 'POST', body })).toBe(sent)
  })

  it('is stopped at its source', async () => {
    let reason: unknown
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(encode('xxxxxxxx')),
      cancel: (why) => {
        reason = why
      },
    })
    const headers = { 'content-type': 'application/json' }
    const fetch = rescueFetch({
      maxBodyBytes: 50,
      fetch: async () => new Response(source, { headers }),
    })
    const response = await fetch(url, { method: 'POST', body })
    await response.body?.cancel('enough')
    expect(reason).toBe('enough')
  })
})

describe('a whole reply that breaks off', () => {
  it('fails where it is read, as it does without us', async () => {
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(encode('{"choices": ['))
      },
      pull: (controller) => controller.error(new Error('broken')),
    })
    const headers = { 'content-type': 'application/json' }
    const fetch = rescueFetch({ fetch: async () => new Response(source, { headers }) })
    const response = await fetch(url, { method: 'POST', body })
    const reader = response.body?.getReader()
    expect((await reader?.read())?.value).toEqual(encode('{"choices": ['))
    await expect(reader?.read()).rejects.toThrow('broken')
  })
})

describe('a stream that breaks off inside a call', () => {
  it('gives what was kept back, and nothing twice', async () => {
    const start = 'Look: <tool_call>{"name": "get_weather", '
    const source = new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(encode(said(start))),
        pull: (controller) => controller.error(new Error('broken')),
      },
      { highWaterMark: 0 },
    )
    const headers = { 'content-type': 'text/event-stream' }
    const fetch = rescueFetch({ fetch: async () => new Response(source, { headers }) })
    const response = await fetch(url, { method: 'POST', body })
    const pieces: Uint8Array[] = []
    const reading = (async () => {
      for await (const piece of response.body ?? []) pieces.push(piece)
    })()
    await expect(reading).rejects.toThrow('broken')
    const frames = new TextDecoder().decode(bytesOf(pieces)).split('\n\n').filter(Boolean)
    const texts = frames.map((frame) => JSON.parse(frame.slice(6)).choices[0].delta.content)
    expect(texts.join('')).toBe(start)
  })
})

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}
