import { describe, expect, test } from 'vitest'
import { createReplyReader } from '../../extract.ts'
import type { Segment } from '../options.ts'

const JSON_CALL = '{"name": "read_file", "arguments": {"path": "/a"}}'
const BLOCK = `~~~tool_call\n{"name": "read_file", "arguments": {"path": "/b"}}\n~~~`

const reader = createReplyReader({ preset: 'exathena-0.4.6', tools: ['read_file'], trace: true })

/** The segments taken after each chunk, with adjacent ones of text joined. */
function segmentsOf(chunks: readonly string[]): Segment[] {
  const extractor = reader.open()
  const taken = chunks.flatMap((chunk) => {
    extractor.push(chunk)
    return [...extractor.takeSegments()]
  })
  extractor.end()
  return joined([...taken, ...extractor.takeSegments()])
}

function joined(segments: readonly Segment[]): Segment[] {
  const whole: Segment[] = []
  for (const segment of segments) {
    const last = whole.at(-1)
    const continues = last?.kind === segment.kind && last.end === segment.start
    if (last && continues && segment.kind === 'text')
      whole[whole.length - 1] = { ...last, end: segment.end }
    else whole.push(segment)
  }
  return whole
}

describe('segments of a cascade', () => {
  test.for([
    ['a call of the last tier', `First.\n${JSON_CALL}\nDone.`],
    ['a block after a call of the last tier', `First: ${JSON_CALL}\n${BLOCK}\nDone.`],
    ['no call', 'Just words, {"a": 1} among them.'],
  ] as const)('%s: the same in all chunks', ([, text]) => {
    const whole = segmentsOf([text])
    expect(whole[0]?.start).toBe(0)
    expect(whole.at(-1)?.end).toBe(text.length)
    for (const [at, segment] of whole.entries()) {
      if (at > 0) expect(segment.start).toBe(whole[at - 1]?.end)
    }
    for (const size of [1, 3, 7, 20]) {
      const chunks = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      expect(segmentsOf(chunks)).toEqual(whole)
    }
  })
})
