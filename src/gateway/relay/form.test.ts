import { describe, expect, test } from 'vitest'
import { isForm, readForm } from './form.ts'

const TYPE = 'multipart/form-data; boundary=b0'
const encoder = new TextEncoder()
const decoder = new TextDecoder('latin1')

function part(head: string, content: string): string {
  return `--b0\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
}

const FILE = part('name="file"; filename="a.wav"', '\r\n--b\r\n--\0\r\r\n')
const MODEL = part('name="model"', 'whisper')
const WHOLE = `${FILE}${MODEL}${part('name="empty"', '')}--b0--\r\n`

describe('reading', () => {
  test('texts, and a summary instead of files', () => {
    const { fields, summary } = readForm(encoder.encode(WHOLE), TYPE)
    expect(fields).toEqual({ model: 'whisper', empty: '' })
    expect(summary).toBe('file: file a.wav, 13 bytes\nmodel: whisper\nempty: ')
  })

  test('a boundary in quotes, words before the first part and after the last', () => {
    const text = `preamble\r\n${WHOLE}epilogue`
    expect(readForm(encoder.encode(text), 'multipart/form-data; boundary="b0"').fields).toEqual({
      model: 'whisper',
      empty: '',
    })
  })

  test.each([
    ['without a boundary', WHOLE, 'multipart/form-data'],
    ['with another boundary', WHOLE, 'multipart/form-data; boundary=other'],
    ['that is cut off in a part', WHOLE.slice(0, 150), TYPE],
    ['that is cut off before its end', WHOLE.slice(0, -4), TYPE],
    ['that is empty', '', TYPE],
    ['with two models', `${MODEL}${MODEL}--b0--`, TYPE],
    ['with a model without quotes and another', `${part('name=model', 'a')}${MODEL}--b0--`, TYPE],
    ['with a model in a file', `${part('name="model"; filename="a"', 'a')}--b0--`, TYPE],
    ['with an escaped name', `${part('name="mo\\del"', 'a')}--b0--`, TYPE],
    ['with too many parts', `${MODEL.repeat(300)}--b0--`, TYPE],
  ])('a form %s', (_, text, type) => {
    expect(() => readForm(encoder.encode(text), type)).toThrow(/no multipart form/)
  })
})

test('one field is replaced, and every other byte stays', () => {
  const form = readForm(encoder.encode(WHOLE), TYPE)
  expect(decoder.decode(form.with('model', 'whisper-1'))).toBe(
    WHOLE.replace('\r\nwhisper\r\n', '\r\nwhisper-1\r\n'),
  )
  expect(decoder.decode(form.with('empty', 'x'))).toContain('name="empty"\r\n\r\nx\r\n--b0--')
  expect(decoder.decode(form.with('none', 'x'))).toBe(WHOLE)
})

test('which types are forms', () => {
  expect([TYPE, 'application/json', undefined].map(isForm)).toEqual([true, false, false])
})
