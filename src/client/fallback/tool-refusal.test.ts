/** Models that turn out to have no native tools while a chain asks them. */
import { describe, expect, test } from 'vitest'
import type { ChatResponse } from '../../core/chat.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { ChatClient, ClientRequest } from '../chat-client.ts'
import { createClient } from '../create-client.ts'
import { createFallback, type FallbackOptions, type SwitchEvent } from '../fallback.ts'

const PLAIN: ClientRequest = { messages: [{ role: 'user', content: 'How deep is the lake?' }] }
const WITH_TOOLS: ClientRequest = {
  ...PLAIN,
  tools: [
    { name: 'sound', inputSchema: { type: 'object', properties: { lake: { type: 'string' } } } },
  ],
}
const IN_TEXT = '~~~tool_call\n{"name": "sound", "arguments": {"lake": "Eibsee"}}\n~~~'

interface Service {
  readonly client: ChatClient
  /** For each request, whether it had tools. */
  readonly asked: boolean[]
}

function service(
  provider: string,
  answer: (hasTools: boolean, streamed: boolean) => Response,
  more: { readonly toolMode?: 'auto' | 'native' | 'text' } = {},
): Service {
  const asked: boolean[] = []
  const client = createClient({
    provider,
    model: `${provider}-model`,
    apiKey: 'key-for-tests',
    env: {},
    ...more,
    fetch: async (_, init) => {
      const body: unknown = JSON.parse(String(init?.body))
      if (!isJsonObject(body)) throw new TypeError('the request has no body')
      const hasTools = Array.isArray(body['tools'])
      asked.push(hasTools)
      return answer(hasTools, body['stream'] === true)
    },
  })
  return { client, asked }
}

/** An Ollama model that refuses tools, and writes its calls as text when asked to. */
function withoutTools(more?: { readonly toolMode?: 'auto' | 'native' | 'text' }): Service {
  const reply = {
    message: { role: 'assistant', content: IN_TEXT },
    done: true,
    done_reason: 'stop',
  }
  return service(
    'ollama',
    (hasTools) =>
      hasTools
        ? Response.json({ error: 'gemma3:1b does not support tools' }, { status: 400 })
        : Response.json(reply, { headers: { 'content-type': 'application/x-ndjson' } }),
    more,
  )
}

function withTools(): Service {
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'sound', arguments: '{"lake":"A"}' },
  }
  return service('openai', (_, streamed) => {
    const message = { role: 'assistant', content: null, tool_calls: [{ index: 0, ...call }] }
    if (!streamed) return Response.json({ choices: [{ message, finish_reason: 'tool_calls' }] })
    const chunk = { choices: [{ index: 0, delta: message, finish_reason: 'tool_calls' }] }
    const headers = { 'content-type': 'text/event-stream' }
    return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, { headers })
  })
}

const failing = (): Service =>
  service('openai', () => Response.json({ error: { message: 'down' } }, { status: 500 }))

function originsOf({ message }: ChatResponse): (string | undefined)[] {
  return (message.toolCalls ?? []).map(({ origin }) => origin)
}

const WAYS = [
  ['whole', (chain: ChatClient, request: ClientRequest) => chain.complete(request)],
  ['streamed', (chain: ChatClient, request: ClientRequest) => chain.stream(request).response],
] as const

describe.each(WAYS)('%s', (_, ask) => {
  function chainOf(services: readonly Service[], options: FallbackOptions = {}) {
    const switches: string[] = []
    const onSwitch = ({ from, to, error }: SwitchEvent): number =>
      switches.push(`${from.provider} → ${to.provider}: ${error.code}`)
    const clients = services.map(({ client }) => client)
    return { chain: createFallback(clients, { retries: 0, onSwitch, ...options }), switches }
  }

  test('a model that refuses tools is left for the next that has them', async () => {
    const [first, second] = [withoutTools(), withTools()]
    const { chain, switches } = chainOf([first, second])
    expect(originsOf(await ask(chain, WITH_TOOLS))).toEqual(['native'])
    expect([first.asked, second.asked]).toEqual([[true], [true]])
    expect(switches).toEqual(['ollama → openai: unsupported'])
    await ask(chain, WITH_TOOLS)
    expect([first.asked, second.asked]).toEqual([[true], [true, true]])
  })

  test('it still answers requests without tools, and is not left alone', async () => {
    const [first, second] = [withoutTools(), withTools()]
    const { chain } = chainOf([first, second])
    await ask(chain, WITH_TOOLS)
    expect((await ask(chain, PLAIN)).message.content).toBe(IN_TEXT)
    expect(first.asked).toEqual([true, false])
    expect(chain.health()[0]).toMatchObject({ provider: 'ollama', state: 'ready' })
  })

  test('when no client of the chain has tools, the first answers in text mode', async () => {
    const [first, second] = [withoutTools(), withoutTools()]
    const { chain } = chainOf([first, second])
    expect(originsOf(await ask(chain, WITH_TOOLS))).toEqual(['text'])
    expect([first.asked, second.asked]).toEqual([[true, false], [true]])
    expect(originsOf(await ask(chain, WITH_TOOLS))).toEqual(['text'])
    expect([first.asked, second.asked]).toEqual([[true, false, false], [true]])
  })

  test('a client with tools that fails is no reason for text mode', async () => {
    const [first, second] = [withoutTools(), failing()]
    await expect(ask(chainOf([first, second]).chain, WITH_TOOLS)).rejects.toMatchObject({
      code: 'server_error',
    })
    expect(first.asked).toEqual([true])
  })

  test("toolFallback: 'text' lets it answer at once", async () => {
    const [first, second] = [withoutTools(), withTools()]
    const { chain } = chainOf([first, second], { toolFallback: 'text' })
    expect(originsOf(await ask(chain, WITH_TOOLS))).toEqual(['text'])
    expect([first.asked, second.asked]).toEqual([[true, false], []])
  })

  test('a client that may not use text mode is not asked to', async () => {
    const first = withoutTools({ toolMode: 'native' })
    await expect(ask(chainOf([first]).chain, WITH_TOOLS)).rejects.toMatchObject({
      code: 'unsupported',
    })
    expect(first.asked).toEqual([true])
  })

  test('a chain inside a chain keeps the rule', async () => {
    const [first, second] = [withoutTools(), withTools()]
    const inner = createFallback([first.client], { retries: 0 })
    const chain = createFallback([inner, second.client], { retries: 0 })
    expect(originsOf(await ask(chain, WITH_TOOLS))).toEqual(['native'])
    expect([first.asked, second.asked]).toEqual([[true], [true]])
  })

  test('two requests at the same time keep it as well', async () => {
    const [first, second] = [withoutTools(), withTools()]
    const { chain } = chainOf([first, second])
    const both = await Promise.all([ask(chain, WITH_TOOLS), ask(chain, WITH_TOOLS)])
    expect(both.map(originsOf)).toEqual([['native'], ['native']])
  })

  test('the client alone goes on in text mode by itself', async () => {
    const { client, asked } = withoutTools()
    expect(originsOf(await ask(client, WITH_TOOLS))).toEqual(['text'])
    expect(asked).toEqual([true, false])
  })
})
