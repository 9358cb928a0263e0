import { expect, test } from 'vitest'
import { splitArguments } from './split.ts'

test.for([
  ['arg1, arg2, arg3', 3],
  ['[1, 2, 3], value', 2],
  ['{"key": "value"}, arg2', 2],
  ['single', 1],
  ['', 0],
  ['192.168.1.1', 1],
  ['[1.0, 2.0, 3.0], 5', 2],
] as const)('%s has %i parts', ([text, count]) => {
  expect(splitArguments(text)).toHaveLength(count)
})

test.for([
  [' a ,, b ,', ['a', 'b']],
  ['f(1, 2), b', ['f(1, 2)', 'b']],
  ['"a, \\"b", c', ['"a, \\"b"', 'c']],
  ["'a, b', c", ["'a, b'", 'c']],
  ["it's, ok", ["it's", 'ok']],
  ['"open, a, b', ['"open, a, b']],
  ['[open, a, b', ['[open, a, b']],
  ['a), b', ['a)', 'b']],
  ['"a\\', ['"a\\']],
] as const)('%s is cut at its own commas', ([text, parts]) => {
  expect(splitArguments(text)).toEqual(parts)
})
