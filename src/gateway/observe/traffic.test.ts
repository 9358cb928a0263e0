import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ATTEMPT, asked, begin, outcome } from '../../../test/support/observed-request.ts'
import { ProviderError } from '../../client/errors.ts'
import { createTrafficLog, type TrafficSummary } from './traffic.ts'

const KEY = 'sk-ant-0123456789abcdefghij'
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

test('a request with all that was said', () => {
  const traffic = createTrafficLog()
  const headers = { authorization: `Bearer ${KEY}`, 'user-agent': 'curl' }
  const request = begin(traffic, { id: 'r1', headers, path: `/x?key=${KEY}` })
  request.asked?.(asked({ body: bytesOf('question') }))
  request.attempt?.({ ...ATTEMPT, body: 'first' })
  request.switched?.(ATTEMPT, new ProviderError('overloaded', `busy, ${KEY}`))
  request.attempt?.({ ...ATTEMPT, provider: 'groq', model: 'llama', body: 'second' })
  request.upstream?.(200)
  request.upstreamBytes?.(bytesOf('raw '))
  request.upstreamBytes?.(bytesOf(`reply ${KEY}`))
  request.clientBytes?.('clean reply')
  expect(traffic.get('r1')).toMatchObject({ isOver: false, clientBytes: 11 })
  request.end(outcome({ issues: ['odd'] }))
  const entry = traffic.get('r1')
  expect(entry).toMatchObject({
    id: 'r1',
    method: 'POST',
    path: '/x?key=***',
    userAgent: 'curl',
    isOver: true,
    endpoint: 'openai-chat',
    model: 'fast',
    key: 'anna',
    provider: 'groq',
    upstreamModel: 'llama',
    upstreamStatus: 200,
    attempts: 2,
    outcome: { status: 200, issues: ['odd'] },
    request: { text: 'question', bytes: 8, isCut: false },
    upstreamRequest: { text: 'second' },
    upstreamReply: { text: 'raw reply ***' },
    reply: { text: 'clean reply' },
    attemptList: [
      { provider: 'openai', error: 'overloaded', message: 'busy, ***' },
      { provider: 'groq', model: 'llama' },
    ],
  })
  expect(JSON.stringify([entry, traffic.list()])).not.toContain(KEY)
})

test('the newest come first, and the oldest go', () => {
  const traffic = createTrafficLog({ maxExchanges: 3 })
  for (const id of ['a', 'b', 'c', 'd']) begin(traffic, { id })
  expect(traffic.list().map(({ id }) => id)).toEqual(['d', 'c', 'b'])
  expect(traffic.get('a')).toBeUndefined()
})

test('long texts are cut, and all together take no more than they may', () => {
  // With 4 KiB for the names of each.
  const traffic = createTrafficLog({ maxBytesEach: 1000, maxBytes: 25_500 })
  for (let i = 0; i < 20; i += 1) {
    const request = begin(traffic, { id: `r${i}` })
    request.clientBytes?.('x'.repeat(700))
    request.clientBytes?.('y'.repeat(700))
    request.end(outcome())
  }
  expect(traffic.list()).toHaveLength(5)
  expect(traffic.get('r19')?.reply).toEqual({
    text: 'x'.repeat(700) + 'y'.repeat(300),
    bytes: 1400,
    isCut: true,
  })
})

test('of what was forgotten nothing more is kept', () => {
  const traffic = createTrafficLog({ maxExchanges: 1 })
  const told: TrafficSummary[] = []
  const old = begin(traffic, { id: 'old' })
  old.clientBytes?.('one')
  begin(traffic, { id: 'new' })
  traffic.subscribe((summary) => told.push(summary))
  old.attempt?.(ATTEMPT)
  old.clientBytes?.('two')
  old.end(outcome())
  expect(told.at(-1)).toMatchObject({ id: 'old', isOver: true, clientBytes: 6 })
  expect(traffic.list().map(({ id }) => id)).toEqual(['new'])
})

test('whoever listens is told at the beginning, now and then, and at the end', async () => {
  const traffic = createTrafficLog()
  const told: TrafficSummary[] = []
  const leave = traffic.subscribe((summary) => told.push(summary))
  const request = begin(traffic)
  expect(told).toHaveLength(1)
  for (let i = 0; i < 1000; i += 1) request.clientBytes?.('x')
  expect(told).toHaveLength(1)
  await sleep(300)
  expect(told).toHaveLength(2)
  expect(told[1]).toMatchObject({ clientBytes: 1000, isOver: false })
  request.clientBytes?.('x')
  request.end(outcome())
  expect(told).toHaveLength(3)
  expect(told[2]).toMatchObject({ clientBytes: 1001, isOver: true })
  await sleep(300)
  expect(told).toHaveLength(3)
  leave()
  begin(traffic)
  expect(told).toHaveLength(3)
})

test('what asks no model is not shown', () => {
  const traffic = createTrafficLog()
  expect(() => begin(traffic, { method: 'GET', path: '/v1/models' })).toThrow('of no interest')
  expect(traffic.list()).toEqual([])
})
