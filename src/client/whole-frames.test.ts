import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWholeFrames, frameEnd } from './whole-frames.ts'

const decoder = new TextDecoder()

/** What passes of a text that comes in pieces of these lengths, and what is left at its end. */
function passing(text: string, lengths: readonly number[], framing: 'sse' | 'ndjson') {
  const frames = createWholeFrames(framing)
  const bytes = new TextEncoder().encode(text)
  const passed: string[] = []
  let at = 0
  for (let piece = 0; at < bytes.length; piece++) {
    const end = at + Math.max(1, lengths[piece % lengths.length] ?? 1)
    passed.push(decoder.decode(frames.push(bytes.subarray(at, end))))
    at = end
  }
  return { passed, last: decoder.decode(frames.end()) }
}

const frame = fc.constantFrom(
  'data: a\n\n',
  'event: x\ndata: b\n\n',
  ': c\r\n\r\n',
  'data: d\n\r\n',
)
const lengths = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 8 })

describe('whole frames', () => {
  test('pass, however they are cut, and nothing else does', () => {
    fc.assert(
      fc.property(fc.array(frame), lengths, (parts, cuts) => {
        const text = parts.join('')
        const { passed, last } = passing(`${text}data: half`, cuts, 'sse')
        expect(passed.join('')).toBe(text)
        for (const piece of passed) expect(piece).toMatch(/^$|\n\r?\n$/)
        expect(last).toBe('data: half')
      }),
    )
  })

  test('of lines', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{}\n', '{"a":1}\r\n', '\n')),
        lengths,
        (lines, cuts) => {
          const { passed, last } = passing(`${lines.join('')}{"b"`, cuts, 'ndjson')
          expect(passed.join('')).toBe(lines.join(''))
          expect(last).toBe('{"b"')
        },
      ),
    )
  })

  test('that are long are not looked through again for every piece', () => {
    const frames = createWholeFrames('sse')
    const line = new TextEncoder().encode(`\ndata: ${'x'.repeat(100)}`)
    // Looked through each time, this many lines are 200 GB.
    let passed = 0
    for (let count = 0; count < 60_000; count++) passed += frames.push(line).length
    expect(passed).toBe(0)
    expect(frames.push(new TextEncoder().encode('\n\n')).length).toBe(60_000 * line.length + 2)
  })

  test('are not ended by a piece without a byte', () => {
    const frames = createWholeFrames('sse')
    const half = new TextEncoder().encode('data: a\n')
    for (const piece of [half, new Uint8Array()]) expect(frames.push(piece)).toHaveLength(0)
    expect(decoder.decode(frames.end())).toBe('data: a\n')
  })

  test('are told apart', () => {
    fc.assert(
      fc.property(fc.array(frame), (parts) => {
        const bytes = new TextEncoder().encode(parts.join(''))
        const apart: string[] = []
        for (let at = 0; at < bytes.length; ) {
          const end = frameEnd(bytes, at, true)
          apart.push(decoder.decode(bytes.subarray(at, end)))
          at = end
        }
        expect(apart).toEqual(parts)
      }),
    )
  })
})
