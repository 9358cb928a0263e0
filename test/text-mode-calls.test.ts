/** A format that a model was asked for is read by its own rules: among other text, too, but not in examples. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runAgent } from '../src/agent/index.ts'
import { createClient } from '../src/client/create-client.ts'
import type { ChatRequest } from '../src/core/chat.ts'
import { createExtractor, extract } from '../src/extract.ts'
import { createGateway, type Gateway } from '../src/gateway/gateway.ts'
import { fetchSend } from '../src/gateway/web.ts'
import { allProtocols } from '../src/protocols/registry.ts'
import { startUpstream, type Upstream } from '../src/testing/upstream.ts'
import { tool } from '../src/tool.ts'
import { ask, askerNamed, replyIn } from './support/gateway-askers.ts'

let upstream: Upstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await startUpstream({ reply: 'Done.' })
  gateway = createGateway(
    {
      providers: {
        words: { provider: 'openai-compatible', baseUrl: `${upstream.url}/v1`, toolMode: 'text' },
      },
      models: Object.fromEntries(
        allProtocols.map(({ id }) => [id, { chain: ['words/m'], protocol: id }]),
      ),
    },
    { send: fetchSend(), env: {} },
  )
})
afterAll(async () => {
  await gateway.close()
  await upstream.close()
})

const inputSchema = {
  type: 'object',
  properties: { query: { type: 'string' }, limit: { type: 'integer' } },
  required: ['query'],
}
const tools = [{ name: 'search_files', inputSchema }]
const call = { name: 'search_files', arguments: { query: 'harbour', limit: 3 } }
const messages = [{ role: 'user', content: 'Find it.' }] as const
const clientFor = (protocol: string) =>
  createClient({
    provider: 'openai-compatible',
    model: 'm',
    baseUrl: `${upstream.url}/v1`,
    toolMode: 'text',
    protocol,
    retries: 0,
  })

const BEFORE = 'Let me search for it.\n'
const AFTER = '\nI will tell you what I find.'

describe.for(allProtocols.map((protocol) => [protocol.id, protocol] as const))(
  '%s',
  ([id, protocol]) => {
    const written = protocol.formatCall(call)
    const replies = [written, BEFORE + written, written + AFTER, BEFORE + written + AFTER]

    test('a client makes the call, whole and streamed', async () => {
      const client = clientFor(id)
      for (const reply of replies) {
        upstream.play({ reply, pieceLength: 3 })
        const whole = await client.complete({ messages, tools })
        const streamed = await client.stream({ messages, tools }).response
        for (const { message, finishReason } of [whole, streamed]) {
          expect(message.toolCalls, reply).toMatchObject([call])
          expect(finishReason).toBe('tool-calls')
          for (const said of [BEFORE, AFTER]) {
            if (reply.includes(said)) expect(message.content).toContain(said.trim())
          }
        }
      }
    })

    test('an agent runs the tool', async () => {
      upstream.play({ reply: BEFORE + written + AFTER }, { reply: 'Here it is.' })
      const given: unknown[] = []
      const { result } = runAgent({
        client: clientFor(id),
        prompt: 'Find it.',
        tools: [
          tool({
            name: 'search_files',
            inputSchema,
            execute: (args: unknown) => {
              given.push(args)
              return 'found'
            },
          }),
        ],
      })
      expect(await result).toMatchObject({ text: 'Here it is.' })
      expect(given).toEqual([call.arguments])
    })

    test('a gateway makes the call for its clients', async () => {
      upstream.play({ reply: BEFORE + written + AFTER })
      const request: ChatRequest = { model: id, messages, tools, maxTokens: 100 }
      for (const name of ['openai-chat', 'anthropic']) {
        for (const streamed of [false, true]) {
          const asker = askerNamed(name)
          const answer = await ask('http://gateway.example', asker, request, streamed, {
            fetch: (url, init) => gateway.fetch(new Request(url, init)),
          })
          expect(replyIn(answer, asker, streamed).message.toolCalls, name).toMatchObject([call])
        }
      }
    })

    test('an example among other code is no call', () => {
      const lines = ['```python', 'import os', written.replaceAll('```', ''), 'os.exit()', '```']
      const reply = `This is how it is done:\n\n${lines.join('\n')}\n\nShall I do it?`
      expect(extract(reply, { tools, expect: id }).calls).toEqual([])
    })

    test('the pieces do not change what is read', () => {
      const reply = BEFORE + written + AFTER
      const whole = extract(reply, { tools, expect: id, ids: 'sequential' })
      const extractor = createExtractor({ tools, expect: id, ids: 'sequential' })
      for (const piece of reply) extractor.push(piece)
      extractor.end()
      expect(extractor.result()).toEqual(whole)
    })

    test('other formats are still read', () => {
      const other =
        '<tool_call>\n{"name": "search_files", "arguments": {"query": "x"}}\n</tool_call>'
      const { calls } = extract(BEFORE + other, { tools, expect: id })
      expect(calls).toMatchObject([{ name: 'search_files', arguments: { query: 'x' } }])
    })
  },
)
