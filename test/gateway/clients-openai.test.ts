/** The official client of OpenAI, in both of its APIs. */
import OpenAI from 'openai'
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

function connect({ url, key }: Ask): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
}

function expectNotFound(error: unknown): void {
  expect(error).toBeInstanceOf(OpenAI.NotFoundError)
  expect(error).toMatchObject({ status: 404, code: 'model_not_found' })
}

function expectUnauthorized(error: unknown): void {
  expect(error).toBeInstanceOf(OpenAI.AuthenticationError)
  expect(error).toMatchObject({ status: 401, code: 'invalid_api_key' })
}

// ── chat ────────────────────────────────────────────────────────────────────────────────────────

const CHAT_TOOL = {
  type: 'function' as const,
  function: { name: TOOL_NAME, description: DESCRIPTION, parameters: PARAMETERS },
}

type Completion = OpenAI.ChatCompletion

function chatTurn(
  { choices, usage }: Pick<Completion, 'choices' | 'usage'>,
  finishes: number,
): Turn {
  expect(choices).toHaveLength(1)
  const { message, finish_reason: finish } = choices[0] ?? {}
  const calls = functionCalls(message)
  return {
    text: message?.content ?? '',
    calls: calls.map(({ id, function: { name, arguments: json } }) => {
      return { id, name, arguments: JSON.parse(json) }
    }),
    finish,
    finishes,
    usage: { input: usage?.prompt_tokens, output: usage?.completion_tokens },
  }
}

function functionCalls(message: OpenAI.ChatCompletionMessage | undefined) {
  return (message?.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []))
}

const chat: Client = {
  name: 'openai, chat',
  lane: 'pass',
  finish: { calls: 'tool_calls', stop: 'stop', length: 'length' },
  expectNotFound,
  expectUnauthorized,
  async converse(ask) {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: ask.question }]
    const turns: Turn[] = []
    for (;;) {
      const [completion, finishes] = await complete(ask, messages)
      turns.push(chatTurn(completion, finishes))
      const message = completion.choices[0]?.message
      const calls = functionCalls(message)
      if (!message || calls.length === 0) return turns
      messages.push(message)
      for (const { id, function: called } of calls) {
        const content = runWeather(JSON.parse(called.arguments))
        messages.push({ role: 'tool', tool_call_id: id, content })
      }
    }
  },
  async leave(ask) {
    const { model, question } = ask
    const messages = [{ role: 'user' as const, content: question }]
    const stream = await connect(ask).chat.completions.create({ model, messages, stream: true })
    for await (const _ of stream) break
  },
}

async function complete(
  ask: Ask,
  messages: OpenAI.ChatCompletionMessageParam[],
): Promise<[completion: Completion, finishes: number]> {
  const { model, streamed, withTools } = ask
  const { completions } = connect(ask).chat
  const request = { model, messages, ...(withTools && { tools: [CHAT_TOOL] }) }
  if (!streamed) return [await completions.create(request), 1]
  const stream = completions.stream({ ...request, stream_options: { include_usage: true } })
  let finishes = 0
  for await (const { choices } of stream) {
    for (const choice of choices) if (choice.finish_reason) finishes++
  }
  return [await stream.finalChatCompletion(), finishes]
}

clientContract(chat, true)

// ── responses ───────────────────────────────────────────────────────────────────────────────────

const RESPONSES_TOOL = {
  type: 'function' as const,
  name: TOOL_NAME,
  description: DESCRIPTION,
  parameters: PARAMETERS,
  strict: false,
}

function responseTurn(response: OpenAI.Responses.Response, finishes: number): Turn {
  const { output, usage, status, incomplete_details: incomplete } = response
  return {
    text: response.output_text,
    reasoning: output
      .flatMap((item) =>
        item.type === 'reasoning' ? [...item.summary, ...(item.content ?? [])] : [],
      )
      .map(({ text }) => text)
      .join(''),
    calls: calledIn(response).map(({ call_id: id, name, arguments: json }) => {
      return { id, name, arguments: JSON.parse(json) }
    }),
    finish: incomplete?.reason ?? status,
    finishes,
    usage: { input: usage?.input_tokens, output: usage?.output_tokens },
  }
}

/** Some items of a reply, none of them ours, may not be sent back. */
function asInput(item: OpenAI.Responses.ResponseOutputItem) {
  const isOurs = item.type === 'message' || item.type === 'function_call'
  return isOurs || item.type === 'reasoning' ? [item] : []
}

function calledIn({ output }: OpenAI.Responses.Response) {
  return output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
}

const responses: Client = {
  name: 'openai, responses',
  lane: 'translate',
  finish: { calls: 'completed', stop: 'completed', length: 'max_output_tokens' },
  expectNotFound,
  expectUnauthorized,
  async converse(ask) {
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: ask.question }]
    const turns: Turn[] = []
    for (;;) {
      const [response, finishes] = await respond(ask, input)
      turns.push(responseTurn(response, finishes))
      const calls = calledIn(response)
      if (calls.length === 0) return turns
      input.push(...response.output.flatMap(asInput))
      for (const { call_id, arguments: json } of calls) {
        const output = runWeather(JSON.parse(json))
        input.push({ type: 'function_call_output', call_id, output })
      }
    }
  },
  async leave(ask) {
    const { model, question: input } = ask
    const stream = await connect(ask).responses.create({ model, input, stream: true })
    for await (const { type } of stream) if (type === 'response.output_text.delta') break
  },
}

