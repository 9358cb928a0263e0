/** Calls in reasoning that a server keeps apart from the text, in the replies of every provider. */
import { describe, expect, test } from 'vitest'
import { extract } from '../../extract.ts'

const tools = [
  {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
]
const OSLO = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
const thought = `It is Oslo that they mean.\n${OSLO}`
const call = {
  name: 'get_weather',
  arguments: { city: 'Oslo' },
  origin: 'text',
  protocol: 'hermes',
  evidence: 'marker',
}

/** Replies that say nothing but their reasoning. */
const REPLIES = {
  'chat, reasoning_content': {
    choices: [
      { message: { content: null, reasoning_content: thought }, finish_reason: 'stop', index: 0 },
    ],
  },
  'chat, reasoning': {
    choices: [
      { message: { content: '', reasoning: thought, tool_calls: [] }, finish_reason: 'stop' },
    ],
  },
  'chat, blank content': { role: 'assistant', content: '\n\n', reasoning_content: thought },
  anthropic: {
    content: [
      { type: 'thinking', thinking: thought, signature: 's' },
      { type: 'text', text: '' },
    ],
    stop_reason: 'end_turn',
  },
  ollama: { message: { role: 'assistant', content: '', thinking: thought }, done_reason: 'stop' },
  gemini: {
    candidates: [{ content: { parts: [{ text: thought, thought: true }] }, finishReason: 'STOP' }],
  },
  'openai-responses': {
    output: [{ type: 'reasoning', content: [{ type: 'reasoning_text', text: thought }] }],
    status: 'completed',
  },
}

describe('reasoning kept apart', () => {
  test.each(Object.entries(REPLIES))('%s: a call it ends with is made', (_, reply) => {
    const found = extract(reply, { tools })
    expect(found.calls).toMatchObject([call])
    expect(found).toMatchObject({ protocol: 'hermes', issues: [] })
    expect(found.text.trim()).toBe('')
    expect(found.reasoning).toBe('It is Oslo that they mean.\n')
    expect(found.calls[0]).not.toHaveProperty('span')
  })

  test('is read as it would be behind <think>', () => {
    for (const reasoning of [
      `${thought}\nThat should do.`,
      `${OSLO}\n${OSLO.replace('Oslo', 'Bergen')}`,
      `${thought.slice(0, -30)}`,
      'I would use <tool_call> for it.',
    ]) {
      const apart = extract(
        { reasoning_content: reasoning, content: null },
        { tools, ids: 'sequential' },
      )
      const inText = extract(`<think>${reasoning}`, { tools, ids: 'sequential' })
      const shown = ({ calls }: typeof apart) =>
        calls.map(({ name, arguments: args }) => [name, args])
      expect(shown(apart)).toEqual(shown(inText))
      expect(apart.issues.map(({ code }) => code)).toEqual(inText.issues.map(({ code }) => code))
      if (apart.calls.length > 0) {
        expect(apart.reasoning).toBe(inText.reasoning)
        expect(apart.text.trim()).toBe(inText.text.trim())
      } else expect(apart).toMatchObject({ reasoning, text: '' })
    }
  })

  test.each([
    ['text', { content: 'In Oslo it rains.' }],
    [
      'a call of its own',
      {
        content: '',
        tool_calls: [
          { id: 'c', function: { name: 'get_weather', arguments: '{"city":"Bergen"}' } },
        ],
      },
    ],
  ])('followed by %s it is a draft, and told', (_, said) => {
    const found = extract({ reasoning_content: thought, ...said }, { tools })
    expect(found.calls.filter(({ origin }) => origin === 'text')).toEqual([])
    expect(found).toMatchObject({ reasoning: thought, text: said.content })
    expect(found.issues).toMatchObject([{ code: 'reasoning-call', raw: OSLO }])
    expect(found.issues[0]).not.toHaveProperty('span')
  })

  test('a draft behind a closing tag in the reasoning is one as well', () => {
    const reasoning = `They write </think> and then ${OSLO}`
    const found = extract({ reasoning_content: reasoning, content: 'Rain.' }, { tools })
    expect(found).toMatchObject({ calls: [], reasoning, text: 'Rain.' })
    expect(found.issues).toMatchObject([{ code: 'reasoning-call', name: 'get_weather' }])
  })

  test('a format that does not end reasoning makes no call, which is told', () => {
    for (const reasoning of [
      'So:\n{"name": "get_weather", "arguments": {"city": "Oslo"}}',
      'Action: get_weather\nAction Input: {"city": "Oslo"}',
    ]) {
      const found = extract({ reasoning_content: reasoning, content: '' }, { tools })
      expect(found).toMatchObject({ calls: [], reasoning, text: '' })
      expect(found.issues.map(({ code }) => code)).toEqual(['reasoning-call'])
    }
  })

  test.each([
    ['ignore', '', 0],
    ['protocol', '', 1],
    ['protocol', 'Rain.', 0],
    ['allow', '', 1],
    ['allow', 'Rain.', 1],
  ] as const)('inReasoning %s before "%s": %i', (inReasoning, content, count) => {
    const reply = { reasoning_content: thought, content }
    const found = extract(reply, { tools, inReasoning })
    expect(found.calls).toHaveLength(count)
    expect(found.issues.map(({ code }) => code)).toEqual(count > 0 ? [] : ['reasoning-call'])
    expect(found.text).toBe(content)
  })

  test('allowed or not, it makes no call beside one of the reply itself', () => {
    const own = { id: 'c', function: { name: 'get_weather', arguments: '{"city":"Bergen"}' } }
    const reply = { reasoning_content: thought, content: '', tool_calls: [own] }
    const { calls, issues } = extract(reply, { tools, inReasoning: 'allow' })
    expect(calls).toMatchObject([{ id: 'c', origin: 'native' }])
    expect(issues).toMatchObject([{ code: 'reasoning-call' }])
  })

  test('calls that are allowed there have other ids than those in the text', () => {
    const reply = { reasoning_content: thought, content: OSLO }
    const { calls } = extract(reply, { tools, inReasoning: 'allow', ids: () => 'same' })
    expect(calls.map(({ id }) => id)).toEqual(['same', 'same_2'])
  })

  test('cut off inside the call, there is none', () => {
    const reply = {
      choices: [
        {
          message: { reasoning_content: thought.slice(0, -30), content: '' },
          finish_reason: 'length',
        },
      ],
    }
    const found = extract(reply, { tools })
    expect(found).toMatchObject({ calls: [], reasoning: thought.slice(0, -30) })
    expect(found.issues).toMatchObject([{ code: 'truncated-call' }])
  })

  test('is left alone when the provider runs its tools itself', () => {
    const reply = { reasoning_content: thought, content: '' }
    const found = extract(reply, { tools, capabilities: { selfContainedTools: true } })
    expect(found).toMatchObject({ calls: [], issues: [], reasoning: thought })
  })
})
