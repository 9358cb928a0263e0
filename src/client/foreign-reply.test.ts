import { describe, expect, it } from 'vitest'
import type { ChatResponse } from '../core/chat.ts'
import { allDialects } from '../dialects/registry.ts'
import { createClient } from './create-client.ts'

const REPLY: ChatResponse = {
  id: 'reply-1',
  model: 'scripted',
  message: {
    role: 'assistant',
    content: 'Let me look.',
    toolCalls: [{ id: 'call_1', name: 'read_file', arguments: { path: '/x' }, origin: 'native' }],
  },
  finishReason: 'tool-calls',
  usage: { inputTokens: 3, outputTokens: 2 },
  issues: [],
}

/** What a client of `anthropic` gets when its server answers with this body. */
function answerTo(body: unknown, stream: boolean): Promise<ChatResponse> {
  const client = createClient({
    provider: 'anthropic',
    model: 'scripted',
    apiKey: 'k',
    env: {},
    retries: 0,
    fetch: async () => Response.json(body),
  })
  const request = { messages: [{ role: 'user', content: 'Go.' } as const] }
  return stream ? client.stream(request).response : client.complete(request)
}

describe('a reply in the format of another API', () => {
  const others = allDialects.filter(({ id }) => id !== 'anthropic')

  it.for(others.flatMap(({ id }) => [[id, false] as const, [id, true] as const]))(
    'of %s is read, streamed: %s',
    async ([id, stream]) => {
      const dialect = others.find((one) => one.id === id)
      const { message, issues } = await answerTo(dialect?.encodeResponse(REPLY), stream)
      expect(message.content).toBe('Let me look.')
      expect(message.toolCalls).toMatchObject([{ name: 'read_file', arguments: { path: '/x' } }])
      expect(issues).toContainEqual({
        code: 'invalid-response',
        message: expect.stringContaining('was asked as anthropic and answered as'),
      })
    },
  )

  it('is an error where no API writes such a reply', async () => {
    await expect(answerTo({ hello: 'world' }, false)).rejects.toThrow('JSON of another shape')
  })
})
