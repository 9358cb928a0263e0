/** The wish for the cache, in every dialect: marks where there are any, else a word about it. */
import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../src/core/chat.ts'
import type { EncodeOptions } from '../../src/core/dialect.ts'
import type { Issue } from '../../src/core/issue.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { allDialects, getDialect } from '../../src/dialects/registry.ts'
import { encodeHealed, heal, transcode } from '../../src/dialects/transcode.ts'
import { call, clock, weather } from './samples.ts'

const request: ChatRequest = {
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather and time in Turku?' },
    {
      role: 'assistant',
      content: 'I will look.',
      toolCalls: [
        call('call_aaaa1', 'get_weather', { city: 'Turku' }),
        call('call_bbbb2', 'get_time', { city: 'Turku' }),
      ],
    },
    {
      role: 'tool',
      content: '',
      toolResults: [
        { callId: 'call_aaaa1', name: 'get_weather', content: '-3 °C' },
        { callId: 'call_bbbb2', name: 'get_time', content: '9:15' },
      ],
    },
  ],
  tools: [weather, clock],
  cache: true,
}

function encode(dialect: string, more: Partial<ChatRequest> = {}, options: EncodeOptions = {}) {
  const issues: Issue[] = []
  const body = getDialect(dialect).encodeRequest(
    { ...request, ...more },
    { ...options, report: (issue) => issues.push(issue) },
  )
  return { body, issues }
}

const MARKS = /"(?:cache_control|cachePoint|prompt_cache_breakpoint)":/g

function marksIn(body: JsonObject): number {
  return JSON.stringify(body).match(MARKS)?.length ?? 0
}

/** A model that takes marks, and how many it gets; without a model, the dialect has none. */
const DIALECTS: Readonly<Record<string, readonly [model: string, marks: number] | undefined>> = {
  'openai-chat': ['gpt-5.6', 3],
  'openai-responses': ['gpt-5.6-mini', 3],
  anthropic: ['claude-sonnet-5', 4],
  bedrock: ['eu.anthropic.claude-sonnet-5-v1:0', 4],
  gemini: undefined,
  'google-interactions': undefined,
  mistral: undefined,
  cohere: undefined,
  ollama: undefined,
}

describe.for(allDialects.map(({ id }) => id))('%s', (id) => {
  test('is marked in a few places, or told that it cannot be', () => {
    expect(DIALECTS).toHaveProperty(id)
    const [model, marks] = DIALECTS[id] ?? ['m', 0]
    const { body, issues } = encode(id, { model })
    expect(marksIn(body)).toBe(marks)
    const told = issues.filter(({ message }) => message.includes('cache'))
    expect(told).toHaveLength(marks > 0 ? 0 : 1)
  })

  test('is not marked, and nothing is told, when nobody asks', () => {
    const [model] = DIALECTS[id] ?? ['m']
    const { body, issues } = encode(id, { model, cache: false })
    expect(marksIn(body)).toBe(0)
    expect(issues.filter(({ message }) => message.includes('cache'))).toEqual([])
  })

  test('comes back as it was', () => {
    const [model] = DIALECTS[id] ?? ['m']
    const { decodeRequest, encodeRequest } = getDialect(id)
    const { body } = encode(id, { model })
    const back = decodeRequest(body)
    expect(back.cache).toBe(DIALECTS[id] ? true : undefined)
    // In Bedrock and Gemini the address has the model.
    expect(encodeRequest({ ...back, model })).toEqual(body)
  })
})

const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } }
const ephemeral = { cache_control: { type: 'ephemeral' } }

