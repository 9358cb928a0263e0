import { describe, expect, test } from 'vitest'
import { createFrameReader, type FrameReader } from '../../client/frames.ts'
import type { Frame } from '../../core/dialect.ts'
import { crc32 } from './crc32.ts'
import { createEventStreamReader, writeEventStreamFrame } from './event-stream.ts'

const frames: Frame[] = [
  { event: 'messageStart', data: '{"role":"assistant"}' },
  { event: 'contentBlockDelta', data: '{"delta":{"text":"Grüße, “ø” 😀 100 %"}}' },
  { event: 'metadata', data: JSON.stringify({ long: 'x'.repeat(9000) }) },
  { event: 'throttlingException', data: '{"message":"Too fast"}' },
]

function written(list: readonly Frame[]): Uint8Array {
  const parts = list.map(({ event = '', data }) => writeEventStreamFrame(event, data))
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

/** The client reads text faster, and must read the same. */
function readIn(bytes: Uint8Array, size: (at: number) => number): Frame[] {
  const found = readBy(createEventStreamReader(), bytes, size)
  expect(readBy(createFrameReader('aws'), bytes, size)).toEqual(found)
  return found
}

function readBy(reader: FrameReader, bytes: Uint8Array, size: (at: number) => number): Frame[] {
  const found: Frame[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + size(at))
    found.push(...reader.push(bytes.subarray(at, end)))
    at = end
  }
  return [...found, ...reader.end()]
}

/** A frame by hand: headers as bytes, the payload as text. */
function frameOf(headers: readonly number[], payload: string): Uint8Array {
  const body = [...headers, ...Array.from(payload, (character) => character.charCodeAt(0))]
  const number = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255)
  const prelude = [...number(body.length + 16), ...number(headers.length)]
  const all = [...prelude, ...number(crc32(Uint8Array.from(prelude))), ...body]
  return Uint8Array.from([...all, ...number(crc32(Uint8Array.from(all)))])
}

function textHeader(name: string, value: string): number[] {
  const codes = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0))
  return [name.length, ...codes(name), 7, 0, value.length, ...codes(value)]
}

test('the checksum is the usual one', () => {
  expect(crc32(Uint8Array.from('123456789', (digit) => digit.charCodeAt(0)))).toBe(0xcbf43926)
  expect(crc32(new Uint8Array())).toBe(0)
})

describe('frames are read as they were written', () => {
  const bytes = written(frames)

  test.for([1, 2, 3, 7, 16, 100, 1000, 1_000_000])('in pieces of %i bytes', (size) => {
    expect(readIn(bytes, () => size)).toEqual(frames)
  })

  test('in pieces of any size', () => {
    for (let seed = 1; seed <= 20; seed++) {
      expect(readIn(bytes, (at) => 1 + ((at * 7919 + seed * 104_729) % 61))).toEqual(frames)
    }
  })

  test('out of the middle of another buffer', () => {
    const larger = Uint8Array.from([9, 9, 9, ...bytes, 9])
    expect(readIn(larger.subarray(3, -1), () => 50)).toEqual(frames)
  })
})

test('headers of every type are passed over', () => {
  const others = [0, 1, 2, 3, 4, 5, 8, 9].map((type, at) => {
    const length = [0, 0, 1, 2, 4, 8, 8, 16][at] ?? 0
    return [1, 97, type, ...new Array<number>(length).fill(255)]
  })
  const bytes = [1, 98, 6, 0, 2, 1, 2]
  const headers = [...others.flat(), ...bytes, ...textHeader(':event-type', 'messageStop')]
  expect(readIn(frameOf(headers, '{}'), () => 5)).toEqual([{ event: 'messageStop', data: '{}' }])
})

test('an error of the transport has its code in the headers', () => {
  const headers = [
    ...textHeader(':message-type', 'error'),
    ...textHeader(':error-code', 'InternalFailure'),
    ...textHeader(':error-message', 'It broke'),
  ]
  const data = '{"code":"InternalFailure","message":"It broke"}'
  expect(readIn(frameOf(headers, ''), () => 9)).toEqual([{ event: 'error', data }])
})

test('an empty payload is an empty object', () => {
  const headers = textHeader(':event-type', 'ping')
  expect(readIn(frameOf(headers, ''), () => 9)).toEqual([{ event: 'ping', data: '{}' }])
})

describe('damage', () => {
  const good = writeEventStreamFrame('messageStart', '{"role":"assistant"}')

  test('in any byte is found, and nothing that follows counts', () => {
    for (let at = 0; at < good.length; at++) {
      const bad = Uint8Array.from(good)
      bad[at] = (bad[at] ?? 0) ^ 0x10
      const found = readIn(Uint8Array.from([...good, ...bad, ...good]), () => 33)
      expect(found.map(({ event }) => event)).toEqual(['messageStart', 'error'])
      expect(found.at(-1)?.data).toContain('damaged-stream')
    }
  })

  test('a length that cannot be is not waited for', () => {
    const huge = Uint8Array.from([255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0])
    expect(readIn(huge, () => 12).map(({ event }) => event)).toEqual(['error'])
  })

  test('headers that overrun, and text that is no UTF-8', () => {
    const overrun = frameOf([200, 97], '{}')
    expect(readIn(overrun, () => 100).map(({ event }) => event)).toEqual(['error'])
    const latin = frameOf(textHeader(':event-type', 'x'), '\u00e9')
    expect(readIn(latin, () => 100).map(({ event }) => event)).toEqual(['error'])
  })

  test('half a frame is none', () => {
    expect(readIn(good.subarray(0, -1), () => 10)).toEqual([])
  })
})
