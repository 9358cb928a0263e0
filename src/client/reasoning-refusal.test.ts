import { describe, expect, test } from 'vitest'
import { createClient } from './create-client.ts'
import { ProviderError } from './errors.ts'
import { refusesReasoning } from './reasoning-refusal.ts'

describe('a refusal of reasoning', () => {
  test.for([
    '"qwen3-coder:30b" does not support thinking',
    'Unrecognized request argument supplied: reasoning_effort',
    "Unsupported value: 'reasoning_effort' does not support 'none' with this model.",
    'thinking.type: Extra inputs are not permitted',
    "property 'reasoning_effort' is unsupported",
    "reasoning_effort: Input should be 'low', 'medium' or 'high'",
  ])('%s', (message) => {
    expect(refusesReasoning(new ProviderError('bad_request', message))).toBe(true)
  })

  test.for([
    ['bad_request', 'The reasoning_content in the thinking mode must be passed back to the API.'],
    ['bad_request', 'messages.1.content.0: Invalid `signature` in `thinking` block'],
    ['bad_request', 'messages: at least one message is required'],
    ['rate_limited', 'reasoning is not available right now'],
  ] as const)('is not this %s: %s', ([code, message]) => {
    expect(refusesReasoning(new ProviderError(code, message))).toBe(false)
  })
})

test('a model that refuses reasoning is asked without it, now and later', async () => {
  const sent: Record<string, unknown>[] = []
  const client = createClient({
    provider: 'ollama',
    model: 'qwen3-coder',
    env: {},
    retries: 0,
    fetch: async (_, init) => {
      const body = JSON.parse(String(init?.body)) as Record<string, unknown>
      sent.push(body)
      if (body['think'] === undefined) {
        return Response.json({ message: { role: 'assistant', content: 'Hi' }, done: true })
      }
      return Response.json({ error: '"qwen3-coder" does not support thinking' }, { status: 400 })
    },
  })
  const messages = [{ role: 'user', content: 'Hello' }] as const
  const first = await client.complete({ messages, reasoning: { effort: 'high' } })
  expect(sent.map(({ think }) => think)).toEqual(['high', undefined])
  expect(first.message.content).toBe('Hi')
  const message = 'qwen3-coder refused `reasoning`; it was left out'
  expect(first.issues).toEqual([{ code: 'not-expressible', message }])
  await client.complete({ messages, reasoning: { effort: 'high' } })
  expect(sent).toHaveLength(3)
})
