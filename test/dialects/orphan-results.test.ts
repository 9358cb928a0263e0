/** A result without its call: the model gets it as text, whatever the dialect, and nothing of it is lost. */
import { describe, expect, test } from 'vitest'
import type { Issue } from '../../src/core/issue.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { Message } from '../../src/core/model.ts'
import { allDialects } from '../../src/dialects/registry.ts'
import { heal, transcode } from '../../src/dialects/transcode.ts'

const PICTURE = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const

const HISTORY: readonly Message[] = [
  { role: 'user', content: 'The weather in Oslo?' },
  { role: 'assistant', content: 'I look.' },
  {
    role: 'tool',
    content: '',
    toolResults: [{ callId: 'gone', name: 'get_weather', content: 'Sunny.' }],
  },
  { role: 'user', content: 'And?' },
]

test.for(allDialects.map(({ id }) => id))('it reaches the model through %s', (to) => {
  const issues: Issue[] = []
  const sent = JSON.stringify(transcode(HISTORY, { to, report: (issue) => issues.push(issue) }))
  expect(sent).toContain('get_weather')
  expect(sent).toMatch(/Sunny\..*And\?/)
  expect(issues.map(({ code }) => code)).toContain('orphan-result')
})

test('between a call and its own result, other results keep their place', () => {
  const messages = [
    { role: 'user', content: 'Look.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c0', content: 'Of before.' },
    { role: 'tool', tool_call_id: 'c1', content: 'A tree.' },
    { role: 'user', content: 'And?' },
  ]
  const healed = heal(messages, 'openai-chat') as JsonObject[]
  expect(healed.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'user'])
  expect(healed[2]).toMatchObject({ tool_call_id: 'c1', content: 'A tree.' })
  expect(healed[3]?.['content']).toContain('Of before.')
  expect(heal(healed, 'openai-chat')).toEqual(healed)
})

describe('what it holds', () => {
  function healedText(result: object): JsonObject | undefined {
    const messages = [{ role: 'tool', content: '', toolResults: [result] }] as readonly Message[]
    return heal(messages, 'openai-chat')[0] as JsonObject | undefined
  }

  test('a failure is marked as one', () => {
    const said = healedText({ callId: 'x', content: 'no such city', isError: true })
    expect(said?.['content']).toContain('[ERROR] no such city')
  })

  test('a picture comes with it', () => {
    const content = [{ type: 'text', text: 'Here.' }, PICTURE]
    expect(healedText({ callId: 'x', name: 'shot', content })).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: expect.stringMatching(/^shot .*\nHere\.$/s) }, PICTURE],
    })
  })
})

test('a client of Ollama that sends no calls gets its result to the model', () => {
  const messages = [
    { role: 'user', content: 'The weather in Oslo?' },
    { role: 'assistant', content: '' },
    { role: 'tool', content: 'Sunny in Oslo' },
  ]
  const body = transcode(
    { model: 'm', messages, stream: false, options: {} },
    { from: 'ollama', to: 'ollama' },
  )
  expect((body as JsonObject)['messages']).toEqual([
    messages[0],
    { role: 'user', content: expect.stringContaining('Sunny in Oslo') },
  ])
})
