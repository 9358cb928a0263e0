import { expect, test } from 'vitest'
import { createSecrets } from '../../client/secrets.ts'
import { createRedaction } from './redaction.ts'

const redact = createRedaction()

test.for([
  ['my key is sk-proj-abcDEF0123456789_x', 'my key is ***'],
  ['Authorization: Bearer abcdef0123456789', 'Authorization: Bearer ***'],
  ['use Bearer abcdef0123456789', 'use Bearer ***'],
  ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic ***'],
  ['{"x-api-key": "abcdef123"}', '{"x-api-key": "***"}'],
  ['"{\\"api_key\\":\\"abcdef123\\"}"', '"{\\"api_key\\":\\"***\\"}"'],
  [
    '/v1beta/models/m:generateContent?alt=sse&key=abc',
    '/v1beta/models/m:generateContent?alt=sse&key=***',
  ],
  ['AIzaSyA-1234567890_abcdefgh', '***'],
  ['id AKIAABCDEFGHIJKLMNOP', 'id ***'],
] as const)('%s', ([text, clean]) => {
  expect(redact(text)).toBe(clean)
})

test.for([
  'a monkey=banana, basic english, the bearer of news, sk-learn, hf_home',
  '{"max_tokens": 100, "token_count": 5, "keyboard": "qwerty"}',
])('%s stays', (text) => {
  expect(redact(text)).toBe(text)
})

test('a key that is known is hidden, whatever it looks like', () => {
  const secrets = createSecrets()
  secrets.add('open sesame')
  expect(createRedaction(secrets)('say open sesame now')).toBe('say *** now')
})

test.for([
  'sk-',
  'bearer ',
  'api_key',
  'api_key:"',
  '?key',
  'AIza-',
  'AKIA',
  'authorization: basic ',
])('no text takes long: %s again and again', (piece) => {
  const begun = performance.now()
  redact(piece.repeat(300_000 / piece.length))
  expect(performance.now() - begun).toBeLessThan(5000)
})
