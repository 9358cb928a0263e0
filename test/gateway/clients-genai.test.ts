/** The official client of Google. */
import {
  ApiError,
  type Content,
  type FunctionCall,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai'
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

const TOOL = {
  functionDeclarations: [
    { name: TOOL_NAME, description: DESCRIPTION, parametersJsonSchema: PARAMETERS },
  ],
}

function connect({ url, key }: Ask): GoogleGenAI {
  return new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } })
}

/** A reply and what it is made of, from one response or from many. */
function turnOf(responses: readonly GenerateContentResponse[]): [turn: Turn, content: Content] {
  const parts = responses.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
  const finishes = responses.flatMap(({ candidates }) => candidates?.[0]?.finishReason ?? [])
  const usage = responses.at(-1)?.usageMetadata
  const textIn = (isThought: boolean): string =>
    parts.map(({ text = '', thought = false }) => (thought === isThought ? text : '')).join('')
  const calls = responses.flatMap(({ functionCalls = [] }) => functionCalls)
  return [
    {
      text: textIn(false),
      reasoning: textIn(true),
      calls: calls.map(({ id, name = '', args }) => ({ id, name, arguments: args })),
      finish: finishes[0],
      finishes: finishes.length,
      usage: { input: usage?.promptTokenCount, output: usage?.candidatesTokenCount },
    },
    { role: 'model', parts },
  ]
}

function resultOf({ id, name = '', args }: FunctionCall): Part {
  const response = { output: runWeather(args) }
  return { functionResponse: { ...(id !== undefined && { id }), name, response } }
}

async function generate(ask: Ask, contents: Content[]): Promise<GenerateContentResponse[]> {
  const { model, withTools, streamed } = ask
  const request = { model, contents, ...(withTools && { config: { tools: [TOOL] } }) }
  const { models } = connect(ask)
  if (!streamed) return [await models.generateContent(request)]
  const responses: GenerateContentResponse[] = []
  for await (const piece of await models.generateContentStream(request)) responses.push(piece)
  return responses
}

function expectStatus(error: unknown, status: number): void {
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status })
}

const client: Client = {
  name: '@google/genai',
  lane: 'translate',
  finish: { calls: 'STOP', stop: 'STOP', length: 'MAX_TOKENS' },
  expectNotFound: (error) => expectStatus(error, 404),
  expectUnauthorized: (error) => expectStatus(error, 401),
  async converse(ask) {
    const contents: Content[] = [{ role: 'user', parts: [{ text: ask.question }] }]
    const turns: Turn[] = []
    for (;;) {
      const responses = await generate(ask, contents)
      const [turn, content] = turnOf(responses)
      turns.push(turn)
      const calls = responses.flatMap(({ functionCalls = [] }) => functionCalls)
      if (calls.length === 0) return turns
      contents.push(content, { role: 'user', parts: calls.map(resultOf) })
    }
  },
  async leave(ask) {
    const { model, question: contents } = ask
    const { signal: abortSignal, abort } = control()
    const config = { abortSignal }
    const stream = await connect(ask).models.generateContentStream({ model, contents, config })
    await expect(async () => {
      for await (const { text } of stream) if (text) abort()
    }).rejects.toThrow()
  },
}

function control(): { signal: AbortSignal; abort(): void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

clientContract(client)

describe('@google/genai, chats', () => {
  const ask = loopAsk()

  test.for(FORMATS)('demo/%s', async (id) => {
    const { model, question, ...connection } = ask(id)
    const { chats } = connect({ model, question, ...connection })
    const whole = chats.create({ model, config: { tools: [TOOL] } })
    const { functionCalls = [] } = await whole.sendMessage({ message: question })
    const answer = await whole.sendMessage({ message: functionCalls.map(resultOf) })
    expect(answer.text).toBe(answersOf(1))

    const streamed = chats.create({ model, config: { tools: [TOOL] } })
    const calls: FunctionCall[] = []
    for await (const piece of await streamed.sendMessageStream({ message: question })) {
      calls.push(...(piece.functionCalls ?? []))
    }
    const texts: string[] = []
    for await (const piece of await streamed.sendMessageStream({ message: calls.map(resultOf) })) {
      texts.push(piece.text ?? '')
    }
    expect(texts.join('')).toBe(answersOf(1))
  })
})

describe('@google/genai, besides', () => {
  const ask = loopAsk()

  test('the models there are', async () => {
    const { model, ...connection } = ask('hermes')
    const names: (string | undefined)[] = []
    for await (const { name } of await connect({ model, ...connection }).models.list()) {
      names.push(name)
    }
    expect(names).toContain(`models/${model}`)
  })
})
