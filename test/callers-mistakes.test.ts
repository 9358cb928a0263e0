/**
 * What callers without types get wrong is refused by every public function, in words that say what to pass:
 * never by an error from inside, and never in silence.
 */
import { describe, expect, test } from 'vitest'
import { runAgent, tool } from '../src/agent/index.ts'
import { fromAiTools, toAiTools } from '../src/ai-sdk/index.ts'
import { createClient, createFallback } from '../src/client/index.ts'
import { rescueFetch } from '../src/fetch.ts'
import { createGateway } from '../src/gateway/index.ts'
import { loadConfig, startServer } from '../src/gateway/node/index.ts'
import {
  extract,
  extractStream,
  formatToolResult,
  formatToolResults,
  heal,
  isToolglotError,
  transcode,
} from '../src/index.ts'
import { connectMcp } from '../src/mcp/index.ts'
import { runTracedAgent } from '../src/otel/index.ts'
import { scriptedModel } from '../src/testing/index.ts'
import { singleModuleExports } from './support/package-exports.ts'

type Call = (...args: readonly unknown[]) => unknown

const JUNK: readonly (readonly [string, () => unknown])[] = [
  ['nothing', () => undefined],
  ['null', () => null],
  ['a number', () => 5],
  ['text', () => 'x'],
  ['a list', () => []],
  ['an object', () => ({})],
  ['an unknown option', () => ({ unknown: 1 })],
  ['a Promise', () => Promise.resolve({})],
  ['a Response', () => new Response('{}')],
  ['a function', () => () => 1],
]

/** What a call came to, closed if it opened something. */
async function outcome(call: () => unknown): Promise<unknown> {
  try {
    const result = await call()
    // Generators and streams begin when they are read.
    if (Object(result)[Symbol.iterator] && typeof result === 'object') Array.from(result as [])
    await Object(result).close?.()
    return undefined
  } catch (error) {
    return error
  }
}

