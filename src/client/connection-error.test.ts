import { describe, expect, test } from 'vitest'
import { connectionError, lateError } from './connection-error.ts'
import { createSecrets } from './secrets.ts'
import type { Whereabouts } from './whereabouts.ts'

function failed(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) })
}

test.for([
  [new TypeError('fetch failed', { cause: new Error('bad port') }), 'bad port'],
  [failed('ECONNREFUSED'), 'ECONNREFUSED'],
  [new TypeError('fetch failed', { cause: new Error('') }), 'fetch failed'],
  [new Error('outer', { cause: 'not an error' }), 'outer'],
  ['broken', 'broken'],
] as const)('%s is reported by its innermost cause', ([error, reason]) => {
  const { message } = connectionError(error, createSecrets(), {})
  expect(message).toBe(`connection error: the connection failed or broke off (${reason})`)
})

const LOCAL: Whereabouts = {
  provider: 'ollama',
  isSelfHosted: true,
  address: () => 'http://127.0.0.1:11434',
  option: (name) => `providers.ollama.${name}`,
  addressOptions: 'providers.ollama.baseUrl or OLLAMA_HOST',
}
const HOSTED: Whereabouts = {
  provider: 'groq',
  isSelfHosted: false,
  address: () => 'https://api.groq.com/openai/v1',
  option: (name) => name,
  addressOptions: 'baseUrl',
}

describe('names the service, its address and the option', () => {
  test.for([
    [
      'ECONNREFUSED',
      LOCAL,
      'nothing answers at http://127.0.0.1:11434 (ollama): is the server running? providers.ollama.baseUrl or OLLAMA_HOST sets the address (ECONNREFUSED)',
      'transport',
    ],
    [
      'ECONNREFUSED',
      HOSTED,
      'nothing answers at https://api.groq.com/openai/v1 (groq): baseUrl sets the address (ECONNREFUSED)',
      'transport',
    ],
    [
      'ENOTFOUND',
      HOSTED,
      'there is no host for https://api.groq.com/openai/v1 (groq): baseUrl sets the address (ENOTFOUND)',
      'transport',
    ],
    [
      'UND_ERR_CONNECT_TIMEOUT',
      LOCAL,
      'no connection to http://127.0.0.1:11434 (ollama): providers.ollama.baseUrl or OLLAMA_HOST sets the address (UND_ERR_CONNECT_TIMEOUT)',
      'timeout',
    ],
    [
      'ECONNRESET',
      LOCAL,
      'connection error: the connection to ollama at http://127.0.0.1:11434 failed or broke off (ECONNRESET)',
      'transport',
    ],
    [
      'UND_ERR_HEADERS_TIMEOUT',
      LOCAL,
      'no answer in time from ollama at http://127.0.0.1:11434; providers.ollama.timeouts.connectMs sets how long to wait (UND_ERR_HEADERS_TIMEOUT)',
      'timeout',
    ],
    [
      'UND_ERR_BODY_TIMEOUT',
      HOSTED,
      'no answer in time from groq at https://api.groq.com/openai/v1; timeouts.idleMs sets how long to wait (UND_ERR_BODY_TIMEOUT)',
      'timeout',
    ],
  ] as const)('%s', ([code, where, message, kind]) => {
    const error = connectionError(failed(code), createSecrets(), {}, where)
    expect(error.message).toBe(message)
    expect(error.code).toBe(kind)
  })

  test('after a wait of our own', () => {
    expect(lateError('no answer', 60_000, 'connectMs', {}, HOSTED).message).toBe(
      'no answer within 60000 ms from groq at https://api.groq.com/openai/v1; timeouts.connectMs sets how long to wait',
    )
  })
})

describe('another attempt', () => {
  test.for([
    ['UND_ERR_HEADERS_TIMEOUT', LOCAL, false],
    ['UND_ERR_HEADERS_TIMEOUT', HOSTED, true],
    ['UND_ERR_BODY_TIMEOUT', LOCAL, false],
    // Nothing was sent, so nothing is being computed.
    ['UND_ERR_CONNECT_TIMEOUT', LOCAL, true],
    ['ECONNREFUSED', LOCAL, true],
    ['ECONNRESET', LOCAL, true],
  ] as const)('after %s', ([code, where, retryable]) => {
    expect(connectionError(failed(code), createSecrets(), {}, where).retryable).toBe(retryable)
  })

  test.for([
    ['connectMs', LOCAL, false],
    ['connectMs', HOSTED, true],
    ['totalMs', HOSTED, false],
  ] as const)('after a wait of our own: %s', ([option, where, retryable]) => {
    expect(lateError('no answer', 1, option, {}, where).retryable).toBe(retryable)
  })
})
