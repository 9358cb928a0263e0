import { describe, expect, it } from 'vitest'
import { createEscapedText } from './escaped-text.ts'

function read(...pieces: readonly string[]): string {
  const text = createEscapedText()
  return pieces.map(text.add).join('') + text.end()
}

describe('a text that is escaped throughout', () => {
  it.each([
    ['&lt;Esc&gt;', '<Esc>'],
    ['a &lt; b &amp;&amp; c', 'a < b && c'],
    ['&amp;lt;', '&lt;'],
    ['&#39;&lt;&#x27;', "'<'"],
  ])('%s', (written, meant) => {
    expect(read(written)).toBe(meant)
    expect(read(...written)).toBe(meant)
  })
})

describe('a text that is not', () => {
  it.each(['<b>&lt;</b>', '&lt; >', 'a & b &lt; c', 'Terms &amp; Conditions', '&nbsp;&lt;', 'x'])(
    '%s',
    (written) => {
      expect(read(written)).toBe(written)
      expect(read(...written)).toBe(written)
    },
  )
})

it('tells at once what comes before the first reference, and all once it is not escaped', () => {
  const text = createEscapedText()
  expect(text.add('a &lt; b')).toBe('a ')
  expect(text.add(' c')).toBe('')
  expect(text.add(' < d')).toBe('&lt; b c < d')
  expect(text.add(' &gt; e')).toBe(' &gt; e')
  expect(text.end()).toBe('')
  expect(text.isDecoded).toBe(false)
})
