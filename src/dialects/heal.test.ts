import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HistoryRules } from '../core/dialect.ts'
import type { Issue } from '../core/issue.ts'
import type { Message } from '../core/model.ts'
import { healMessages } from './heal.ts'

const PLAIN: HistoryRules = { field: 'messages' }

/** `A(f:0,f:1)` calls, `T(f:0)` answers, `T*` is a result made up, `U` and `A` speak. */
function written(history: readonly string[]): Message[] {
  return history.map((turn) => {
    const [, kind = '', ids] = /^(\w)\*?(?:\((.*)\))?$/.exec(turn) ?? []
    const list = ids?.split(',') ?? []
    if (kind === 'U') return { role: 'user', content: 'go on' }
    if (kind === 'T') {
      return {
        role: 'tool',
        content: '',
        toolResults: list.map((callId) => ({ callId, content: `result of ${callId}` })),
      }
    }
    const toolCalls = list.map(
      (id) => ({ id, name: id.split(':')[0] ?? id, arguments: {}, origin: 'native' }) as const,
    )
    return {
      role: 'assistant',
      content: list.length > 0 ? '' : 'done',
      ...(list.length > 0 && { toolCalls }),
    }
  })
}

function shown(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, toolCalls = [], toolResults = [] }) => {
    if (role === 'tool') {
      return toolResults.map(
        (one) => `T${one.errorCode === 'missing_result' ? '*' : ''}(${one.callId})`,
      )
    }
    const ids = toolCalls.map(({ id }) => id).join(',')
    return [`${role === 'user' ? 'U' : 'A'}${ids && `(${ids})`}`]
  })
}

describe('pairs calls with results turn by turn', () => {
  test.for([
    [
      'A(f:0,f:1) T(f:0) T(f:1) A(f:0,f:1) U',
      'A(f:0,f:1) T(f:0) T(f:1) A(f:0,f:1) T*(f:0) T*(f:1) U',
    ],
    [
      'A(f:0,f:1) U A(f:0,f:1) T(f:0) T(f:1)',
      'A(f:0,f:1) T*(f:0) T*(f:1) U A(f:0,f:1) T(f:0) T(f:1)',
    ],
    ['U T(ghost:0) A', 'U U A'],
    ['A(f:0,f:1,p:2) T(f:0)', 'A(f:0,f:1,p:2) T(f:0) T*(f:1) T*(p:2)'],
    ['A(dup:0,dup:0) T(dup:0)', 'A(dup:0) T(dup:0)'],
    ['A(f:0) A T(f:0)', 'A(f:0) T*(f:0) A U'],
    ['A(f:0,f:1) T(f:1) T(f:0)', 'A(f:0,f:1) T(f:1) T(f:0)'],
    ['A(f:0) U T(f:0)', 'A(f:0) T(f:0) U'],
    ['A(f:0) T(f:0) T(f:0)', 'A(f:0) T(f:0)'],
  ] as const)('%s', ([history, healed]) => {
    expect(shown(healMessages(written(history.split(' ')), PLAIN))).toEqual(healed.split(' '))
  })
})

test('a result that was made up says so', () => {
  const issues: Issue[] = []
  const [, answer] = healMessages(written(['A(f:0)']), PLAIN, {
    report: (issue) => issues.push(issue),
  })
  expect(answer?.toolResults).toMatchObject([
    { isError: true, errorCode: 'missing_result', name: 'f' },
  ])
  expect(issues).toMatchObject([{ code: 'missing-result', callId: 'f:0' }])
})

test('ids are made to fit, with those of their results', () => {
  const rules: HistoryRules = { ...PLAIN, callId: { pattern: /^[a-zA-Z0-9]+$/, length: 9 } }
  const history = written([
    'A(toolu_01A,toolu_01B)',
    'T(toolu_01B)',
    'T(toolu_01A)',
    'A(abcdefghi)',
    'T(abcdefghi)',
  ])
  const healed = healMessages(history, rules)
  const ids = healed.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
  expect(new Set(ids).size).toBe(3)
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
  expect(ids[2]).toBe('abcdefghi')
  expect(healed[1]?.toolResults?.map(({ callId }) => callId)).toEqual([ids[1], ids[0]])
})

test('ids that come again in later turns become different', () => {
  const rules: HistoryRules = { ...PLAIN, callId: { pattern: /^[\w-]+$/, maxLength: 64 } }
  const healed = healMessages(written(['A(f-0)', 'T(f-0)', 'A(f-0)', 'T(f-0)']), rules)
  const ids = healed.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
  expect(ids[0]).toBe('f-0')
  expect(ids[1]).not.toBe('f-0')
  expect(healed[3]?.toolResults?.[0]?.callId).toBe(ids[1])
})

const RULES: HistoryRules[] = [
  PLAIN,
  { ...PLAIN, alternates: true, startsWithUser: true, systemOnTop: true },
  { ...PLAIN, bridgeAfterResults: true, callId: { pattern: /^[a-zA-Z0-9]+$/, length: 9 } },
]

const turn = fc.oneof(
  fc.constantFrom('U', 'A', 'S'),
  fc
    .array(fc.constantFrom('f:0', 'f:1', 'g:0'), { minLength: 1, maxLength: 3 })
    .map((ids) => `A(${ids.join()})`),
  fc
    .array(fc.constantFrom('f:0', 'f:1', 'x:9'), { minLength: 1, maxLength: 2 })
    .map((ids) => `T(${ids.join()})`),
)
const histories = fc
  .array(turn, { maxLength: 12 })
  .map((turns) =>
    written(turns.map((one) => (one === 'S' ? 'U' : one))).map((message, at) =>
      turns[at] === 'S' ? { role: 'system' as const, content: 'Be brief.' } : message,
    ),
  )

test.for(RULES.map((rules, at) => [at, rules] as const))(
  'twice is the same as once (%i)',
  ([, rules]) => {
    fc.assert(
      fc.property(histories, (history) => {
        const healed = healMessages(history, rules)
        expect(healMessages(healed, rules)).toEqual(healed)
      }),
      { numRuns: 500 },
    )
  },
)

test('every call is answered once, right behind it', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const healed = healMessages(history, PLAIN)
      for (const [at, { role, toolCalls = [] }] of healed.entries()) {
        const answers = healed[at + 1]?.toolResults?.map(({ callId }) => callId) ?? []
        if (role === 'assistant' && toolCalls.length > 0) {
          expect([...answers].sort()).toEqual(toolCalls.map(({ id }) => id).sort())
        }
      }
    }),
    { numRuns: 500 },
  )
})
