/** What needs no mending passes byte for byte. */
import { describe, expect, it } from 'vitest'
import type { ChatResponse } from '../../src/core/chat.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { rescueFetch } from '../../src/fetch.ts'
import { randomChunks } from '../../src/testing/chunks.ts'
import { streamBytes } from '../../src/testing/upstream-reply.ts'
import { bytesOf, encode, playing, REQUESTS, rescue, sse, URLS, type WireId } from './replies.ts'

const TEXTS = {
  plain: 'In Bergen it will rain for three days, and then it will not.',
  marks: 'If a < b, use [list] or {set}: `<tool_call>` begins a call, 名前 is a name. 😀\n\n',
  blank: '\n\n',
  unknown: '<tool_call>\n{"name": "no_such_tool", "arguments": {}}\n</tool_call>',
  unfinished: '<tool_call>{"name": "get_weather", "arguments": {"city": "Be',
  broken: '<tool_call>{"name": "get_weather", "arguments": [[[}</tool_call> so it goes',
  faked: 'Then <tool_response>{"rain": true}</tool_response> came.',
  json: '{"city": "Bergen", "rain": true}',
  sentence: '{"name": "get_weather", "arguments": {"city": "Bergen"}} would be a call.',
}

const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 }
const head = { id: 'r1', model: 'm', usage, issues: [] }

function said(content: string): ChatResponse {
  return { ...head, message: { role: 'assistant', content }, finishReason: 'stop' }
}

const called: ChatResponse = {
  ...head,
  message: {
    role: 'assistant',
    content: 'One moment.',
    toolCalls: [
      { id: 'call_1', name: 'get_weather', arguments: { city: 'Bergen' }, origin: 'native' },
      { id: 'call_2', name: 'get_weather', arguments: { city: 'Oslo' }, origin: 'native' },
    ],
  },
  finishReason: 'tool-calls',
}

const REPLIES: Readonly<Record<string, ChatResponse>> = {
  ...Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, said(text)])),
  called,
}
const WIRES = Object.keys(URLS) as WireId[]
const cases = WIRES.flatMap((wire) =>
  Object.entries(REPLIES).map(([name, reply]) => ({ wire, name, reply })),
)

describe('a stream', () => {
  it.each(cases)('of $wire with $name', async ({ wire, reply }) => {
    const dialect = getDialect(wire)
    const type = dialect.framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson'
    for (const pieceLength of [1, 4, 1000]) {
      const bytes = bytesOf(streamBytes(dialect, reply, pieceLength))
      const text = new TextDecoder().decode(bytes)
      for (const size of [1, 33, 100_000]) {
        const pieces: Uint8Array[] = []
        for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size))
        expect(await rescue(wire, pieces, { type })).toBe(text)
      }
    }
  })

  it('with comments, other fields and other line ends', async () => {
    const chunk = '{"id":"x", "choices":[{"index":0,"delta":{"content":"a < b"}}]}'
    const stream =
      `\ufeff: hello\r\n\r\nid: 7\r\nretry: 10\r\ndata:${chunk}\r\n\r\n\r\n` +
      `data: {"choices": [{"index":0,\ndata: "delta":{"content":"<"}}]}\n\n` +
      `event: ping\n\ndata: no json\n\ndata: [DONE]\n\ndata: {"half":`
    expect(await rescue('openai-chat', [...stream])).toBe(stream)
  })

  it('with bytes that are no text', async () => {
    const before = encode('data: {"choices":[{"index":0,"delta":{"content":"')
    const after = encode('"}}]}\n\n')
    const piece = bytesOf([before, new Uint8Array([0xff, 0xc3, 0x28]), after])
    const pieces = [piece, piece, piece, bytesOf([piece, piece])]
    const fetch = rescueFetch({ fetch: playing(pieces) })
    const body = JSON.stringify(REQUESTS['openai-chat'])
    const response = await fetch(URLS['openai-chat'], { method: 'POST', body })
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytesOf(pieces))
  })

  it('whose frames change their looks', async () => {
    const frames = ['Good ', 'day', ' "to"', ' you\\', '\n', ' 名', '前', ' <', ' all'].map(
      (content, i) => ({
        id: 'x',
        created: 1700 + i,
        at: `2026-11-16T05:0${i}`,
        choices: [{ index: 0, delta: { content }, finish_reason: null }],
        ...(i % 4 === 3 && { usage: { total_tokens: i } }),
      }),
    )
    const stream = sse(...frames, ...frames, ...frames, '[DONE]')
    expect(await rescue('openai-chat', [stream])).toBe(stream)
    for (let seed = 0; seed < 20; seed++) {
      expect(await rescue('openai-chat', randomChunks(stream, random(seed)))).toBe(stream)
    }
  })
})

describe('a whole reply', () => {
  it.each(cases)('of $wire with $name', async ({ wire, reply }) => {
    // Written as nobody else would, to see that nobody writes it anew.
    const body = JSON.stringify(getDialect(wire).encodeResponse(reply), null, 3)
    const url = URLS[wire].replace('streamGenerate', 'generate')
    expect(await rescue(wire, [body], { url, type: 'application/json; charset=utf-8' })).toBe(body)
  })

  it('that is no JSON, or none of ours', async () => {
    for (const body of ['<html>', '[]', '"text"', '{}', '{"choices": 1}', '']) {
      expect(await rescue('openai-chat', [body], { type: 'application/json' })).toBe(body)
    }
  })
})

describe('the very response of fetch', () => {
  const leak = '<tool_call>{"name": "get_weather", "arguments": {"city": "Bergen"}}</tool_call>'
  const stream = sse({ choices: [{ index: 0, delta: { content: leak } }] })
  const request = REQUESTS['openai-chat']

  it.each([
    ['no tools', { request: { ...request, tools: [] } }],
    ['no list of tools', { request: { model: 'm', messages: [] } }],
    ['tools that must not be called', { request: { ...request, tool_choice: 'none' } }],
    ['functions in the old way', { request: { ...request, tools: null, functions: [] } }],
    ['another address', { url: 'http://host/v1/embeddings' }],
    ['an error', { status: 500 }],
    ['another type', { type: 'text/plain' }],
    ['another framing', { type: 'application/x-ndjson' }],
  ])('with %s', async (_, how) => {
    const {
      request: asked = request,
      url = URLS['openai-chat'],
      ...played
    } = how as {
      request?: object
      url?: string
    }
    let sent: Response | undefined
    const fetch = rescueFetch({
      fetch: async (...given) => {
        sent = await playing([stream], played)(...given)
        return sent
      },
    })
    const got = await fetch(url, { method: 'POST', body: JSON.stringify(asked) })
    expect(got).toBe(sent)
    expect(await got.text()).toBe(stream)
  })
})

function random(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}