describe('marks of OpenAI', () => {
  test('are behind the system prompt, where the last request ended, and at the end', () => {
    const { messages } = encode('openai-chat', { model: 'gpt-5.6' }).body
    expect(messages).toMatchObject([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...breakpoint }] },
      { content: [{ type: 'text', text: 'Weather and time in Turku?', ...breakpoint }] },
      { role: 'assistant', content: 'I will look.' },
      { role: 'tool', content: '-3 °C' },
      { role: 'tool', content: [{ type: 'text', text: '9:15', ...breakpoint }] },
    ])
  })

  test('are on items, where instructions cannot have one', () => {
    const { body } = encode('openai-responses', { model: 'gpt-5.6' })
    expect(body).not.toHaveProperty('instructions')
    expect(body['input']).toMatchObject([
      { role: 'system', content: [{ type: 'input_text', text: 'Be brief.', ...breakpoint }] },
      { role: 'user', content: [{ type: 'input_text', ...breakpoint }] },
      { role: 'assistant' },
      { type: 'function_call' },
      { type: 'function_call' },
      { type: 'function_call_output', output: '-3 °C' },
      {
        type: 'function_call_output',
        output: [{ type: 'input_text', text: '9:15', ...breakpoint }],
      },
    ])
  })

  test.for([
    ['gpt-5.6', true],
    ['openai/gpt-5.10', true],
    ['gpt-6-mini', true],
    ['gpt-5.5', false],
    ['gpt-5', false],
    ['gpt-4.1', false],
    ['my-gpt-9-finetune', false],
    ['qwen3', false],
  ] as const)('are for %s: %s, and the others keep what they like', ([model, isMarked]) => {
    const { body, issues } = encode('openai-chat', { model })
    expect(marksIn(body) > 0).toBe(isMarked)
    expect(issues).toEqual([])
  })

  test('stay where the sender has placed them', () => {
    const chat = getDialect('openai-chat')
    const body = {
      model: 'gpt-5.6',
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'A long text.', ...breakpoint },
            { type: 'text', text: 'What does it say?' },
          ],
        },
        { role: 'user', content: 'Quick.' },
      ],
      prompt_cache_key: 'reader',
    }
    const decoded = chat.decodeRequest(body)
    expect(decoded.cache).toBe(true)
    expect(chat.encodeRequest(decoded)).toEqual(body)
  })

  test('have nothing to stand on in empty content', () => {
    const messages = [
      { role: 'system', content: '' },
      { role: 'user', content: [] },
    ] as const
    const { body } = encode('openai-chat', { model: 'gpt-5.6', messages })
    expect(marksIn(body)).toBe(0)
  })

  test('are those of Anthropic where the service passes them on', () => {
    const { body } = encode('openai-chat', {}, { quirks: { cacheControl: true } })
    expect(body['messages']).toMatchObject([
      { content: [{ text: 'Be brief.', ...ephemeral }] },
      { content: [ephemeral] },
      {},
      {},
      { content: [ephemeral] },
    ])
    const plain = encode('openai-chat', {}, { quirks: { cacheControl: true, textContent: true } })
    expect(marksIn(plain.body)).toBe(0)
  })
})

test('parts with more than others know go back as they came', () => {
  const chat = getDialect('openai-chat')
  const body = {
    model: 'gpt-5',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Listen, and look.' },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          { type: 'image_url', image_url: { url: 'https://host.test/a.png', detail: 'low' } },
        ],
      },
    ],
  }
  const decoded = chat.decodeRequest(body)
  expect(chat.encodeRequest(decoded)).toEqual(body)
  const [message] = decoded.messages
  if (!message) throw new Error('there is one')
  const changed = { ...decoded, messages: [{ ...message, content: 'Never mind.' }] }
  expect(chat.encodeRequest(changed)['messages']).toEqual([
    { role: 'user', content: 'Never mind.' },
  ])
})

describe('fields about the cache', () => {
  const own = { prompt_cache_key: 'reader', prompt_cache_retention: '24h' }
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hello?' }], ...own }

  function converted(to: string) {
    const issues: Issue[] = []
    const report = (issue: Issue): void => void issues.push(issue)
    return { ...(transcode(body, { from: 'openai-chat', to, report }) as JsonObject), issues }
  }

  test('go to the dialects that have them', () => {
    expect(converted('openai-responses')).toMatchObject({ ...own, issues: [] })
    expect(converted('mistral')).toMatchObject({
      prompt_cache_key: 'reader',
      issues: [{ code: 'lost-field', message: expect.stringContaining('prompt_cache_retention') }],
    })
    expect(converted('mistral')).not.toHaveProperty('prompt_cache_retention')
  })

  test('are lost elsewhere, which is told', () => {
    const names = '`prompt_cache_key`, `prompt_cache_retention` of openai-chat are not translated'
    expect(converted('anthropic')['issues']).toContainEqual({
      code: 'lost-field',
      message: `${names} to anthropic; they were left out`,
      fields: ['prompt_cache_key', 'prompt_cache_retention'],
      level: 'info',
    })
  })

  test('a key is a way to ask, and so is content that is in the cache', () => {
    const key = { mistral: { prompt_cache_key: 'reader' } }
    expect(encode('mistral', { extra: key }).issues).toEqual([])
    const content = { gemini: { cachedContent: 'cachedContents/abc' } }
    const { body: sent, issues } = encode('gemini', { extra: content })
    expect(sent['cachedContent']).toBe('cachedContents/abc')
    expect(issues).toEqual([])
  })
})

