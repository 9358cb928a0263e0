/** `toolglot doctor` against servers on the loopback interface, good ones and bad ones. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { UsageError } from '../src/cli/command.ts'
import { DIALECTS } from '../src/cli/doctor/examined.ts'
import { doctorCommand } from '../src/cli/doctor.ts'
import { createTerminal } from '../src/cli/terminal.ts'
import type { ChatResponse } from '../src/core/chat.ts'
import { allDialects } from '../src/dialects/registry.ts'
import { type Reply, startUpstream, type Upstream } from '../src/testing/upstream.ts'

const PLAIN: Reply = { reply: 'Hello.' }
const LEAK: Reply = {
  reply:
    'One moment.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
}
const CHATTER: Reply = { reply: 'It is sunny everywhere, I guess.' }
const NO_TOOLS: Reply = { fault: { kind: 'status', status: 400, message: 'tools: extra field' } }

function calling(...ids: readonly string[]): Reply {
  const toolCalls = ids.map((id, at) => {
    const city = at === 0 ? 'Oslo' : 'Lima'
    return { id, name: 'get_weather', arguments: { city }, origin: 'native' } as const
  })
  const reply: ChatResponse = {
    message: { role: 'assistant', content: '', toolCalls },
    finishReason: 'tool-calls',
    usage: {},
    issues: [],
  }
  return { reply }
}

const CALLS = calling('call_a1', 'call_b2')

const closers: (() => Promise<unknown>)[] = []

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of closers.splice(0)) await close()
})

async function upstream(...replies: readonly Reply[]): Promise<Upstream> {
  const started = await startUpstream(...replies)
  closers.push(() => started.close())
  return started
}

/** A server that answers in its own words. */
async function serve(answer: (path: string, body: string) => [type: string, text: string]) {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += String(piece)
    const [type, text] = answer(request.url ?? '', body)
    response.writeHead(200, { 'content-type': type }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as AddressInfo // a TCP server that listens has one
  return `http://127.0.0.1:${port}/v1`
}

async function run(...args: readonly string[]) {
  let stdout = ''
  const stream = { write: (text: string) => (stdout += text) }
  const code = await doctorCommand.run(args, createTerminal(stream, {}, true))
  return { code, stdout }
}

async function report(...args: readonly string[]) {
  const { code, stdout } = await run(...args, '--json')
  const { steps, ...rest } = JSON.parse(stdout)
  const list: { id: string; status: string; detail: string }[] = steps
  const status = Object.fromEntries(list.map((step) => [step.id, step.status]))
  const detail = Object.fromEntries(list.map((step) => [step.id, step.detail]))
  return { code, status, detail, ...rest }
}

test('every dialect can be examined', () => {
  expect([...DIALECTS].sort()).toEqual(allDialects.map(({ id }) => id).sort())
})

describe('servers that take tools', () => {
  test.for([
    ['openai-chat', 'openai-compatible', '/v1'],
    ['ollama', 'ollama', ''],
    ['anthropic', 'anthropic', ''],
    ['gemini', 'google', ''],
    ['google-interactions', 'google-interactions', ''],
    ['mistral', 'mistral', '/mistral/v1'],
    ['cohere', 'cohere', ''],
    ['openai-responses', 'responses-compatible', '/v1'],
    ['bedrock', 'bedrock', ''],
  ] as const)('%s', async ([dialect, provider, path]) => {
    const calls = dialect === 'mistral' ? calling('a1b2c3d4e', 'f5g6h7i8j') : CALLS
    const { url, requests } = await upstream(PLAIN, calls)
    const found = await report(url + path, 'tiny', '--dialect', dialect)
    expect(found).toMatchObject({
      code: 0,
      verdict: 'native',
      settings: { provider, baseUrl: url + path, model: 'tiny' },
      rescueFetch: false,
      status: { reachable: 'ok', plain: 'ok', native: 'ok', streamed: 'ok', leaks: 'ok' },
    })
    expect(Object.values(found.status)).not.toContain('warning')
    expect(requests.map((request) => request.dialect)).toEqual([dialect, dialect, dialect])
  })

  test('are shown line by line, and then how to use them', async () => {
    const { url } = await upstream(PLAIN, CALLS)
    const { stdout, code } = await run(`${url}/v1`, "it's-tiny")
    expect(code).toBe(0)
    expect(stdout.replaceAll(url, 'http://host')).toBe(`✓ server answers      status 404
– list of models      the server has none to show
✓ plain reply         "Hello."
✓ native tools        get_weather {"city":"Oslo"}, get_weather {"city":"Lima"}
✓ streamed tools      get_weather {"city":"Oslo"}, get_weather {"city":"Lima"}
✓ ids of calls        present and unique
✓ indexes in streams  0, 1
✓ finish reason       tool_calls
✓ calls left in text  none

What to do

Native tools work.

  createClient({
    provider: 'openai-compatible',
    baseUrl: 'http://host/v1',
    model: 'it\\'s-tiny',
  })
`)
  })

  test('are asked with the key that was named, which is not shown, and with no other', async () => {
    vi.stubEnv('OPENAI_COMPATIBLE_API_KEY', 'another-secret')
    vi.stubEnv('DOCTOR_KEY', 'sk-very-secret')
    const { url, requests } = await upstream(PLAIN, CALLS)
    const without = await run(url, 'tiny')
    const withKey = await run(url, 'tiny', '--api-key-env', 'DOCTOR_KEY')
    const sent = requests.map(({ headers }) => headers['authorization'])
    const key = 'Bearer sk-very-secret'
    expect(sent).toEqual([undefined, undefined, undefined, key, key, key])
    expect(without.stdout + withKey.stdout).not.toContain('secret')
    expect(withKey.stdout).toContain('apiKey: process.env.DOCTOR_KEY')
  })
})

describe('servers that make mistakes', () => {
  const call = (city: string) => {
    return { type: 'function', function: { name: 'get_weather', arguments: `{"city":"${city}"}` } }
  }

  function careless(path: string, body: string): [string, string] {
    if (path.endsWith('/models')) {
      return ['application/json', '{"data": [{"id": "small"}, {"id": "large"}]}']
    }
    const request = JSON.parse(body)
    const content = request.tools ? null : 'Hello.'
    const tool_calls = request.tools ? [call('Oslo'), call('Lima')] : undefined
    const message = { role: 'assistant', content, tool_calls }
    if (!request.stream) {
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      return ['application/json', JSON.stringify({ choices })]
    }
    const choices = [{ index: 0, delta: message, finish_reason: null }]
    const last = [{ index: 0, delta: {}, finish_reason: 'stop' }]
    const chunks = [{ choices }, { choices: last }].map((one) => `data: ${JSON.stringify(one)}\n\n`)
    return ['text/event-stream', `${chunks.join('')}data: [DONE]\n\n`]
  }

  test('no ids, no indexes, a wrong finish reason', async () => {
    const found = await report(await serve(careless), 'small')
    expect(found).toMatchObject({
      code: 0,
      verdict: 'native',
      rescueFetch: true,
      status: { models: 'ok', ids: 'warning', indexes: 'warning', finish: 'warning' },
      detail: { indexes: 'missing', finish: 'stop instead of tool_calls' },
    })
  })

  test('one id for two calls', async () => {
    const { url } = await upstream(PLAIN, calling('call_a1', 'call_a1'))
    const { status, detail } = await report(url, 'tiny')
    expect(status['ids']).toBe('warning')
    expect(detail['ids']).toBe('missing or used twice, in 1 of 2 calls')
  })

  test('a stream that is none', async () => {
    const url = await serve((path, body) => careless(path, body.replace('"stream":true', '"n":1')))
    const { status, detail } = await report(url, 'small')
    expect(status['streamed']).toBe('ok')
    expect(detail['indexes']).toContain('came whole')
  })

  test('a model that is not in the list', async () => {
    const { detail, status } = await report(await serve(careless), 'smal')
    expect(status['models']).toBe('warning')
    expect(detail['models']).toBe('2 models, but not smal (did you mean small?)')
  })

  test('calls left in the text', async () => {
    const { url } = await upstream(PLAIN, LEAK)
    const found = await report(url, 'tiny')
    expect(found).toMatchObject({
      code: 0,
      verdict: 'rescue',
      rescueFetch: true,
      detail: { leaks: 'hermes', ids: 'no native calls' },
      status: { native: 'warning', streamed: 'warning', leaks: 'warning' },
    })
    expect(found.advice.join(' ')).toContain("protocol: 'hermes'")
    expect(found.status).not.toHaveProperty('text')
  })

  test('calls left in the text of streams only', async () => {
    const { url } = await upstream(PLAIN, CALLS, LEAK)
    const found = await report(url, 'tiny')
    expect(found).toMatchObject({ verdict: 'rescue', status: { native: 'ok', leaks: 'warning' } })
  })

  test('streams that break', async () => {
    const { url } = await upstream(PLAIN, CALLS, { ...CALLS, fault: { kind: 'cut' } })
    const found = await report(url, 'tiny')
    expect(found).toMatchObject({ code: 0, verdict: 'native', status: { streamed: 'failed' } })
    expect(found.advice.join(' ')).toContain('ask for whole replies')
  })

  test('no tools taken', async () => {
    const { url } = await upstream(PLAIN, NO_TOOLS, NO_TOOLS, LEAK)
    const found = await report(url, 'tiny')
    expect(found).toMatchObject({
      code: 0,
      verdict: 'text',
      settings: { provider: 'openai-compatible', toolMode: 'text', protocol: 'hermes' },
      status: { native: 'failed', streamed: 'failed', leaks: 'skipped', text: 'ok' },
    })
    expect(found.advice.join(' ')).toContain('takes no tools')
  })

  test('a model that never calls', async () => {
    const { url } = await upstream(PLAIN, CHATTER)
    const found = await report(url, 'tiny')
    expect(found).toMatchObject({ code: 1, verdict: 'none', settings: null })
    expect(found.detail['text']).toContain('sunny')
  })
})

describe('servers that do not answer', () => {
  test('nobody there', async () => {
    const { url, close } = await startUpstream()
    await close()
    const found = await report(url, 'tiny')
    expect(found).toMatchObject({ code: 1, verdict: 'none', status: { reachable: 'failed' } })
    expect(found.advice.join(' ')).toContain('is the server running')
  })

  test('a key that is refused is not shown, even when the server repeats it', async () => {
    vi.stubEnv('DOCTOR_KEY', 'sk-very-secret')
    const message = 'sk-very-secret is no key'
    const { url } = await upstream({ fault: { kind: 'status', status: 401, message } })
    const { code, stdout } = await run(url, 'tiny', '--api-key-env', 'DOCTOR_KEY')
    expect(code).toBe(1)
    expect(stdout).toContain('does not accept the key in DOCTOR_KEY')
    expect(stdout).not.toContain('secret')
  })

  test.for<[string, Reply, RegExp]>([
    ['a key is missing', { fault: { kind: 'status', status: 401 } }, /--api-key-env/],
    ['nothing at the address', { fault: { kind: 'status', status: 404 } }, /\/v1\.$/],
    ['silence', { fault: { kind: 'silence' } }, /longer --timeout/],
    ['a failure', { fault: { kind: 'status', status: 500 } }, /its log/],
    ['a page', { fault: { kind: 'html' } }, /./],
  ])('%s', async ([, reply, advice]) => {
    const { url } = await upstream(reply)
    const found = await report(url, 'tiny', '--timeout', '0.5')
    expect(found).toMatchObject({ code: 1, verdict: 'none', status: { plain: 'failed' } })
    expect(found.advice.join(' ')).toMatch(advice)
  })
})

test.for<[string[], RegExp]>([
  [[], /base URL of the server is missing/],
  [['http://127.0.0.1:1'], /name of the model is missing/],
  [['http://127.0.0.1:1', 'a', 'b'], /only one model/],
  [['http://127.0.0.1:1', 'a', '--dialect', 'olama'], /did you mean ollama\?/],
  [['http://127.0.0.1:1', 'a', '--timeout', 'soon'], /--timeout cannot be "soon"/],
  [['http://127.0.0.1:1', 'a', '--api-key-env', 'NO_SUCH_KEY'], /NO_SUCH_KEY is not set/],
  [['http://me:secret@127.0.0.1:1', 'a'], /has a password in it/],
  [['http://', 'a'], /base URL is none/],
  [['ftp://127.0.0.1', 'a'], /begins with http:\/\/ or https:\/\//],
])('%j is a mistake', async ([args, message]) => {
  const error = await run(...args).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UsageError)
  expect(String(error)).toMatch(message)
})