describe('junk', () => {
  test.for(singleModuleExports())('%s', async ([path, file]) => {
    const source = file.replace('./dist/', '../src/').replace(/\.js$/, '.ts')
    const entry: Readonly<Record<string, unknown>> = await import(source)
    const functions = Object.entries(entry).filter(
      ([name, value]) => typeof value === 'function' && /^[a-z]/.test(name),
    )
    for (const [name, value] of functions) {
      for (const [kind, make] of JUNK) {
        const error = await outcome(() => (value as Call)(make()))
        if (error === undefined) continue
        const message = (error as Error).message
        const what = `${path}: ${name}(${kind}) → ${message}`
        expect(isToolglotError(error), what).toBe(true)
        expect(message, what).not.toMatch(/undefined \(reading|is not a function|destructure/)
      }
    }
  })
})

const client = scriptedModel([{ text: 'Hello' }])
const messages = [{ role: 'user', content: 'Hi' }]

function chunks(): AsyncIterable<never> {
  return (async function* () {
    yield { choices: [{ delta: { content: 'Hi' } }] } as never
  })()
}

const mistakes: (readonly [string, Call, RegExp])[] = [
  ['extract({ protocol })', () => extract('', { protocol: 'hermes' } as never), /"protocols"\?/],
  ['extract({ tool })', () => extract('', { tool: [] } as never), /did you mean "tools"\?/],
  ['extract(tools, reply)', () => extract(messages, 'text' as never), /as in \{ tools: /],
  ['extract(Response)', () => extract(new Response('')), /pass await response\.json\(\)/],
  ['extract(Promise)', () => extract(Promise.resolve('')), /await it/],
  ['limits', () => extract('', { limits: { maxDept: 1 } } as never), /"maxDepth"\?/],
  ['a chunk of an API', () => extractStream(chunks()).result, /chunk\.choices\[0\]/],
  ['extractStream(text)', () => extractStream('text' as never), /extract reads a whole text/],
  ['transcode without to', () => transcode([], {} as never), /\{ to: 'anthropic' \}/],
  ['transcode({ too })', () => transcode([], { too: 'x' } as never), /did you mean "to"\?/],
  ['heal(undefined)', () => heal(undefined as never, 'openai-chat'), /a list of messages/],
  [
    'tool({ handler })',
    () => tool({ name: 'x', inputSchema: {}, handler() {} } as never),
    /execute/,
  ],
  ['tool(undefined)', () => tool(undefined as never), /needs a name/],
  ['createClient()', () => createClient(undefined as never), /\{ provider: 'ollama'/],
  ['no model', () => createClient({ provider: 'ollama' } as never), /the name of a model/],
  ['complete(text)', () => client.complete('hello' as never), /\{ messages: \[\{ role: 'user'/],
  ['complete({})', () => client.complete({} as never), /\{ messages: \[\{ role: 'user'/],
  ['complete({ prompt })', () => client.complete({ prompt: 'x' } as never), /has no "prompt"/],
  ['messages: text', () => client.complete({ messages: 'x' } as never), /messages cannot be "x"/],
  ['a role', () => client.complete({ messages: [{ role: 'ai' }] } as never), /system, user/],
  [
    'toolChoice',
    () => client.complete({ messages, toolChoice: 'any' } as never),
    /auto, none, required/,
  ],
  ['tools', () => client.complete({ messages, tools: 'x' } as never), /a list of definitions/],
  ['stream(text)', () => client.stream('hello' as never), /\{ messages: /],
  ['createFallback([])', () => createFallback([]), /at least one client/],
  ['createFallback([{}])', () => createFallback([{}] as never), /as createClient\(\) gives one/],
  ['runAgent({ maxStep })', () => runAgent({ client, maxStep: 3 } as never), /"maxSteps"\?/],
  ['runTracedAgent()', () => runTracedAgent(undefined as never), /\{ client, prompt \}/],
  ['rescueFetch({ onrescue })', () => rescueFetch({ onrescue() {} } as never), /"onRescue"\?/],
  ['createGateway({ model })', () => createGateway({ model: 'x' } as never), /"models"\?/],
  ['a chain', () => createGateway({ models: { fast: ['opnai/x'] } }), /did you mean openai\?/],
  ['an empty chain', () => createGateway({ models: { fast: [] } }), /names no model/],
  [
    'a provider',
    () => createGateway({ providers: { openai: { apikey: 'x' } } } as never),
    /"apiKey"\?/,
  ],
  ['loadConfig()', () => loadConfig(undefined as never), /process\.cwd\(\)/],
  ['startServer()', () => startServer(undefined as never, {} as never), /loadConfig\(\)/],
  ['fromAiTools()', () => fromAiTools(undefined as never), /tools by name/],
  ['toAiTools()', () => toAiTools(undefined as never), /a list of what tool\(\) gives/],
  ['connectMcp()', () => connectMcp(undefined as never), /by their names/],
  ['scriptedModel()', () => scriptedModel(undefined as never), /a list of turns/],
  [
    'a part',
    () => client.complete({ messages: [{ role: 'user', content: [null] }] } as never),
    /content\[0\] cannot be null/,
  ],
]

/** A request with one message of another shape. */
function say(message: object): unknown {
  return client.complete({ messages: [...messages, message] } as never)
}

mistakes.push(
  ['messages: []', () => client.complete({ messages: [] }), /messages is empty; write/],
  ['an empty stream', () => client.stream({ messages: [] }), /messages is empty; write/],
  [
    'calls as on the wire',
    () => say({ role: 'assistant', content: null, tool_calls: [{ id: '1' }] }),
    /messages\[1\] has "tool_calls"; write toolCalls: \[\{ id/,
  ],
  [
    'a result as on the wire',
    () => say({ role: 'tool', tool_call_id: '1', content: '12' }),
    /"tool_call_id"; write toolResults: \[\{ callId/,
  ],
  ['a field', () => say({ role: 'user', contents: 'Hi' }), /"contents"; write content$/],
  [
    'blocks of another API',
    () =>
      say({ role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input: {} }] }),
    /content\[0\]\.type must be text, image, file/,
  ],
  [
    'image_url',
    () => say({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }),
    /type must be text, image, file/,
  ],
  ['a part without text', () => say({ role: 'user', content: [{ type: 'text' }] }), /text cannot/],
  ['toolCalls: {}', () => say({ role: 'assistant', toolCalls: {} }), /a list of calls/],
  [
    'a call without arguments',
    () => say({ role: 'assistant', toolCalls: [{ id: '1', name: 'f' }] }),
    /toolCalls\[0\] cannot be an object; it takes a call, as in/,
  ],
  ['toolResults: {}', () => say({ role: 'tool', toolResults: {} }), /a list of results/],
  ['an empty result', () => say({ role: 'tool', toolResults: [{}] }), /a result, as in/],
  [
    'temperature',
    () => client.complete({ messages, temperature: 'hot' } as never),
    /temperature cannot be "hot"; it takes a number/,
  ],
  ['formatToolResult({})', () => formatToolResult({} as never, 'openai'), /answers a call; write/],
  [
    'formatToolResult({ isErorr })',
    () => formatToolResult({ id: '1', content: 'x', isErorr: true } as never, 'openai'),
    /did you mean "isError"\?/,
  ],
  [
    'formatToolResults([{ contents }])',
    () => formatToolResults([{ id: '1', contents: 'x' } as never], 'anthropic'),
    /did you mean "content"\?/,
  ],
  ['a preset', () => extract('', { preset: 'exathena04' } as never), /mean exathena-0\.4\?/],
  ['an empty prompt', () => runAgent({ client, prompt: '' }).result, /neither prompt nor messages/],
)

test.for(mistakes)('%s says what to pass', async ([, call, hint]) => {
  const error = await outcome(call)
  expect(isToolglotError(error)).toBe(true)
  expect((error as Error).message).toMatch(hint)
})

test('a message without content is one with an empty content', async () => {
  const reply = { role: 'assistant', content: null, toolCalls: [] }
  const request = { messages: [...messages, reply, { role: 'user', content: 'So?' }] }
  await expect(client.complete(request as never)).resolves.toMatchObject({ finishReason: 'stop' })
})

test('fields of a program of its own are left alone', async () => {
  const own = { role: 'user', content: 'Hi', id: 'm1', createdAt: new Date(), metadata: {} }
  await expect(client.complete({ messages: [own] } as never)).resolves.toBeDefined()
})

test('an option that is undefined is not there', () => {
  expect(extract('Hi', { protocol: undefined } as never).text).toBe('Hi')
})
