import { describe, expect, test } from 'vitest'
import type { Tool, ToolCall } from '../../core/model.ts'
import { createTurnCalls } from './turn-calls.ts'

const tools: readonly Tool[] = [
  {
    name: 'get_weather',
    inputSchema: { type: 'object', properties: { city: {}, days: { type: 'integer' } } },
  },
]
const inText: ToolCall = {
  id: 'call_1',
  name: 'get_weather',
  arguments: { city: 'Oslo', days: 3 },
  origin: 'text',
}

describe('a call in the text and a call of the provider', () => {
  test.for([
    ['the same', '{"days":3,"city":"Oslo"}', true],
    ['the same once its arguments fit the schema', '{"city":"Oslo","days":"3"}', true],
    ['other arguments', '{"city":"Oslo","days":4}', false],
    ['arguments that are not JSON', '{"city":"Oslo"', false],
  ] as const)('%s', ([, written, same]) => {
    const native = { name: 'get_weather', arguments: written }
    const nativeFirst = createTurnCalls(tools)
    nativeFirst.addNative(native)
    expect(nativeFirst.isNative(inText)).toBe(same)
    const textFirst = createTurnCalls(tools)
    textFirst.addRescued(inText)
    expect(textFirst.isRescued(native)).toBe(same)
  })
})
