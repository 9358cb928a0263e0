/** LangChain with its package for OpenAI, over both of OpenAI's APIs. */
import {
  type BaseMessage,
  HumanMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { expect } from 'vitest'
import {
  type Ask,
  type Client,
  clientContract,
  DESCRIPTION,
  PARAMETERS,
  runWeather,
  TOOL_NAME,
  type Turn,
} from './client-contract.ts'

const weather = tool(async (args: unknown) => runWeather(args), {
  name: TOOL_NAME,
  description: DESCRIPTION,
  schema: PARAMETERS,
})

function modelOf({ url, key, model, withTools }: Ask, useResponsesApi: boolean) {
  const chat = new ChatOpenAI({
    model,
    apiKey: key,
    maxRetries: 0,
    useResponsesApi,
    configuration: { baseURL: `${url}/v1` },
  })
  return withTools ? chat.bindTools([weather]) : chat
}

type Reply = Awaited<ReturnType<ChatOpenAI['invoke']>>

/** In one piece or in many, which it can put together itself. */
async function answer(
  ask: Ask,
  useResponsesApi: boolean,
  messages: BaseMessage[],
): Promise<[message: Reply, finishes: number]> {
  const model = modelOf(ask, useResponsesApi)
  if (!ask.streamed) return [await model.invoke(messages), 1]
  let whole: Reply | undefined
  let finishes = 0
  for await (const piece of await model.stream(messages)) {
    if (finishOf(piece) !== undefined) finishes++
    whole = whole ? whole.concat(piece) : piece
  }
  if (!whole) throw new Error('nothing came')
  return [whole, finishes]
}

/** Its types do not say what it has from OpenAI. */
interface Told {
  readonly finish_reason?: string
  readonly status?: string
  readonly incomplete_details?: { readonly reason?: string } | null
}

function finishOf({ response_metadata: told }: Reply): string | undefined {
  const { finish_reason: reason, status, incomplete_details: incomplete }: Told = told
  return reason ?? incomplete?.reason ?? status
}

function counts(usage: UsageMetadata | undefined): Turn['usage'] {
  return { input: usage?.input_tokens, output: usage?.output_tokens }
}

function turnOf(message: Reply, finishes: number): Turn {
  const { tool_calls: calls = [], invalid_tool_calls: invalid, usage_metadata: usage } = message
  expect(invalid ?? []).toEqual([])
  return {
    text: message.text,
    reasoning: message.contentBlocks
      .map((block) => (block.type === 'reasoning' ? block.reasoning : ''))
      .join(''),
    calls: calls.map(({ id, name, args }) => ({ id, name, arguments: args })),
    finish: finishOf(message),
    finishes,
    usage: counts(usage),
  }
}

function client(
  name: string,
  useResponsesApi: boolean,
  own: Pick<Client, 'lane' | 'finish'>,
): Client {
  return {
    name,
    ...own,
    expectNotFound: (error) =>
      expect(error).toMatchObject({ status: 404, code: 'model_not_found' }),
    expectUnauthorized: (error) =>
      expect(error).toMatchObject({ status: 401, code: 'invalid_api_key' }),
    async converse(ask) {
      const messages: BaseMessage[] = [new HumanMessage(ask.question)]
      const turns: Turn[] = []
      for (;;) {
        const [message, finishes] = await answer(ask, useResponsesApi, messages)
        turns.push(turnOf(message, finishes))
        const { tool_calls: calls = [] } = message
        if (calls.length === 0) return turns
        messages.push(message)
        for (const call of calls) {
          const result: unknown = await weather.invoke({ ...call, type: 'tool_call' })
          if (!ToolMessage.isInstance(result)) throw new Error('no message')
          messages.push(result)
        }
      }
    },
    async leave(ask) {
      const controller = new AbortController()
      const { signal } = controller
      const stream = await modelOf(ask, useResponsesApi).stream([new HumanMessage(ask.question)], {
        signal,
      })
      await expect(async () => {
        for await (const { text } of stream) if (text !== '') controller.abort()
      }).rejects.toThrow()
    },
  }
}

clientContract(
  client('@langchain/openai, chat', false, {
    lane: 'pass',
    finish: { calls: 'tool_calls', stop: 'stop', length: 'length' },
  }),
)

clientContract(
  client('@langchain/openai, responses', true, {
    lane: 'translate',
    finish: { calls: 'completed', stop: 'completed', length: 'max_output_tokens' },
  }),
)
