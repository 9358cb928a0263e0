import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../core/json/value.ts'
import { budgetCacheMarkers, formatSystem, limitCacheMarkers } from './anthropic.ts'

const marker = { cache_control: { type: 'ephemeral' } }

const blocks = (marks: readonly boolean[]): JsonObject[] =>
  marks.map((marked, at) => ({ type: 'text', text: `block ${at}`, ...(marked && marker) }))
const marksOf = (list: readonly JsonObject[] = []): boolean[] =>
  list.map((block) => 'cache_control' in block)

describe('cache markers', () => {
  test.for<[marks: boolean[], max: number, left: boolean[]]>([
    [[true, true, true, true, true, true], 4, [false, false, true, true, true, true]],
    [[true, true, true, true], 3, [false, true, true, true]],
    [[true, false, true], 1, [false, false, true]],
    [[true, true], 4, [true, true]],
    [[true, true], 0, [false, false]],
    [[], 4, []],
  ])('%j with room for %i becomes %j', ([marks, max, left]) => {
    expect(marksOf(limitCacheMarkers(blocks(marks), max))).toEqual(left)
  })

  test('nothing but the marker changes, and the input not at all', () => {
    const input = blocks([true, true])
    expect(limitCacheMarkers(input, 1)).toEqual([{ type: 'text', text: 'block 0' }, input[1]])
    expect(marksOf(input)).toEqual([true, true])
  })
})

describe('the budget of a request', () => {
  const message = (marks: readonly boolean[]): JsonObject => ({
    role: 'user',
    content: ['plain', ...blocks(marks)],
  })

  function budget(
    system: boolean[],
    tools: boolean[],
    messages: boolean[][],
    max?: number,
  ): unknown {
    const request = {
      system: blocks(system),
      tools: blocks(tools),
      messages: [{ role: 'user', content: 'hi' }, ...messages.map(message)],
    }
    const result = budgetCacheMarkers(request, max)
    const contents = result.messages
      .slice(1)
      .map(({ content }) => (content as JsonObject[]).slice(1))
    return [marksOf(result.system), marksOf(result.tools), contents.map(marksOf)]
  }

  test('the system prompt gives way first', () => {
    expect(budget([true, true, true], [true], [[true]], 4)).toEqual([
      [false, true, true],
      [true],
      [[true]],
    ])
  })

  test('then tools but the last, then messages from the front', () => {
    expect(
      budget(
        [true],
        [true, true],
        [
          [true, true],
          [true, true],
        ],
      ),
    ).toEqual([
      [false],
      [false, true],
      [
        [false, true],
        [true, true],
      ],
    ])
  })

  test('the last tool gives way when there is no room at all', () => {
    expect(budget([true], [true], [[true]], 0)).toEqual([[false], [false], [[false]]])
  })

  test('a request within the budget stays as it is', () => {
    const request = { system: 'Be brief.', tools: blocks([true]), messages: [], model: 'claude' }
    expect(budgetCacheMarkers(request)).toEqual(request)
    expect(budgetCacheMarkers({})).toEqual({})
  })
})

describe('the system prompt', () => {
  test('a text is one block, marked when it is to be cached', () => {
    expect(formatSystem('Be brief.')).toEqual([{ type: 'text', text: 'Be brief.' }])
    expect(formatSystem('Be brief.', { cache: true })).toEqual([
      { type: 'text', text: 'Be brief.', ...marker },
    ])
  })

  test('blocks keep the marks they have', () => {
    const own = blocks([false, true])
    expect(formatSystem(own, { cache: true })).toEqual(own)
  })

  test('no text is no block', () => {
    expect(formatSystem('')).toEqual([])
    expect(formatSystem(undefined, { cache: true })).toEqual([])
  })
})
