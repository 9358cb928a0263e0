import { expect, test } from 'vitest'
import { withBaseUrlHint } from './base-url-hint.ts'
import { classify } from './error-class.ts'
import type { Whereabouts } from './whereabouts.ts'

function at(address: string): Whereabouts {
  return {
    provider: 'mine',
    isSelfHosted: true,
    address: () => address,
    option: (name) => `providers.mine.${name}`,
    addressOptions: 'providers.mine.baseUrl',
  }
}

const OPENAI = 'https://api.openai.com/v1'
const ANTHROPIC = 'https://api.anthropic.com'

test.for([
  ['http://127.0.0.1:8000', '', 404, { detail: 'Not Found' }, 'http://127.0.0.1:8000/v1'],
  ['http://127.0.0.1:8000', OPENAI, 404, '404 page not found', 'http://127.0.0.1:8000/v1'],
  ['http://127.0.0.1:9/v1', ANTHROPIC, 404, { detail: 'Not Found' }, 'http://127.0.0.1:9'],
  // LM Studio answers unknown paths with a good status.
  [
    'http://127.0.0.1:1234',
    'http://127.0.0.1:1234/v1',
    200,
    { error: 'Unexpected endpoint or method. (POST /chat/completions)' },
    'http://127.0.0.1:1234/v1',
  ],
] as const)('%s of a provider at %s, status %s', ([address, usual, status, body, right]) => {
  const error = withBaseUrlHint(classify({ status, body }), at(address), usual)
  expect(error.code).toBe('not_found')
  expect(error.retryable).toBe(false)
  expect(error.message).toContain(
    `; ${address} is probably meant to be ${right} (providers.mine.baseUrl)`,
  )
})

test.for([
  ['a base URL of the right form', 'http://127.0.0.1:8000/v1', OPENAI, 404, 'Not Found'],
  ['a model that is missing', 'http://127.0.0.1:8000', OPENAI, 404, 'model "x" not found'],
  ['another failure', 'http://127.0.0.1:8000', OPENAI, 500, 'broken'],
  [
    'a service without a version',
    'https://api.perplexity.ai',
    'https://api.perplexity.ai',
    404,
    '',
  ],
] as const)('says nothing about %s', ([, address, usual, status, body]) => {
  const error = classify({ status, body })
  expect(withBaseUrlHint(error, at(address), usual)).toBe(error)
})
