import { describe, expect, it } from 'vitest'
import { createFrameTemplate, framesOf } from './frame-template.ts'

const encoder = new TextEncoder()

function frame(written: string | Uint8Array, number = 7, at = '10:30'): Uint8Array {
  const text = typeof written === 'string' ? encoder.encode(written) : written
  const before = encoder.encode(`data: {"n":${number},"at":"${at}","text":"`)
  return Uint8Array.from([...before, ...text, ...encoder.encode('","end":null}\n\n')])
}

function joined(...frames: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(frames.flatMap((one) => [...one]))
}

function learned() {
  const template = createFrameTemplate(
    { bytes: frame('Good'), text: 'Good' },
    { bytes: frame(' day', 12, '10:31'), text: ' day' },
  )
  if (!template) throw new Error('not alike')
  return template
}

describe('frames that are alike', () => {
  it.each([
    ['one', [' to'], ' to'],
    ['several', [' to', ' all', '', ' of you'], ' to all of you'],
    ['with escapes', ['\\n', ' \\"a\\"', '\\\\', '\\u00e9'], '\n "a"\\é'],
    ['with more than ASCII', [' é', '水', ' 😀'], ' é水 😀'],
    [
      'longer than others',
      ['x'.repeat(3000), 'y'.repeat(3000)],
      'x'.repeat(3000) + 'y'.repeat(3000),
    ],
  ])('%s', (_, written, text) => {
    const frames = written.map((one, i) => frame(one, i, `0${i}:00`))
    const bytes = joined(...frames, encoder.encode('data: [DONE]\n\n'))
    const matched = learned().match(bytes, 0)
    if (!matched) throw new Error('not matched')
    const end = bytes.length - 14
    expect(matched).toEqual({ text, count: written.length, end })
    const cut = framesOf(bytes, matched)
    expect(cut.map((one) => one.text).join('')).toBe(text)
    expect(cut.at(-1)?.end).toBe(end)
    expect(cut.map((one) => one.text)).toEqual(written.map((one) => JSON.parse(`"${one}"`)))
  })

  it('no more than are asked for', () => {
    const bytes = joined(frame('a'), frame('b'), frame('c'))
    const template = learned()
    expect(template.match(bytes, 0, 2)).toMatchObject({ text: 'ab', count: 2 })
    expect(template.match(bytes, frame('a').length, 1)).toMatchObject({ text: 'b', count: 1 })
  })

  it('up to where a character or an escape goes on in the next', () => {
    const half = joined(frame(Uint8Array.of(0xc3)), frame(Uint8Array.of(0xa9)))
    expect(learned().match(half, 0)).toMatchObject({ text: '\ufffd', count: 1 })
    expect(learned().match(joined(frame('a'), frame('\\u00'), frame('e9')), 0)).toMatchObject({
      text: 'a',
      count: 1,
    })
  })
})

describe('frames that are not', () => {
  it.each([
    ['cut off', frame(' to').subarray(0, -1)],
    ['without an end of their text', encoder.encode('data: {"n":7,"at":"10:30","text":" to')],
    ['with a line break in a string', frame(' to', 7, '10\n30')],
    ['with a line break in their text', frame(' t\no')],
    ['with another word', encoder.encode('data: {"n":7,"at":"10:30","text":" to","end":true}\n\n')],
    ['with no number', encoder.encode('data: {"n":x,"at":"10:30","text":" to","end":null}\n\n')],
    ['with an escape that is none', frame('\\q')],
  ])('%s', (_, bytes) => {
    expect(learned().match(bytes, 0)).toBeUndefined()
  })
})
