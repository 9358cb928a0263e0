import { expect, test } from 'vitest'
import { InvalidInputError, isToolglotError, ToolglotError } from './errors.ts'

test('an error has a code, a name and its cause', () => {
  const cause = new Error('socket closed')
  const error = new ToolglotError('NetworkError', 'could not reach the server', { cause })
  expect(error).toMatchObject({ code: 'NetworkError', name: 'ToolglotError', cause })
  expect(error).toBeInstanceOf(Error)
  expect(isToolglotError(error)).toBe(true)
})

test('what a caller passed by mistake is a TypeError, and one of ours', () => {
  const error = new InvalidInputError('this is no request')
  expect(error).toBeInstanceOf(TypeError)
  expect(error).toMatchObject({ code: 'invalid_input', name: 'InvalidInputError' })
  expect(isToolglotError(error)).toBe(true)
})

test('errors of another copy of the package are recognised by their brand', () => {
  const foreign = Object.assign(new Error('x'), { [Symbol.for('toolglot.error')]: true })
  expect(isToolglotError(foreign)).toBe(true)
})

test.for([undefined, null, 'text', 7, {}, new Error('x')])('%o is none of ours', (value) => {
  expect(isToolglotError(value)).toBe(false)
})

test('the brand does not show when the error is printed', () => {
  expect(Object.keys(new ToolglotError('X', 'y')).sort()).toEqual(['code', 'name'])
})