async function respond(
  ask: Ask,
  input: OpenAI.Responses.ResponseInput,
): Promise<[response: OpenAI.Responses.Response, finishes: number]> {
  const { model, streamed, withTools } = ask
  const client = connect(ask)
  const request = { model, input, ...(withTools && { tools: [RESPONSES_TOOL] }) }
  if (!streamed) return [await client.responses.create(request), 1]
  const stream = client.responses.stream(request)
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  const response = await stream.finalResponse()
  const [created] = events
  expect(created).toMatchObject({ type: 'response.created', response: { id: response.id } })
  expectInOrder(events, response)
  const finishes = events.filter(({ type }) => /^response\.(?:completed|incomplete)$/.test(type))
  return [response, finishes.length]
}

/** Every item begins and ends once, and what came in pieces is what stands there in the end. */
function expectInOrder(
  events: readonly OpenAI.Responses.ResponseStreamEvent[],
  { output }: OpenAI.Responses.Response,
): void {
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, at) => at))
  const done = events.flatMap((event) =>
    event.type === 'response.output_item.done' ? [[event.output_index, event.item.id]] : [],
  )
  expect(done).toEqual(output.map(({ id }, at) => [at, id]))
  const added = events.flatMap((event) =>
    event.type === 'response.output_item.added' ? [[event.output_index, event.item.id]] : [],
  )
  expect(added).toEqual(done)
  for (const [at, item] of output.entries()) {
    if (item.type !== 'function_call') continue
    const deltas = events.flatMap((event) =>
      event.type === 'response.function_call_arguments.delta' && event.output_index === at
        ? [event.delta]
        : [],
    )
    expect(deltas.join('')).toBe(item.arguments)
  }
}

clientContract(responses, true)

// ── the loop that the client runs itself ────────────────────────────────────────────────────────

describe('openai, runTools', () => {
  const ask = loopAsk()
  const tool = {
    type: 'function' as const,
    function: {
      ...CHAT_TOOL.function,
      parse: (json: string): unknown => JSON.parse(json),
      function: runWeather,
    },
  }

  test.for(FORMATS)('demo/%s', async (id) => {
    const { model, question, ...connection } = ask(id)
    const messages = [{ role: 'user' as const, content: question }]
    const { completions } = connect({ model, question, ...connection }).chat
    const request = { model, messages, tools: [tool] }
    const runners = [
      completions.runTools(request),
      completions.runTools({ ...request, stream: true }),
    ]
    for (const runner of runners) {
      expect(await runner.finalContent()).toBe(answersOf(1))
      const finishes = runner.allChatCompletions().map(({ choices }) => choices[0]?.finish_reason)
      expect(finishes).toEqual(['tool_calls', 'stop'])
    }
  })
})

// ── and the rest ────────────────────────────────────────────────────────────────────────────────

describe('openai, besides', () => {
  const ask = loopAsk()

  test('a reply by its id instead of the conversation', async () => {
    const { model, question: input, ...connection } = ask('hermes')
    const api = connect({ model, question: input, ...connection }).responses
    const tools = [RESPONSES_TOOL]
    const first = await api.create({ model, input, tools })
    const streamed = await api.stream({ model, input, tools }).finalResponse()
    for (const reply of [first, streamed]) {
      const [call] = calledIn(reply)
      if (!call) throw new Error('no call')
      const output = runWeather(JSON.parse(call.arguments))
      const result = { type: 'function_call_output' as const, call_id: call.call_id, output }
      const request = { model, tools, input: [result], previous_response_id: reply.id }
      expect((await api.create(request)).output_text).toBe(answersOf(1))
      const unknown = api.create({ ...request, previous_response_id: 'resp_nobody' })
      await expect(unknown).rejects.toBeInstanceOf(OpenAI.BadRequestError)
      await expect(unknown).rejects.toMatchObject({
        code: 'previous_response_not_found',
        param: 'previous_response_id',
      })
    }
  })

  test('what is referred to and not known is refused, but for thoughts', async () => {
    const { model, question, ...connection } = ask('echo')
    const api = connect({ model, question, ...connection }).responses
    const refer = (id: string) =>
      api.create({
        model,
        input: [
          { type: 'item_reference', id },
          { role: 'user', content: 'Hm' },
        ],
      })
    await expect(refer('msg_nobody')).rejects.toThrow("Item with id 'msg_nobody' not found")
    expect((await refer('rs_nobody')).output_text).toBe('Hm')
  })

  test('ids are never given twice in a conversation', async () => {
    for (const id of ['solar', 'kimi-k2', 'hermes']) {
      const asked = ask(id)
      const messages: OpenAI.ChatCompletionMessageParam[] = []
      const ids: string[] = []
      for (const question of [asked.question, 'And the weather in "Rome"?']) {
        messages.push({ role: 'user', content: question })
        const [{ choices }] = await complete(asked, messages)
        const message = choices[0]?.message
        if (!message) throw new Error('no message')
        messages.push(message)
        for (const { id: callId } of functionCalls(message)) {
          ids.push(callId)
          messages.push({ role: 'tool', tool_call_id: callId, content: 'rain' })
        }
        messages.push({ role: 'assistant', content: 'It rains.' })
      }
      expect(new Set(ids).size).toBe(2)
    }
  })

  test('the models there are', async () => {
    const { model, ...connection } = ask('hermes')
    const client = connect({ model, ...connection })
    const ids: string[] = []
    for await (const { id } of client.models.list()) ids.push(id)
    expect(ids).toContain(model)
    expect((await client.models.retrieve(model)).id).toBe(model)
  })
})
