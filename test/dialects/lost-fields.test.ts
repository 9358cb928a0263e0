/** What is lost on the way to another dialect is reported by name, and what is not lost is not. */
import { describe, expect, test } from 'vitest'
import type { Issue } from '../../src/core/issue.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { transcode } from '../../src/dialects/transcode.ts'

function issuesOf(body: JsonObject, from: string, to: string): Issue[] {
  const issues: Issue[] = []
  transcode(body, { from, to, report: (issue) => issues.push(issue) })
  return issues
}

/** Fields that are warned about. */
const lostIn = (body: JsonObject, from: string, to: string): string[] =>
  issuesOf(body, from, to).flatMap(({ fields = [], level }) => (level ? [] : fields))

const EPHEMERAL = { cache_control: { type: 'ephemeral' } }

function claudeCode(...more: JsonObject[]): JsonObject {
  return {
    model: 'm',
    max_tokens: 100,
    metadata: { user_id: 'session' },
    context_management: { edits: [] },
    system: [{ type: 'text', text: 'Be brief.', ...EPHEMERAL }],
    tools: [{ name: 'look', input_schema: { type: 'object' }, ...EPHEMERAL }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Look.', ...EPHEMERAL }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look,' },
          { type: 'text', text: 'and see.' },
          { type: 'tool_use', id: 'call_1', name: 'look', input: {}, caller: { type: 'direct' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'call_1',
            content: [{ type: 'text', text: 'A tree.' }],
            ...EPHEMERAL,
          },
        ],
      },
      ...more,
    ],
  }
}

const CODEX = {
  model: 'm',
  instructions: 'Be brief.',
  store: false,
  include: ['reasoning.encrypted_content'],
  client_metadata: { a: 'b' },
  tools: [{ type: 'function', name: 'look', strict: false, parameters: { type: 'object' } }],
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look.' }] },
    {
      type: 'message',
      role: 'assistant',
      id: 'msg_1',
      status: 'completed',
      content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
    },
    {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'c1',
      name: 'look',
      arguments: '{}',
      status: 'completed',
    },
    { type: 'function_call_output', call_id: 'c1', output: 'A tree.' },
  ],
}

describe.each(['openai-chat', 'ollama'])('to %s', (to) => {
  test.each([
    ['Anthropic', claudeCode(), 'anthropic'],
    ['Responses', CODEX, 'openai-responses'],
  ] as const)('a request of a client of %s loses nothing that matters', (_, body, from) => {
    expect(lostIn(body, from, to)).toEqual([])
  })

  test('fields of less weight are named as well', () => {
    const minor = issuesOf(claudeCode(), 'anthropic', to).filter(({ level }) => level === 'info')
    expect(minor.flatMap(({ fields = [] }) => fields)).toContain('context_management')
  })

  test('a part of a result that nobody else knows', () => {
    const content = [{ type: 'tool_reference', tool_name: 'TaskCreate' }]
    const result = { type: 'tool_result', tool_use_id: 'call_2', content }
    const body = claudeCode(
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_2', name: 'look', input: {} }] },
      { role: 'user', content: [result] },
    )
    // Either it goes to the model in words, or its loss is reported.
    const sent = JSON.stringify(transcode(body, { from: 'anthropic', to }))
    const isSent = sent.includes('TaskCreate')
    expect(isSent || lostIn(body, 'anthropic', to).join().includes('tool_reference')).toBe(true)
  })

  test('a tool that the service itself runs', () => {
    const body = { ...claudeCode(), tools: [{ type: 'web_search_20250305', name: 'web_search' }] }
    expect(lostIn(body, 'anthropic', to)).toEqual(['tools.web_search_20250305'])
  })
})

test('reasoning that has no place, once', () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' }
  const turn = { role: 'assistant', content: [thought, { type: 'text', text: 'Well.' }] }
  const body = claudeCode(turn, { role: 'user', content: 'And?' }, turn)
  expect(lostIn(body, 'anthropic', 'openai-chat')).toEqual(['reasoning'])
  expect(lostIn(body, 'anthropic', 'ollama')).toEqual([])
})

test('many parts that were lost take no longer than their number', () => {
  const content = Array.from({ length: 20_000 }, (_, at) => ({ type: 'odd', own: `value ${at}` }))
  const body = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content }] }
  expect(lostIn(body, 'anthropic', 'openai-chat')).toEqual(['content.odd.own'])
})
