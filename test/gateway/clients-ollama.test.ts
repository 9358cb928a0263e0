/** The official client of Ollama. */
import { type ChatResponse, type Message, Ollama, type Tool } from 'ollama'
import { describe, expect, test } from 'vitest'
import {
  type Ask,
  type Client,
  clientContract,
  DESCRIPTION,
  loopAsk,
  PARAMETERS,
  runWeather,
  TOOL_NAME,
  type Turn,
} from './client-contract.ts'

const TOOL: Tool = {
  type: 'function',
  function: { name: TOOL_NAME, description: DESCRIPTION, parameters: PARAMETERS },
}

function connect({ url, key }: Ask): Ollama {
  return new Ollama({ host: url, headers: { authorization: `Bearer ${key}` } })
}

/** What it cannot do itself: put the pieces of a stream together. */
function join(pieces: readonly ChatResponse[]): ChatResponse {
  const last = pieces.at(-1)
  if (!last) throw new Error('nothing came')
  const messages = pieces.map(({ message }) => message)
  const thinking = messages.map((message) => message.thinking ?? '').join('')
  const calls = messages.flatMap((message) => message.tool_calls ?? [])
  const message: Message = {
    role: 'assistant',
    content: messages.map(({ content }) => content).join(''),
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return { ...last, message }
}

async function chat(
  ask: Ask,
  messages: Message[],
): Promise<[reply: ChatResponse, finishes: number]> {
  const { model, withTools, streamed } = ask
  const request = { model, messages, ...(withTools && { tools: [TOOL] }) }
  if (!streamed) return [await connect(ask).chat(request), 1]
  const pieces: ChatResponse[] = []
  for await (const piece of await connect(ask).chat({ ...request, stream: true })) {
    pieces.push(piece)
  }
  expect(pieces.at(-1)?.done).toBe(true)
  return [join(pieces), pieces.filter(({ done }) => done).length]
}

function turnOf(reply: ChatResponse, finishes: number): Turn {
  const { message, done_reason: finish } = reply
  return {
    text: message.content,
    reasoning: message.thinking,
    calls: (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => {
      return { id: undefined, name, arguments: args }
    }),
    finish,
    finishes,
    usage: { input: reply.prompt_eval_count, output: reply.eval_count },
  }
}

function expectStatus(error: unknown, status: number): void {
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ name: 'ResponseError', status_code: status })
}

const client: Client = {
  name: 'ollama',
  lane: 'translate',
  finish: { calls: 'stop', stop: 'stop', length: 'length' },
  expectNotFound: (error) => expectStatus(error, 404),
  expectUnauthorized: (error) => expectStatus(error, 401),
  async converse(ask) {
    const messages: Message[] = [{ role: 'user', content: ask.question }]
    const turns: Turn[] = []
    for (;;) {
      const [reply, finishes] = await chat(ask, messages)
      turns.push(turnOf(reply, finishes))
      const calls = reply.message.tool_calls ?? []
      if (calls.length === 0) return turns
      messages.push(reply.message)
      for (const { function: called } of calls) {
        const content = runWeather(called.arguments)
        messages.push({ role: 'tool', tool_name: called.name, content })
      }
    }
  },
  async leave(ask) {
    const { model, question } = ask
    const messages = [{ role: 'user', content: question }]
    const stream = await connect(ask).chat({ model, messages, stream: true })
    await expect(async () => {
      for await (const { message } of stream) if (message.content !== '') stream.abort()
    }).rejects.toMatchObject({ name: 'AbortError' })
  },
}

clientContract(client)

describe('ollama, besides chat', () => {
  const ask = loopAsk()

  test('generate', async () => {
    const { model, ...connection } = ask('echo')
    const request = { model, prompt: 'Good morning!' }
    const whole = await connect({ model, ...connection }).generate(request)
    expect(whole).toMatchObject({ response: request.prompt, done: true, done_reason: 'stop' })
    const pieces: string[] = []
    const stream = await connect({ model, ...connection }).generate({ ...request, stream: true })
    for await (const { response = '' } of stream) pieces.push(response)
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join('')).toBe(request.prompt)
  })

  test('list and version', async () => {
    const { model, ...connection } = ask('hermes')
    const { models } = await connect({ model, ...connection }).list()
    expect(models.map(({ name }) => name)).toContain(model)
    const version: unknown = expect.stringMatching(/^\d+\.\d+/)
    expect(await connect({ model, ...connection }).version()).toMatchObject({ version })
  })
})
