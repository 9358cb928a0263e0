/** The system text in which a client says who pays. */
import { expect, test } from 'vitest'
import type { JsonObject } from '../../core/json/value.ts'
import { anthropic } from '../anthropic.ts'

const BILLING = 'x-anthropic-billing-header: cc_version=2.1; cch=0a1b2;'
const text = (said: string): JsonObject => ({ type: 'text', text: said })
const messages = [{ role: 'user', content: 'Hi' }]
const request = (system: string | JsonObject[]): JsonObject => ({
  ...{ model: 'claude-opus-5', max_tokens: 9, messages, system },
})
const LACKS = { lacks: ['attribution'] } as const

test.each([
  ['a block of its own', [text(BILLING), text('Be kind.')], [text('Be kind.')]],
  ['the first line of a block', [text(`${BILLING}\nBe kind.`)], [text('Be kind.')]],
  ['the first line of a text', `${BILLING}\nBe kind.`, [text('Be kind.')]],
] as const)('%s', (_, system, plain) => {
  const body = request(typeof system === 'string' ? system : [...system])
  const decoded = anthropic.decodeRequest(body)
  expect(decoded.messages[0]).toMatchObject({ role: 'system', content: 'Be kind.' })
  expect(JSON.stringify(anthropic.encodeRequest(decoded)['system'])).toContain(BILLING)
  expect(anthropic.encodeRequest(decoded, { quirks: LACKS })['system']).toEqual(plain)
  expect(anthropic.withoutFeatures?.(body, LACKS.lacks)['system']).toEqual(plain)
})

test.each([
  ['nothing else', [text(BILLING)], undefined],
  ['nothing of the kind', [text('Be kind.')], [text('Be kind.')]],
  ['a later block', [text('Be kind.'), text(BILLING)], [text('Be kind.'), text(BILLING)]],
] as const)('%s', (_, system, plain) => {
  const body = anthropic.withoutFeatures?.(request([...system]), LACKS.lacks)
  expect(body?.['system']).toEqual(plain)
})

test('users may speak of it', () => {
  const said = [{ role: 'user', content: [text(BILLING)] }]
  const body = { model: 'm', max_tokens: 9, messages: said }
  expect(anthropic.decodeRequest(body).messages[0]?.content).toBe(BILLING)
  expect(anthropic.withoutFeatures?.(body, LACKS.lacks)).toBe(body)
})
