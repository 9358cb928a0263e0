/** A request is read as what it is, or as what means the same, whatever fields it has. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatRequest, ChatSettings } from '../../src/core/chat.ts'
import type { Dialect } from '../../src/core/dialect.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { allDialects, getDialect, recognitionOrder } from '../../src/dialects/registry.ts'
import { transcode } from '../../src/dialects/transcode.ts'
import { requests, responses, weather } from './samples.ts'

const settings: fc.Arbitrary<ChatSettings> = fc.record(
  {
    maxTokens: fc.integer({ min: 2000, max: 9000 }),
    temperature: fc.constantFrom(0, 0.5, 1),
    topP: fc.constantFrom(0.5, 0.9),
    topK: fc.integer({ min: 1, max: 50 }),
    minP: fc.constantFrom(0.05, 0.1),
    seed: fc.integer({ min: 0, max: 99 }),
    presencePenalty: fc.constantFrom(-0.5, 0.5),
    frequencyPenalty: fc.constantFrom(-0.5, 0.5),
    repetitionPenalty: fc.constantFrom(1.1, 1.3),
    n: fc.integer({ min: 2, max: 4 }),
    stop: fc.constantFrom(['END'], ['a', 'b']),
    verbosity: fc.constantFrom('low', 'high'),
    parallelToolCalls: fc.constant(false),
    store: fc.boolean(),
    user: fc.constantFrom('u-1', 'someone'),
    metadata: fc.constant({ team: 'a' }),
    serviceTier: fc.constantFrom('default', 'flex'),
    reasoning: fc.constantFrom(
      { effort: 'low' as const },
      { effort: 'max' as const },
      { budgetTokens: 1500 },
      { enabled: true },
      { enabled: false },
    ),
  },
  { requiredKeys: [] },
)

const someRequest: fc.Arbitrary<ChatRequest> = fc
  .tuple(
    fc.constantFrom(...Object.values(requests)),
    settings,
    fc.constantFrom<Partial<ChatRequest>>(
      {},
      { tools: [weather] },
      { tools: [weather], toolChoice: 'required' },
      { responseFormat: { type: 'json-schema', schema: { type: 'object', properties: {} } } },
      { stream: true },
    ),
  )
  .map(([request, own, more]) => ({ ...request, ...own, ...more }))

function recognised(body: JsonObject): Dialect | undefined {
  return allDialects.find((dialect) => dialect.shapeOf(body) === 'request')
}

describe.for(allDialects.map((dialect) => [dialect.id, dialect] as const))('%s', ([, dialect]) => {
  test('is recognised, or read as something that means the same', () => {
    fc.assert(
      fc.property(someRequest, (request) => {
        const body = dialect.encodeRequest(request)
        const found = recognised(body)
        expect(found).toBeDefined()
        if (found && found !== dialect) {
          expect(found.decodeRequest(body), found.id).toEqual(dialect.decodeRequest(body))
        }
      }),
      { numRuns: 400 },
    )
  })
})

test('the order in which dialects are listed changes nothing', () => {
  const dialect = fc.constantFrom(...allDialects)
  const response = fc.constantFrom(...Object.values(responses))
  const bodies = fc.oneof(
    fc.tuple(dialect, someRequest).map(([{ encodeRequest }, request]) => encodeRequest(request)),
    fc.tuple(dialect, response).map(([{ encodeResponse }, reply]) => encodeResponse(reply)),
  )
  const listed = fc.shuffledSubarray([...allDialects], { minLength: allDialects.length })
  fc.assert(
    fc.property(bodies, listed, (body, dialects) => {
      const firstOf = (list: readonly Dialect[]) =>
        list.find(({ shapeOf }) => shapeOf(body) !== undefined)?.id
      expect(firstOf(recognitionOrder(dialects))).toBe(firstOf(allDialects))
    }),
    { numRuns: 4000 },
  )
})

const messages = [{ role: 'user', content: 'Hi' }]
const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }]

test.for<[dialect: string, body: JsonObject]>([
  ['anthropic', { messages, max_tokens: 9, thinking: { type: 'enabled', budget_tokens: 2000 } }],
  ['anthropic', { messages, max_tokens: 9, thinking: { type: 'adaptive' } }],
  ['anthropic', { messages, max_tokens: 9, top_k: 5 }],
  ['anthropic', { messages, max_tokens: 9, service_tier: 'standard_only' }],
  ['anthropic', { messages, max_tokens: 9, metadata: { user_id: 'u' } }],
  ['anthropic', { messages, max_tokens: 9, stop_sequences: ['END'] }],
  ['anthropic', { messages, max_tokens: 9, output_config: { effort: 'low' } }],
  ['anthropic', { messages, max_tokens: 9, tool_choice: { type: 'auto' } }],
  [
    'anthropic',
    {
      model: 'claude-opus-4-6',
      max_tokens: 32_000,
      messages,
      thinking: { type: 'enabled', budget_tokens: 31_999 },
      top_k: 4,
      metadata: { user_id: 'u' },
      stream: true,
    },
  ],
  ['openai-chat', { messages, thinking: { type: 'enabled' } }],
  [
    'openai-chat',
    { messages: [{ role: 'system', content: 'Hi' }, ...messages], thinking: { type: 'disabled' } },
  ],
  ['openai-chat', { messages, top_k: 5, min_p: 0.1 }],
  [
    'openai-chat',
    { messages: [...messages, { role: 'assistant', content: null, tool_calls: calls }], top_k: 5 },
  ],
  ['openai-chat', { messages, metadata: { user_id: 'u' }, store: true }],
  ['cohere', { messages, thinking: { type: 'enabled', token_budget: 500 } }],
  ['cohere', { messages, seed: 3, stop_sequences: ['END'] }],
  ['ollama', { messages, think: 'high' }],
  ['mistral', { messages, random_seed: 3 }],
  ['bedrock', { messages: [], additionalModelRequestFields: { thinking: { type: 'adaptive' } } }],
  ['openai-responses', { input: 'Hi', reasoning: { effort: 'low' } }],
  ['google-interactions', { input: 'Hi', generation_config: { thinking_level: 'low' } }],
])('%s: %j', ([id, body]) => {
  expect(recognised(body)?.id).toBe(id)
})

test('transcode recognises it as well', () => {
  const thinking = { type: 'enabled', budget_tokens: 2000 }
  const body = { model: 'm', max_tokens: 9000, messages, thinking, top_k: 7 }
  expect(transcode(body, { to: 'gemini' })).toMatchObject({
    generationConfig: { topK: 7, thinkingConfig: { thinkingBudget: 2000 } },
  })
  expect(getDialect('anthropic').shapeOf(body)).toBe('request')
})
