import { expect, test } from 'vitest'
import { createCapturedText } from './captured-text.ts'

test('pieces make a text, also when a character is in two of them', () => {
  const captured = createCapturedText(100)
  const bytes = new TextEncoder().encode('Bodø ')
  captured.add(bytes.subarray(0, 4))
  captured.add(bytes.subarray(4))
  captured.add('harbour')
  expect(captured.text()).toBe('Bodø harbour')
  expect(captured.isCut).toBe(false)
})

test('what comes is copied', () => {
  const captured = createCapturedText(100)
  const pool = Buffer.from('one two')
  captured.add(pool.subarray(0, 3))
  pool.fill('x')
  expect(captured.text()).toBe('one')
})

test('nothing is kept beyond the limit, and no half of a character', () => {
  const captured = createCapturedText(4)
  captured.add('Bod')
  captured.add('ø')
  captured.add('!')
  expect(captured).toMatchObject({ bytes: 6, keptBytes: 4, isCut: true })
  expect(captured.text()).toBe('Bod')
})

test('what is dropped is gone, and nothing more is kept', () => {
  const captured = createCapturedText(100)
  captured.add('one')
  captured.drop()
  captured.add('two')
  expect(captured).toMatchObject({ bytes: 6, keptBytes: 0, isCut: true })
  expect(captured.text()).toBe('')
})
