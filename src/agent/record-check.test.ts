import { expect, test } from 'vitest'
import { scriptedModel } from '../testing/index.ts'
import { createMemoryStore, type RunRecord, runAgent } from './index.ts'

const BEGIN = { type: 'begin', id: 'r', messages: [{ role: 'user', content: 'Go.' }] }
const REPLY = {
  type: 'reply',
  message: { role: 'assistant', content: 'Hello.' },
  finishReason: 'stop',
  usage: {},
}

/** What is said of a run whose store gives back these records, as it might after damage. */
async function faultOf(...records: readonly unknown[]): Promise<unknown> {
  const store = createMemoryStore()
  await store.append('r', records as RunRecord[], 0)
  const client = scriptedModel([{ text: 'Hello.' }])
  const { result } = runAgent({ client, store, runId: 'r' })
  return result.then(
    ({ finishReason }) => finishReason,
    ({ code, message }) => `${code}: ${message}`,
  )
}

test.for([
  [[null], 'record 1 of 1 of this run cannot be read: it is null'],
  [[BEGIN, null], 'record 2 of 2 of this run cannot be read: it is null'],
  [[BEGIN, 'text'], 'it is no object'],
  [[BEGIN, []], 'it is no object'],
  [[BEGIN, {}], 'its type is undefined'],
  [[BEGIN, { type: 'dreamt' }], 'its type is "dreamt"'],
  [[BEGIN, { type: 'toString' }], 'its type is "toString"'],
  [[BEGIN, { type: 7 }], 'its type is 7'],
  [[REPLY], 'a run begins with "begin"'],
  [[BEGIN, BEGIN], 'a run begins with "begin", and only once'],
  [[{ ...BEGIN, messages: 'Go.' }], '"messages" of a record of the type "begin"'],
  [[{ ...BEGIN, messages: [null] }], '"messages" of a record of the type "begin"'],
  [[BEGIN, { ...REPLY, message: null }], '"message" of a record of the type "reply"'],
  [[BEGIN, { ...REPLY, message: { role: 'assistant' } }], '"message" of a record'],
  [[BEGIN, { ...REPLY, usage: undefined }], '"usage" of a record of the type "reply"'],
  [[BEGIN, { type: 'started', position: 'x' }], '"position" of a record of the type "started"'],
  [[BEGIN, { type: 'result', position: 0 }], '"result" of a record of the type "result"'],
  [[BEGIN, { type: 'finished', finish: { reason: 'bored' } }], '"finish" of a record'],
] as const)('%j is refused', async ([records, message]) => {
  const fault = await faultOf(...records)
  expect(fault).toMatch(/^store_invalid: /)
  expect(fault).toContain(message)
  expect(fault).toContain('the store is damaged, or of a newer version')
})

test('what is in order goes on', async () => {
  expect(await faultOf(BEGIN)).toBe('stop')
  expect(await faultOf(BEGIN, REPLY)).toBe('stop')
})
