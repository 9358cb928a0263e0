import { describe, expect, test } from 'vitest'
import type { ChatEvent } from '../core/chat.ts'
import type { Frame } from '../core/dialect.ts'
import { readFrames, wholeReply, writeFrames } from './recorded-stream.ts'
import { allDialects, getDialect } from './registry.ts'

const EVENTS: readonly ChatEvent[] = [
  { type: 'start', id: 'r1', model: 'm' },
  { type: 'text-delta', text: 'Good morning.' },
  {
    type: 'finish',
    response: {
      message: { role: 'assistant', content: 'Good morning.' },
      finishReason: 'stop',
      usage: {},
      issues: [],
    },
  },
]

/** A recording has one framing; read by another it has no frames. */
function recorded(frames: readonly Frame[], framing: string) {
  return (asked: string): readonly Frame[] => (asked === framing ? frames : [])
}

describe('a recorded stream is read in the dialect it was written in', () => {
  // What Mistral streams for plain text is what OpenAI streams.
  const readAs: Readonly<Record<string, string>> = { mistral: 'openai-chat' }

  test.for(allDialects.map(({ id }) => id))('%s', (id) => {
    const dialect = getDialect(id)
    const frames = writeFrames(EVENTS, dialect)
    const read = readFrames(recorded(frames, dialect.framing), allDialects)
    expect(read?.from.id).toBe(readAs[id] ?? id)
    expect(wholeReply(read?.events ?? [])?.message.content).toBe('Good morning.')
  })

  test('also when it was cut off', () => {
    const frames = writeFrames(EVENTS, getDialect('anthropic')).slice(0, 3)
    const read = readFrames(recorded(frames, 'sse'), allDialects)
    expect(read?.from.id).toBe('anthropic')
    const issues: string[] = []
    const reply = wholeReply(read?.events ?? [], { report: ({ code }) => issues.push(code) })
    expect(reply?.message.content).toBe('Good morning.')
    expect(issues).toEqual(['invalid-response'])
  })
})

test('what is no stream of any dialect is not read', () => {
  expect(readFrames(() => [{ data: 'Good morning.' }], allDialects)).toBeUndefined()
})
