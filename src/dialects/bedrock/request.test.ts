import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../core/chat.ts'
import type { EncodeOptions } from '../../core/dialect.ts'
import type { Issue } from '../../core/issue.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Message, Tool } from '../../core/model.ts'
import { bedrock } from '../bedrock.ts'

const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const NOVA = 'amazon.nova-pro-v1:0'
const user: Message = { role: 'user', content: 'Hello' }
const tide: Tool = { name: 'tide', inputSchema: { type: 'object', properties: {} } }
const called: Message = {
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 't1', name: 'tide', arguments: { at: 'Brest' }, origin: 'native' }],
}
const answered: Message = {
  role: 'tool',
  content: '',
  toolResults: [{ callId: 't1', content: 'low' }],
}

function encode(
  request: Partial<ChatRequest>,
  options: EncodeOptions = {},
): { readonly body: JsonObject; readonly issues: Issue[] } {
  const issues: Issue[] = []
  const report = (issue: Issue): number => issues.push(issue)
  const whole = { model: CLAUDE, messages: [user], ...request }
  return { body: bedrock.encodeRequest(whole, { ...options, report }), issues }
}

/** What a client sends comes out again as it was. */
function again(body: JsonObject): JsonObject {
  return bedrock.encodeRequest(bedrock.decodeRequest(body))
}

describe('the conversation', () => {
  test('takes turns: results and words of the user are one message', () => {
    const { body } = encode({ messages: [user, user, called, answered, user], tools: [tide] })
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ text: 'Hello' }, { text: 'Hello' }] },
      {
        role: 'assistant',
        content: [{ toolUse: { toolUseId: 't1', name: 'tide', input: { at: 'Brest' } } }],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 't1', content: [{ text: 'low' }] } },
          { text: 'Hello' },
        ],
      },
    ])
    expect(bedrock.decodeRequest(body).messages.slice(2)).toEqual([answered, user])
  })

  test('has the system on top; elsewhere it is text of the user', () => {
    const system: Message = { role: 'system', content: 'Be brief.' }
    const { body, issues } = encode({ messages: [system, user, system] })
    expect(body).toEqual({
      system: [{ text: 'Be brief.' }],
      messages: [
        { role: 'user', content: [{ text: 'Hello' }, { text: '<system>Be brief.</system>' }] },
      ],
    })
    expect(issues).toHaveLength(1)
  })

  test('failures have a status and, in words, their code', () => {
    const failed = { callId: 't1', content: 'late', isError: true, errorCode: 'Timeout' }
    const messages: Message[] = [user, called, { ...answered, toolResults: [failed] }]
    const { body } = encode({ messages, tools: [tide] })
    expect(body['messages']).toMatchObject([
      {},
      {},
      {
        content: [{ toolResult: { status: 'error', content: [{ text: '[ERROR:Timeout] late' }] } }],
      },
    ])
    expect(bedrock.decodeRequest(body).messages.at(-1)?.toolResults).toEqual([failed])
  })

  test('signed reasoning goes back, the other is left out and reported', () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: 'ZGF0YQ==' } },
      { text: 'Hi.' },
    ]
    const messages = [
      { role: 'user', content: [{ text: 'Go' }] },
      { role: 'assistant', content },
    ]
    expect(bedrock.decodeRequest({ messages }).messages[1]).toMatchObject({
      content: 'Hi.',
      reasoning: 'Hm.',
    })
    expect(again({ messages })).toEqual({ messages })
    const foreign: Message = { role: 'assistant', content: 'Hi.', reasoning: 'Hm.' }
    const { body, issues } = encode({ messages: [user, foreign] })
    expect(body['messages']).toMatchObject([{}, { content: [{ text: 'Hi.' }] }])
    expect(issues.map(({ code }) => code)).toEqual(['lost-field'])
  })

  test('media: data, places in S3, and names that differ', () => {
    const file = {
      type: 'file',
      mediaType: 'application/pdf',
      data: 'JVBERg==',
      name: 'a_b.pdf',
    } as const
    const photo = { type: 'image', url: 's3://box/photo.jpg' } as const
    const link = { type: 'image', url: 'https://example.com/a.png' } as const
    const { body, issues } = encode({
      messages: [{ role: 'user', content: [file, file, photo, link] }],
    })
    const source = { bytes: 'JVBERg==' }
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { document: { format: 'pdf', name: 'a-b-pdf', source } },
          { document: { format: 'pdf', name: 'a-b-pdf 2', source } },
          { image: { format: 'jpeg', source: { s3Location: { uri: 's3://box/photo.jpg' } } } },
          { text: '[image: https://example.com/a.png]' },
        ],
      },
    ])
    expect(issues).toHaveLength(1)
    expect(again(body)).toEqual(body)
  })

  test('what only Converse knows survives', () => {
    const cachePoint = { cachePoint: { type: 'default' } }
    const result = { toolUseId: 't1', content: [{ json: { level: 2 } }], status: 'success' }
    const body = {
      system: [{ text: 'Be brief.' }, cachePoint],
      messages: [
        { role: 'user', content: [{ text: 'Hi' }, { guardContent: { text: { text: 'x' } } }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 't1', name: 'tide', input: {} } }] },
        { role: 'user', content: [{ toolResult: result }, cachePoint] },
      ],
      toolConfig: {
        tools: [
          { toolSpec: { name: 'tide', inputSchema: { json: { type: 'object' } } } },
          { systemTool: { name: 'nova_grounding' } },
          cachePoint,
        ],
      },
      inferenceConfig: { maxTokens: 5, topK: 3 },
      guardrailConfig: { guardrailIdentifier: 'g' },
    }
    expect(again(body)).toEqual(body)
    const { messages, cache } = bedrock.decodeRequest(body)
    expect(cache).toBe(true)
    expect(messages.at(-1)?.toolResults).toEqual([{ callId: 't1', content: '{"level":2}' }])
  })
})

