/** A mended response behaves like one that was fetched. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rescueFetch } from '../../src/fetch.ts'
import { encode, playing, REQUESTS, readFrames, sse, URLS } from './replies.ts'

const BERGEN = '<tool_call>{"name": "get_weather", "arguments": {"city": "Bergen"}}</tool_call>'
const body = JSON.stringify(REQUESTS['openai-chat'])
const url = URLS['openai-chat']
const said = (content: string) => sse({ choices: [{ index: 0, delta: { content } }] })
const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

/** A stream that is fed by hand. */
function tap() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const seen = { pulls: 0, cancelled: undefined as unknown }
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (one) => {
        controller = one
      },
      pull: () => {
        seen.pulls++
      },
      cancel: (reason) => {
        seen.cancelled = reason
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { 'content-type': 'text/event-stream' }
  const fetch = rescueFetch({ fetch: async () => new Response(stream, { headers }) })
  return {
    seen,
    feed: (text: string) => controller?.enqueue(encode(text)),
    fail: (error: Error) => controller?.error(error),
    read: async () => {
      const response = await fetch(url, { method: 'POST', body })
      if (!response.body) throw new Error('no body')
      return response.body.getReader()
    },
  }
}

describe('a stream', () => {
  it('gives text at once', async () => {
    const { feed, read } = tap()
    const reader = await read()
    for (const text of ['Hello', ', ', 'world', '. And 1 ', '+ 1']) {
      feed(said(text))
      expect(decode((await reader.read()).value)).toBe(said(text))
    }
  })

  it('waits with what may be a call, and for no longer', async () => {
    const { feed, read } = tap()
    const reader = await read()
    feed(said('a <too'))
    feed(said('ls> b'))
    // In one piece: clients take their time for each.
    expect(decode((await reader.read()).value)).toBe(said('a <too') + said('ls> b'))
  })

  it('is read only as fast as it is wanted', async () => {
    const { feed, read, seen } = tap()
    const reader = await read()
    await pause()
    expect(seen.pulls).toBe(0)
    feed(said('one'))
    feed(said('two'))
    await reader.read()
    await pause()
    expect(seen.pulls).toBe(0)
  })

  it('is cancelled at its source', async () => {
    const { feed, read, seen } = tap()
    const reader = await read()
    feed(said('one'))
    await reader.read()
    await reader.cancel('enough')
    expect(seen.cancelled).toBe('enough')
  })

  it('gives what it kept back before it fails', async () => {
    const { feed, fail, read } = tap()
    const reader = await read()
    feed(`${said('one <tool_')}data: {"ha`)
    const pending = reader.read()
    await pause()
    fail(new Error('broken'))
    expect(decode((await pending).value)).toBe(`${said('one <tool_')}data: {"ha`)
    await expect(reader.read()).rejects.toThrow('broken')
  })

  it('goes through however large a frame is', async () => {
    const long = said('x'.repeat(300_000))
    const pieces = Array.from({ length: 3000 }, (_, i) => long.slice(i * 101, (i + 1) * 101))
    const fetch = rescueFetch({ fetch: playing(pieces) })
    const response = await fetch(url, { method: 'POST', body })
    expect((await response.text()).length).toBe(long.length)
  })
})

