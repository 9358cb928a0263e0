/** The official client of Anthropic. */
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { describe, expect, test } from 'vitest'
import {
  type Ask,
  answersOf,
  type Client,
  clientContract,
  DESCRIPTION,
  FORMATS,
  loopAsk,
  PARAMETERS,
  runWeather,
  TOOL_NAME,
  type Turn,
} from './client-contract.ts'

const TOOL = { name: TOOL_NAME, description: DESCRIPTION, input_schema: PARAMETERS }
const MAX_TOKENS = 1000

function connect({ url, key }: Ask): Anthropic {
  return new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 })
}

function turnOf(message: Anthropic.Message, finishes: number): Turn {
  const { content, usage, stop_reason: finish } = message
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  // The API refuses such blocks when they come back.
  for (const text of texts) expect(text.trim()).not.toBe('')
  return {
    text: texts.join('\n'),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: calledIn(message).map(({ id, name, input }) => ({ id, name, arguments: input })),
    finish,
    finishes,
    usage: { input: usage.input_tokens, output: usage.output_tokens },
  }
}

function calledIn({ content }: Anthropic.Message) {
  return content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
}

async function answer(
  ask: Ask,
  messages: Anthropic.MessageParam[],
): Promise<[message: Anthropic.Message, finishes: number]> {
  const { model, streamed, withTools } = ask
  const client = connect(ask)
  const tools = withTools ? { tools: [TOOL] } : {}
  const request = { model, max_tokens: MAX_TOKENS, messages, ...tools }
  if (!streamed) return [await client.messages.create(request), 1]
  const stream = client.messages.stream(request)
  const events: Anthropic.MessageStreamEvent[] = []
  for await (const event of stream) events.push(event)
  expectInOrder(events)
  return [await stream.finalMessage(), events.filter(({ type }) => type === 'message_stop').length]
}

/** A message, its blocks one after the other, and the end, each with its own frames in between. */
function expectInOrder(events: readonly Anthropic.MessageStreamEvent[]): void {
  const line = events.map((event) =>
    'index' in event ? `${event.type} ${event.index}` : event.type,
  )
  const blocks = events.filter(({ type }) => type === 'content_block_start').length
  const expected = Array.from({ length: blocks }, (_, at) => [
    `content_block_start ${at}`,
    `content_block_stop ${at}`,
  ])
  expect(line.filter((one) => !one.startsWith('content_block_delta'))).toEqual([
    'message_start',
    ...expected.flat(),
    'message_delta',
    'message_stop',
  ])
}

const client: Client = {
  name: '@anthropic-ai/sdk',
  lane: 'translate',
  finish: { calls: 'tool_use', stop: 'end_turn', length: 'max_tokens' },
  expectNotFound(error) {
    expect(error).toBeInstanceOf(Anthropic.NotFoundError)
    expect(error).toMatchObject({ status: 404, error: { error: { type: 'not_found_error' } } })
  },
  expectUnauthorized(error) {
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError)
    expect(error).toMatchObject({ status: 401, error: { error: { type: 'authentication_error' } } })
  },
  async converse(ask) {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: ask.question }]
    const turns: Turn[] = []
    for (;;) {
      const [message, finishes] = await answer(ask, messages)
      turns.push(turnOf(message, finishes))
      const calls = calledIn(message)
      if (message.stop_reason !== 'tool_use') return turns
      messages.push({ role: 'assistant', content: message.content })
      messages.push({
        role: 'user',
        content: calls.map(({ id, input }) => {
          return { type: 'tool_result', tool_use_id: id, content: runWeather(input) }
        }),
      })
    }
  },
  async leave(ask) {
    const { model, question } = ask
    const messages = [{ role: 'user' as const, content: question }]
    const request = { model, max_tokens: MAX_TOKENS, messages }
    const stream = await connect(ask).messages.create({ ...request, stream: true })
    for await (const { type } of stream) if (type === 'content_block_delta') break
  },
}

clientContract(client)

describe('@anthropic-ai/sdk, toolRunner', () => {
  const ask = loopAsk()
  const tool = betaTool({
    name: TOOL_NAME,
    description: DESCRIPTION,
    inputSchema: PARAMETERS,
    run: runWeather,
  })

  test.for(FORMATS)('demo/%s', async (id) => {
    const { model, question, ...connection } = ask(id)
    const messages = [{ role: 'user' as const, content: question }]
    const api = connect({ model, question, ...connection }).beta.messages
    const request = { model, max_tokens: MAX_TOKENS, messages, tools: [tool] }
    const finals = [
      await api.toolRunner(request).runUntilDone(),
      await api.toolRunner({ ...request, stream: true }).runUntilDone(),
    ]
    for (const { content, stop_reason: finish } of finals) {
      expect(content).toMatchObject([{ type: 'text', text: answersOf(1) }])
      expect(finish).toBe('end_turn')
    }
  })
})

describe('@anthropic-ai/sdk, besides', () => {
  const ask = loopAsk()

  test('the number of tokens', async () => {
    const { model, question, ...connection } = ask('hermes')
    const client = connect({ model, question, ...connection })
    const messages = [{ role: 'user' as const, content: question }]
    const counted = await client.messages.countTokens({ model, messages, tools: [TOOL] })
    expect(counted.input_tokens).toBeGreaterThan(10)
  })

  test('the models there are', async () => {
    const { model, ...connection } = ask('hermes')
    const ids: string[] = []
    for await (const { id } of connect({ model, ...connection }).models.list()) ids.push(id)
    expect(ids).toContain(model)
  })
})