describe('tools', () => {
  test.for<[ChatRequest['toolChoice'], JsonObject | undefined]>([
    ['auto', { auto: {} }],
    ['required', { any: {} }],
    [{ name: 'tide' }, { tool: { name: 'tide' } }],
    [{ names: ['tide'] }, { auto: {} }],
    [{ names: ['tide'], required: true }, { any: {} }],
  ])('the choice %j', ([toolChoice, choice]) => {
    const { body } = encode({ tools: [tide], ...(toolChoice && { toolChoice }) })
    expect(body['toolConfig']).toMatchObject({ toolChoice: choice })
  })

  test('calls cannot be forbidden: the tools go, unless the history needs them', () => {
    const without = encode({ tools: [tide], toolChoice: 'none' })
    expect(without.body).not.toHaveProperty('toolConfig')
    const messages = [user, called, answered]
    const needed = encode({ messages, tools: [tide], toolChoice: 'none' })
    expect(needed.body['toolConfig']).not.toHaveProperty('toolChoice')
    expect([...without.issues, ...needed.issues]).toHaveLength(2)
  })

  test('those of a history are declared when none are offered', () => {
    const { body, issues } = encode({ messages: [user, called, answered] })
    expect(body['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'tide', inputSchema: { json: { type: 'object' } } } }],
    })
    expect(issues).toHaveLength(1)
  })

  test('are strict where the model has that', () => {
    const strict = { ...tide, strict: true }
    const spec = (model: string): unknown => encode({ model, tools: [strict] }).body['toolConfig']
    expect(spec(CLAUDE)).toMatchObject({
      tools: [
        { toolSpec: { strict: true, inputSchema: { json: { additionalProperties: false } } } },
      ],
    })
    expect(JSON.stringify(spec(NOVA))).not.toContain('strict')
  })

  test('one call at a time is a wish that only Claude understands', () => {
    const request = { tools: [tide], parallelToolCalls: false, toolChoice: 'required' } as const
    expect(encode(request).body).toMatchObject({
      additionalModelRequestFields: {
        tool_choice: { type: 'any', disable_parallel_tool_use: true },
      },
    })
    const other = encode({ ...request, model: NOVA })
    expect(other.body).not.toHaveProperty('additionalModelRequestFields')
    expect(other.issues).toHaveLength(1)
  })
})

describe('the cache', () => {
  const request = {
    messages: [{ role: 'system', content: 'Be brief.' }, user, called, answered],
    tools: [tide],
    cache: true,
  } as const
  const points = (model: string): number =>
    JSON.stringify(encode({ ...request, model }).body).split('cachePoint').length - 1

  test('has four marks at most, and none for models without it', () => {
    expect(points(CLAUDE)).toBe(4)
    expect(points(NOVA)).toBe(3)
    expect(points('meta.llama3-1-70b-instruct-v1:0')).toBe(0)
  })

  test('marks come out again as they were', () => {
    const { body } = encode(request)
    expect(again(body)).toEqual(body)
  })
})

test('settings and a schema for the reply', () => {
  const schema = { type: 'object', properties: {}, additionalProperties: false }
  const { body } = encode({
    ...{ maxTokens: 9, temperature: 0.5, topP: 0.9, stop: ['END'] },
    responseFormat: { type: 'json-schema', name: 'tides', schema },
  })
  expect(body).toMatchObject({
    inferenceConfig: { maxTokens: 9, temperature: 0.5, topP: 0.9, stopSequences: ['END'] },
    outputConfig: { textFormat: { structure: { jsonSchema: { name: 'tides' } } } },
  })
  expect(bedrock.decodeRequest(body).responseFormat).toMatchObject({ schema })
  expect(again(body)).toEqual(body)
})

test.for([null, [], {}, { messages: {} }])('%j is no request', (body) => {
  expect(() => bedrock.decodeRequest(body)).toThrow(TypeError)
})

test('a turn that began without thinking goes on without it', () => {
  const toolUse = { toolUseId: 'a', name: 'tide', input: {} }
  const turns: JsonObject[] = [
    { role: 'user', content: [{ text: 'Go' }] },
    { role: 'assistant', content: [{ toolUse }] },
    { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ text: '1' }] } }] },
  ]
  const { messages } = bedrock.decodeRequest({ messages: turns })
  const model = 'anthropic.claude-sonnet-4-5-v1:0'
  const { body, issues } = encode({ model, messages, reasoning: { budgetTokens: 2000 } })
  expect(body).not.toHaveProperty('additionalModelRequestFields')
  const message = 'a turn that began without thinking goes on without it'
  expect(issues).toContainEqual({ code: 'not-expressible', message })
  const thinking = { type: 'enabled', budget_tokens: 2000 }
  const first = encode({ model, reasoning: { budgetTokens: 2000 } })
  expect(first.body).toMatchObject({ additionalModelRequestFields: { thinking } })
})