describe('a response', () => {
  const leak = JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: BERGEN }, finish_reason: 'stop' }],
  })
  const headers = { 'content-length': String(leak.length), 'x-request-id': 'r7' }

  it('says nothing about bytes that are gone', async () => {
    const fetch = rescueFetch({ fetch: playing([leak], { type: 'application/json', headers }) })
    const response = await fetch(url, { method: 'POST', body })
    expect(response.headers.get('content-length')).toBeNull()
    expect(response.headers.get('x-request-id')).toBe('r7')
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
  })

  it('keeps its headers when nothing changed', async () => {
    const plain = leak.replace(JSON.stringify(BERGEN), '"Hello"')
    const given = { ...headers, 'content-length': String(plain.length) }
    const fetch = rescueFetch({
      fetch: playing([plain], { type: 'application/json', headers: given }),
    })
    const response = await fetch(url, { method: 'POST', body })
    expect(response.headers.get('content-length')).toBe(String(plain.length))
    expect(await response.text()).toBe(plain)
  })

  it('comes whatever the request is made of', async () => {
    const bytes = encode(body)
    const fetch = rescueFetch({ fetch: playing([leak], { type: 'application/json' }) })
    const asked = [
      fetch(url, { method: 'POST', body: bytes }),
      fetch(new URL(`${url}?api-version=1`), { method: 'POST', body: bytes.buffer as ArrayBuffer }),
      fetch(new Request(url, { method: 'POST', body })),
    ]
    for (const response of await Promise.all(asked)) {
      expect(await response.json()).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
    }
    const form = await fetch(url, { method: 'POST', body: new URLSearchParams({ a: 'b' }) })
    expect(await form.text()).toBe(leak)
  })

  it('tells of what was to be a call and is none', async () => {
    const cut = { role: 'assistant', content: '<tool_call>{"name": "get_weather", "argu' }
    const whole = JSON.stringify({ choices: [{ index: 0, message: cut, finish_reason: 'length' }] })
    const chunk = JSON.stringify({ choices: [{ index: 0, delta: cut }] })
    const found: unknown[] = []
    for (const play of [
      playing([whole], { type: 'application/json' }),
      playing([`data: ${chunk}\n\n`, 'data: [DONE]\n\n']),
    ]) {
      const fetch = rescueFetch({
        fetch: play,
        onIssue: ({ dialect, issue }) => {
          found.push([dialect, issue.code])
          throw new Error('not my day')
        },
      })
      expect(await (await fetch(url, { method: 'POST', body })).text()).toContain('argu')
    }
    const issue = ['openai-chat', 'truncated-call']
    expect(found).toEqual([issue, issue])
  })

  it('does not suffer from who looks on', async () => {
    const fetch = rescueFetch({
      fetch: playing([leak], { type: 'application/json' }),
      onRescue: () => {
        throw new Error('not my day')
      },
    })
    const response = await fetch(url, { method: 'POST', body })
    expect(await response.json()).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
  })

  it('is read only in the formats that were asked for', async () => {
    const fetch = rescueFetch({
      fetch: playing([leak], { type: 'application/json' }),
      protocols: ['mistral-v11'],
    })
    expect(await (await fetch(url, { method: 'POST', body })).text()).toBe(leak)
  })

  it('fails as fetch does', async () => {
    const failing = rescueFetch({ fetch: () => Promise.reject(new TypeError('fetch failed')) })
    await expect(failing(url, { method: 'POST', body })).rejects.toThrow('fetch failed')
  })
})

describe('a connection', () => {
  let server: Server
  let open = 0
  beforeAll(async () => {
    server = createServer((_, response) => {
      open++
      response.on('close', () => open--)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(said('Hello'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const address = () =>
    // A TCP server that listens has an address with a port.
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`

  it('is closed when the reader stops', async () => {
    const response = await rescueFetch()(address(), { method: 'POST', body })
    expect(response.url).toBe(address())
    for await (const bytes of response.body ?? []) {
      expect(readFrames(decode(bytes))).toHaveLength(1)
      break
    }
    await until(() => open === 0)
  })

  it('is closed when the request is aborted', async () => {
    const abort = new AbortController()
    const { signal } = abort
    const response = await rescueFetch()(address(), { method: 'POST', body, signal })
    const reader = response.body?.getReader()
    await reader?.read()
    const next = reader?.read()
    abort.abort()
    await expect(next).rejects.toThrow('abort')
    await until(() => open === 0)
  })
})

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10))
}

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !isSo(); i++) await pause()
  expect(isSo()).toBe(true)
}
