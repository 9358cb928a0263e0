import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFrameGuard } from './frame-guard.ts'

const decoder = new TextDecoder()

/** What passes of a text that comes in pieces of these lengths, and what the end adds. */
function guarded(text: string, lengths: readonly number[], framing: 'sse' | 'ndjson') {
  const guard = createFrameGuard(framing)
  const bytes = new TextEncoder().encode(text)
  const passed: string[] = []
  let at = 0
  for (let piece = 0; at < bytes.length; piece++) {
    const end = at + Math.max(1, lengths[piece % lengths.length] ?? 1)
    passed.push(decoder.decode(guard.push(bytes.subarray(at, end))))
    at = end
  }
  return { passed, last: decoder.decode(guard.end()) }
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
      fc.property(fc.array(frame), lengths, (frames, cuts) => {
        const text = frames.join('')
        const { passed, last } = guarded(`${text}data: half`, cuts, 'sse')
        expect(passed.join('')).toBe(text)
        for (const piece of passed) expect(piece).toMatch(/^$|\n\r?\n$/)
        expect(last).toBe('data: half\n\n')
      }),
    )
  })

  test('of lines', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{}\n', '{"a":1}\r\n', '\n')),
        lengths,
        (lines, cuts) => {
          const { passed, last } = guarded(`${lines.join('')}{"b"`, cuts, 'ndjson')
          expect(passed.join('')).toBe(lines.join(''))
          expect(last).toBe('{"b"\n')
        },
      ),
    )
  })

  test('that are long are not looked through again for every piece', () => {
    const guard = createFrameGuard('sse')
    const line = new TextEncoder().encode(`\ndata: ${'x'.repeat(100)}`)
    // Looked through each time, this many lines are 200 GB.
    let passed = 0
    for (let count = 0; count < 60_000; count++) passed += guard.push(line).length
    expect(passed).toBe(0)
    expect(guard.push(new TextEncoder().encode('\n\n')).length).toBe(60_000 * line.length + 2)
  })
})
