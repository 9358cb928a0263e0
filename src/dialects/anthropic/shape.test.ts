import { expect, test } from 'vitest'
import type { JsonObject } from '../../core/json/value.ts'
import { anthropic } from '../anthropic.ts'
import { bedrock } from '../bedrock.ts'

const said = (content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] })

test.for<[JsonObject, string | undefined, string | undefined]>([
  [{ messages: [{ role: 'user', content: 'Hi' }] }, undefined, undefined],
  [{ messages: [], system: 'Be brief.' }, 'request', undefined],
  [{ messages: [], tools: [{ name: 'tide', input_schema: {} }] }, 'request', undefined],
  [said([{ type: 'tool_result', tool_use_id: 'a' }]), 'request', undefined],
  [said([{ type: 'text', text: 'Hi' }]), undefined, undefined],
  [said([{ text: 'Hi' }]), undefined, 'request'],
  [{ messages: [], toolConfig: {} }, undefined, 'request'],
  [{ type: 'message', content: [] }, 'response', undefined],
  [{ output: { message: { role: 'assistant', content: [] } } }, undefined, 'response'],
  [{ output: [], usage: {} }, undefined, undefined],
  [{ choices: [], usage: {} }, undefined, undefined],
])('%j is told from the others', ([body, ours, theirs]) => {
  expect(anthropic.shapeOf(body)).toBe(ours)
  expect(bedrock.shapeOf(body)).toBe(theirs)
})
