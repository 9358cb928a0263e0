import { expect, test } from 'vitest'
import { findIntruder } from './request-guard.ts'

const allowed = { allowedHosts: ['tools.example'], allowedOrigins: ['https://app.example'] }

test.for([
  ['127.0.0.1:3000', undefined, undefined],
  ['localhost', 'http://localhost:8080', undefined],
  ['[::1]:3000', 'http://[::1]', undefined],
  ['tools.example:443', 'https://app.example', undefined],
  ['rebound.example:3000', undefined, 'host "rebound.example:3000" is not allowed'],
  [undefined, undefined, 'host "undefined" is not allowed'],
  ['a b', undefined, 'host "a b" is not allowed'],
  ['localhost.evil.example', undefined, 'host "localhost.evil.example" is not allowed'],
  ['127.0.0.1', 'https://app.example.evil.example', /^origin .* is not allowed$/],
  ['127.0.0.1', 'null', 'origin "null" is not allowed'],
] as const)('host %s, origin %s', ([host, origin, problem]) => {
  const headers = { ...(host !== undefined && { host }), ...(origin !== undefined && { origin }) }
  const found = findIntruder(headers, allowed)
  if (problem instanceof RegExp) expect(found).toMatch(problem)
  else expect(found).toBe(problem)
})
