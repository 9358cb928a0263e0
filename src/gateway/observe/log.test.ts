import { expect, test } from 'vitest'
import { ATTEMPT, asked, begin, outcome } from '../../../test/support/observed-request.ts'
import { ProviderError } from '../../client/errors.ts'
import { createSecrets } from '../../client/secrets.ts'
import type { Outcome } from '../observer.ts'
import {
  createLogger,
  createLogObserver,
  type LoggerOptions,
  type LogObserverOptions,
} from './log.ts'

const KEY = 'sk-ant-0123456789abcdefghij'

function setUp(options: Partial<LogObserverOptions> = {}, loggerOptions: LoggerOptions = {}) {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) }
  const logger = createLogger({ destination, ...loggerOptions })
  const observer = createLogObserver({ logger, ...options })
  return { logger, observer, lines, last: () => JSON.parse(lines.at(-1) ?? 'null') }
}

test('a request is one line with all that matters', () => {
  const { observer, lines, last } = setUp()
  const request = begin(observer, { id: 'r1', path: `/v1beta/models/x:generateContent?key=${KEY}` })
  request.asked?.(asked())
  request.attempt?.(ATTEMPT)
  request.switched?.(ATTEMPT, new ProviderError('overloaded', 'busy'))
  request.attempt?.({ ...ATTEMPT, provider: 'groq', model: 'llama', lane: 'translate' })
  request.end(
    outcome({
      usage: { inputTokens: 4 },
      rescues: [{ protocol: 'hermes', tool: 'pier', repairs: ['comma'] }],
      fallbacks: 1,
    }),
  )
  expect(lines).toHaveLength(1)
  expect(last()).toEqual({
    level: 'info',
    time: expect.any(String),
    msg: 'request',
    id: 'r1',
    method: 'POST',
    path: '/v1beta/models/x:generateContent?key=***',
    endpoint: 'openai-chat',
    model: 'fast',
    streamed: true,
    tools: 2,
    key: 'anna',
    provider: 'groq',
    upstreamModel: 'llama',
    lane: 'translate',
    status: 200,
    durationMs: 1200,
    addedMs: 3,
    firstByteMs: 400,
    rescues: [{ protocol: 'hermes', tool: 'pier' }],
    repairs: ['comma'],
    fallbacks: 1,
    failures: ['openai/gpt-5: overloaded'],
    usage: { inputTokens: 4 },
    bytesIn: 100,
    bytesOut: 2000,
  })
})

test.for<[Partial<Outcome>, string]>([
  [{}, 'info'],
  [{ issues: ['unterminated-call'] }, 'warn'],
  [{ status: 429, error: 'too_many_requests' }, 'warn'],
  [{ status: 499, error: 'client_closed' }, 'warn'],
  [{ status: 502, error: 'transport' }, 'error'],
  [{ status: 200, error: 'transport' }, 'error'],
])('%j is of the level %s', ([fields, level]) => {
  const { observer, last } = setUp()
  const request = begin(observer)
  request.asked?.(asked())
  request.end(outcome(fields))
  expect(last()).toMatchObject({ level })
})

test('questions after its health are not worth a line', () => {
  const { observer, lines } = setUp()
  begin(observer, { method: 'GET', path: '/health' }).end(outcome())
  expect(lines).toEqual([])
  begin(observer, { method: 'GET', path: '/nowhere' }).end(outcome({ status: 404 }))
  expect(lines).toHaveLength(1)
})

test('payloads are not logged unless they are asked for', () => {
  const { observer, lines } = setUp()
  const request = begin(observer)
  request.asked?.(asked({ body: new TextEncoder().encode('a private matter') }))
  request.attempt?.({ ...ATTEMPT, body: 'a private matter' })
  expect(request.upstreamBytes).toBeUndefined()
  expect(request.clientBytes).toBeUndefined()
  request.end(outcome())
  expect(lines.join()).not.toContain('private')
})

test('payloads that are asked for are cut, and have no keys in them', () => {
  const secrets = createSecrets()
  secrets.add('open sesame')
  const { observer, last } = setUp({ payloads: true, secrets })
  const request = begin(observer)
  request.asked?.(asked({ body: new TextEncoder().encode(`open sesame, ${KEY}`) }))
  request.attempt?.({ ...ATTEMPT, body: 'first' })
  request.attempt?.({ ...ATTEMPT, body: 'second' })
  request.upstreamBytes?.(new TextEncoder().encode('raw'))
  for (let i = 0; i < 100; i += 1) request.clientBytes?.('x'.repeat(1000))
  request.end(outcome({ status: 502, message: `the key ${KEY} is wrong` }))
  expect(last()).toMatchObject({
    request: '***, ***',
    upstreamRequest: 'second',
    upstreamReply: 'raw',
    reason: 'the key *** is wrong',
  })
  expect(last().reply).toBe(`${'x'.repeat(16 * 1024)}… (cut)`)
})

test('half a key at the end of what is kept is not shown', () => {
  for (const before of [16_300, 16_380, 17_390, 17_400]) {
    const { observer, last } = setUp({ payloads: true })
    const request = begin(observer)
    request.asked?.(asked())
    request.clientBytes?.(`${'x '.repeat(before / 2)}${KEY} ${'y'.repeat(5000)}`)
    request.end(outcome())
    expect(last().reply).not.toContain('sk-')
  }
})

test('nor is it when there are so many keys that the text without them is short', () => {
  const { observer, last } = setUp({ payloads: true })
  const request = begin(observer)
  request.asked?.(asked())
  request.clientBytes?.(`somebody${` ${KEY}`.repeat(2000)}`)
  request.end(outcome())
  expect(last().reply).toMatch(/^somebody(?: \*\*\*)+/)
  expect(last().reply).not.toContain('sk-')
})

test('headers with keys are hidden in any line', () => {
  const { logger, lines } = setUp({}, { redact: ['settings.password'] })
  const headers = {
    authorization: KEY,
    'x-api-key': KEY,
    cookie: KEY,
    'x-goog-api-key': KEY,
    'api-key': KEY,
  }
  logger.info({ headers }, 'one')
  logger.info({ request: { headers } }, 'two')
  logger.info(headers, 'three')
  logger.info({ settings: { password: KEY } }, 'four')
  expect(lines).toHaveLength(4)
  expect(lines.join()).not.toContain(KEY)
})

test('lines for people', () => {
  const { logger, observer, lines } = setUp({}, { pretty: true })
  const request = begin(observer)
  request.asked?.(asked())
  request.attempt?.(ATTEMPT)
  request.end(outcome({ issues: ['odd'] }))
  logger.info({ port: 4000 }, 'listening')
  expect(lines[0]).toMatch(
    /^[\d:.]{12} warn {2}200 POST \/v1\/chat\/completions fast → openai\/gpt-5 1200ms .*issues=\["odd"\]\n$/,
  )
  expect(lines[1]).toMatch(/^[\d:.]{12} info {2}listening port=4000\n$/)
})

test('whoever wants no log pays for none', () => {
  const { logger } = setUp({}, { level: 'silent' })
  const observer = createLogObserver({ logger })
  expect(() => begin(observer)).toThrow('of no interest')
})