describe('marks of Anthropic', () => {
  test('are four at most, one of which may be its own', () => {
    const text = (words: string) => ({ type: 'text', text: words, ...ephemeral })
    const body = {
      model: 'claude-sonnet-5',
      max_tokens: 100,
      system: [text('Be brief.')],
      messages: ['one', 'two', 'three', 'four'].map((word) => ({
        role: 'user',
        content: [text(word)],
      })),
    }
    const { decodeRequest, encodeRequest } = getDialect('anthropic')
    expect(marksIn(encodeRequest(decodeRequest(body)))).toBe(4)
    expect(marksIn(encodeRequest(decodeRequest({ ...body, ...ephemeral })))).toBe(4)
  })

  test('become those of OpenAI, and back', () => {
    const { body } = encode('anthropic', { model: 'claude-sonnet-5' })
    const there = transcode({ ...body, model: 'gpt-5.6' }, { from: 'anthropic', to: 'openai-chat' })
    expect(marksIn(there as JsonObject)).toBe(3)
    const back = transcode(there, { from: 'openai-chat', to: 'anthropic' })
    expect(marksIn(back as JsonObject)).toBe(4)
  })
})

describe('marks on parts of one’s own messages', () => {
  const mark = { type: 'ephemeral', ttl: '1h' } as const
  const messages: ChatRequest['messages'] = [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control: mark }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'A long text.', cache_control: mark },
        { type: 'text', text: 'What does it say?' },
      ],
    },
  ]
  const marked = { cache_control: mark }
  const encodeOwn = (dialect: string, model: string, quirks: EncodeOptions['quirks'] = {}) => {
    const issues: Issue[] = []
    const report = (issue: Issue) => issues.push(issue)
    const given = { model, messages, cache: true, maxTokens: 100 }
    const { body } = encodeHealed(given, getDialect(dialect), { quirks, report })
    return { body, issues }
  }

  test('stay where they are at Anthropic', () => {
    const { body, issues } = encodeOwn('anthropic', 'claude-sonnet-5')
    expect(body).toMatchObject({
      system: [{ text: 'Be brief.', ...marked }],
      messages: [{ content: [{ text: 'A long text.', ...marked }, { text: 'What does it say?' }] }],
    })
    expect([marksIn(body), issues]).toEqual([2, []])
  })

  test('are blocks of their own at Bedrock', () => {
    const { body, issues } = encodeOwn('bedrock', 'anthropic.claude-sonnet-5-v1:0')
    const point = { cachePoint: { type: 'default' } }
    expect(body).toMatchObject({
      system: [{ text: 'Be brief.' }, point],
      messages: [{ content: [{ text: 'A long text.' }, point, { text: 'What does it say?' }] }],
    })
    expect([marksIn(body), issues]).toEqual([2, []])
  })

  test('go on through services that know them', () => {
    const { body, issues } = encodeOwn('openai-chat', 'm', { cacheControl: true })
    expect(body['messages']).toMatchObject([
      { content: [{ text: 'Be brief.', ...marked }] },
      { content: [{ text: 'A long text.', ...marked }, { text: 'What does it say?' }] },
    ])
    expect([marksIn(body), issues]).toEqual([2, []])
  })

  test.for(['gemini', 'google-interactions', 'mistral', 'cohere', 'ollama', 'bedrock'])(
    'are reported as lost by %s',
    (dialect) => {
      const { body, issues } = encodeOwn(dialect, 'm')
      expect(marksIn(body)).toBe(0)
      expect(issues.filter(({ message }) => message.includes('cache'))).toHaveLength(1)
    },
  )

  test.for(['openai-chat', 'openai-responses'])('place those of %s', (dialect) => {
    const { body } = encodeOwn(dialect, 'gpt-5.6')
    expect(JSON.stringify(body)).not.toContain('cache_control')
    expect(marksIn(body)).toBeGreaterThan(0)
  })

  test('survive a change of the API, and healing', () => {
    const issues: Issue[] = []
    const report = (issue: Issue) => issues.push(issue)
    expect(transcode(messages, { to: 'anthropic', report })).toMatchObject({
      system: [marked],
      messages: [{ content: [marked, {}] }],
    })
    expect(transcode(messages, { to: 'bedrock', report })).toMatchObject({ system: [{}, {}] })
    expect(heal(messages, 'anthropic')).toEqual(messages)
    expect(issues).toEqual([])
    transcode(messages, { to: 'mistral', report })
    expect(issues).toHaveLength(1)
  })
})
