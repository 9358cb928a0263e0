import { expect, test } from 'vitest'
import { connectionError } from './connection-error.ts'
import { createSecrets } from './secrets.ts'

test.for([
  [new TypeError('fetch failed', { cause: new Error('bad port') }), 'bad port'],
  [
    new TypeError('fetch failed', {
      cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }),
    }),
    'ECONNREFUSED',
  ],
  [new TypeError('fetch failed', { cause: new Error('') }), 'fetch failed'],
  [new Error('outer', { cause: 'not an error' }), 'outer'],
  ['broken', 'broken'],
] as const)('%s is told by what is innermost', ([error, reason]) => {
  const { message } = connectionError(error, createSecrets(), {})
  expect(message).toBe(`the connection failed or broke off (${reason})`)
})
