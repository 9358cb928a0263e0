/** The body of a stream with nothing to mend behaves like the one of `fetch`, and costs hardly more. */
import { describe, expect, it } from 'vitest'
import { rescueFetch } from '../../src/fetch.ts'
import { bytesOf, encode, playing, REQUESTS, sse, URLS } from './replies.ts'

const body = JSON.stringify(REQUESTS['openai-chat'])
const words = ['Good ', 'morning, ', 'this ', 'is ', 'Ålesund', '. ', 'It ', 'rains']
const pieces = words.map((content) =>
  encode(sse({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
)
const all = new TextDecoder().decode(bytesOf(pieces))

async function open(chunks: readonly Uint8Array[] = pieces): Promise<Response> {
  const fetch = rescueFetch({ fetch: playing(chunks) })
  return fetch(URLS['openai-chat'], { method: 'POST', body })
}

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  if (!response.body) throw new Error('no body')
  return response.body
}

const textOf = (chunks: readonly (Uint8Array | undefined)[]): string =>
  new TextDecoder().decode(bytesOf(chunks.filter((one) => one !== undefined)))

describe('a reader', () => {
  it('is given the very pieces', async () => {
    const reader = bodyOf(await open()).getReader()
    for (const piece of pieces) expect((await reader.read()).value).toBe(piece)
    expect(await reader.read()).toEqual({ done: true, value: undefined })
    await reader.closed
  })

  it('may ask for several at once', async () => {
    // Half frames, so that some reads must wait for others.
    const halves = pieces.flatMap((piece) => [piece.subarray(0, 30), piece.subarray(30)])
    const reader = bodyOf(await open(halves)).getReader()
    const steps = await Promise.all(halves.map(() => reader.read()))
    expect(textOf(steps.map(({ value }) => value))).toBe(all)
  })

  it('leaves the rest to the next one', async () => {
    const stream = bodyOf(await open())
    const first = stream.getReader()
    const got = [await first.read(), await first.read()].map(({ value }) => value)
    expect(stream.locked).toBe(true)
    first.releaseLock()
    await expect(first.read()).rejects.toThrow(TypeError)
    expect(stream.locked).toBe(false)
    for await (const piece of stream) got.push(piece)
    expect(textOf(got)).toBe(all)
  })

  it('of bytes is not to be had', async () => {
    const stream = bodyOf(await open())
    expect(() => stream.getReader({ mode: 'byob' })).toThrow(TypeError)
  })
})

describe('a loop', () => {
  it('gives all pieces and the lock back', async () => {
    const stream = bodyOf(await open())
    const got: Uint8Array[] = []
    for await (const piece of stream) got.push(piece)
    expect(got).toEqual(pieces)
    expect(stream.locked).toBe(false)
  })

  it('may be left, and gone on with', async () => {
    const stream = bodyOf(await open())
    const got: Uint8Array[] = []
    for await (const piece of stream.values({ preventCancel: true })) {
      got.push(piece)
      if (got.length === 3) break
    }
    for await (const piece of stream) got.push(piece)
    expect(got).toEqual(pieces)
  })
})

describe('a response', () => {
  it('knows that it was used', async () => {
    const response = await open()
    expect(response.bodyUsed).toBe(false)
    for await (const _ of bodyOf(response)) break
    expect(response.bodyUsed).toBe(true)
  })

  it('can be cloned, piped and read as text', async () => {
    const response = await open()
    const copy = response.clone()
    expect(await response.text()).toBe(all)
    const decoded = bodyOf(copy).pipeThrough(new TextDecoderStream())
    let text = ''
    for await (const piece of decoded) text += piece
    expect(text).toBe(all)
  })
})
