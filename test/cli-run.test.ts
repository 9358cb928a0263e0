/** `toolglot run`, as a process of its own against a provider on the loopback interface. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ChatResponse } from '../src/core/chat.ts'
import type { JsonObject } from '../src/core/json/value.ts'
import { type Reply, startUpstream, type Upstream } from '../src/testing/upstream.ts'
import { buildCommand } from './support/built-command.ts'

const FILE_SERVER = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
)

/** Tools that write down what they did. */
const TOOLS = `
import { appendFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
const inputSchema = { type: 'object', properties: { city: { type: 'string' } } }
const ledger = new URL('ledger.txt', import.meta.url)
const note = (name, { city }) => appendFileSync(ledger, name + ' ' + city + '\\n')
export const weather = {
  name: 'weather', inputSchema,
  execute(input) { note('weather', input); return 'rain in ' + input.city },
}
export const book = {
  name: 'book', inputSchema, needsApproval: () => true,
  execute(input) { note('book', input); return 'booked ' + input.city },
}
export const sleep = {
  name: 'sleep', inputSchema,
  async execute(input, { signal }) { note('sleep', input); await setTimeout(60_000, undefined, { signal }) },
}
export const evil = { name: 'evil', inputSchema, execute: () => 'a\\u001b]0;title\\u0007b\\u009b2J' }
`

let folder = ''
let main = ''
let count = 0

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolglot-run-')))
  main = await buildCommand(folder)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a run', () => {
  test('says what the model says, and nothing else, on standard output', async () => {
    const upstream = await serve('Good morning.')
    const { stdout, stderr, code } = await run(upstream, ['Hello', '--system', 'Be polite.'])
    expect(stdout).toBe('Good morning.\n')
    expect(stderr).toContain('0 steps, 0 calls, 19 tokens')
    expect(code).toBe(0)
    expect(upstream.requests[0]?.body['messages']).toEqual([
      { role: 'system', content: 'Be polite.' },
      { role: 'user', content: 'Hello' },
    ])
  })

  test('takes the prompt from standard input', async () => {
    const upstream = await serve('Good morning.')
    const { code } = await run(upstream, ['-'], { input: 'Hello from a file\n' })
    expect(code).toBe(0)
    expect(JSON.stringify(upstream.requests[0]?.body)).toContain('Hello from a file')
  })

  test('calls the tools of a module and shows them', async () => {
    const upstream = await serve(calls(['weather', { city: 'Bodø' }]), 'Take a coat.')
    const place = workplace()
    const { stdout, stderr, code } = await run(upstream, ['Coat?', '--tools', place.tools])
    expect(stdout).toBe('Take a coat.\n')
    expect(stderr).toContain('→ weather {"city":"Bodø"}\n  rain in Bodø\n')
    expect(code).toBe(0)
    expect(place.ledger()).toEqual(['weather Bodø'])
  })

  test('describes tools in words with --protocol', async () => {
    const upstream = await serve(
      '<tool_call>\n{"name": "weather", "arguments": {"city": "Alta"}}\n</tool_call>',
      'Take a coat.',
    )
    const place = workplace()
    const args = ['Coat?', '--tools', place.tools, '--protocol', 'hermes']
    const { stdout } = await run(upstream, args)
    expect(stdout).toBe('Take a coat.\n')
    expect(place.ledger()).toEqual(['weather Alta'])
    expect(upstream.requests[0]?.body['tools']).toBeUndefined()
  })

  test('shows reasoning, but not as the answer', async () => {
    const upstream = await serve(reply({ reasoning: 'They greet me.', text: 'Hello.' }))
    const { stdout, stderr } = await run(upstream, ['Hi'])
    expect(stdout).toBe('Hello.\n')
    expect(stderr).toContain('They greet me.')
  })

  test('lets no control character through', async () => {
    const upstream = await serve()
    const args = ['Hi', '--tools', workplace().tools]
    for (const more of [[], ['--json']]) {
      upstream.play(
        { reply: reply({ text: 'x\u001b[2Jy', calls: [['evil', { city: '\u009b31m\u202e' }]] }) },
        { reply: 'It is\r\ndone\u001b[8m.', pieceLength: 6 },
      )
      const { stdout, stderr } = await run(upstream, [...args, ...more])
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    }
  })

  test('--json tells every event on a line of its own', async () => {
    const upstream = await serve(calls(['weather', { city: 'Alta' }]), 'Take a coat.')
    const { stdout } = await run(upstream, ['Coat?', '--tools', workplace().tools, '--json'])
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events[0]).toMatchObject({ type: 'run-start', isResumed: false })
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['step-start', 'tool-call', 'tool-result', 'text-delta']),
    )
    const { result } = events.at(-1)
    expect(result).toMatchObject({ text: 'Take a coat.', finishReason: 'stop', toolCalls: 1 })
    expect(result).not.toHaveProperty('state')
  })

  test('stops at --max-steps', async () => {
    const upstream = await serve(calls(['weather', { city: 'Alta' }]))
    const args = ['Coat?', '--tools', workplace().tools, '--max-steps', '2']
    const { stderr, code } = await run(upstream, args)
    expect(stderr).toContain('max-steps: 2 steps are done')
    expect(code).toBe(5)
  })

  test.for([
    [401, 1, 'unauthorized'],
    [400, 6, 'provider-error'],
  ] as const)('ends with a code for its kind of failure (%j)', async ([status, expected, word]) => {
    const upstream = await startUpstream({ fault: { kind: 'status', status } })
    onTestFinished(() => upstream.close())
    const { stderr, code } = await run(upstream, ['Hello'])
    expect(stderr).toContain(word)
    expect(code).toBe(expected)
  })
})

describe('approval', () => {
  test.for([
    ['y\n', ['book Alta'], 'booked Alta'],
    ['n\n', [], 'was not approved'],
    ['no, too dear\n', [], 'the user says: too dear'],
    ['what?\nyes\n', ['book Alta'], 'booked Alta'],
    ['e\nnothing\n{"city": "Vadsø"}\n', ['book Vadsø'], 'booked Vadsø'],
  ] as const)('%j', async ([input, ledger, told]) => {
    const upstream = await serve(calls(['book', { city: 'Alta' }]), 'Done.')
    const place = workplace()
    const { stderr, code } = await run(upstream, ['Book', '--tools', place.tools, '--ask'], {
      input,
    })
    expect(stderr).toContain('May it run?')
    expect(stderr).toContain(told)
    expect(place.ledger()).toEqual(ledger)
    expect(code).toBe(0)
  })

  test('"always" is for all further calls of the tool', async () => {
    const both = calls(['book', { city: 'Alta' }], ['book', { city: 'Vadsø' }])
    const upstream = await serve(both, 'Done.')
    const place = workplace()
    const args = ['Book', '--tools', place.tools, '--ask']
    const { stderr } = await run(upstream, args, { input: 'a\n' })
    expect(stderr.split('May it run?')).toHaveLength(2)
    expect(place.ledger()).toEqual(['book Alta', 'book Vadsø'])
  })

  test('--yes asks nothing', async () => {
    const upstream = await serve(calls(['book', { city: 'Alta' }]), 'Done.')
    const place = workplace()
    await run(upstream, ['Book', '--tools', place.tools, '--yes'])
    expect(place.ledger()).toEqual(['book Alta'])
  })

  test.for([[], ['--ask']])('without anybody to ask it pauses (%j)', async (more) => {
    const upstream = await serve(calls(['book', { city: 'Alta' }]), 'Done.')
    const { tools, store, ledger } = workplace()
    const args = ['--tools', tools, '--store', store]
    const paused = await run(upstream, ['Book', ...args, ...more])
    expect(paused.code).toBe(4)
    expect(paused.stderr).toContain('the approval of book {"city":"Alta"}')
    expect(ledger()).toEqual([])
    const [, id = ''] = /toolglot run --resume (\S+) .*--model/.exec(paused.stderr) ?? []
    const resumed = await run(upstream, ['--resume', id, ...args, '--yes'])
    expect(resumed).toMatchObject({ stdout: 'Done.\n', code: 0 })
    expect(ledger()).toEqual(['book Alta'])
  })

  test('a prompt from standard input leaves nobody to ask', async () => {
    const upstream = await serve(calls(['book', { city: 'Alta' }]))
    const args = ['-', '--tools', workplace().tools, '--ask']
    const { code } = await run(upstream, args, { input: 'Book\n' })
    expect(code).toBe(4)
  })

  test('calls of tools that are only defined are answered by the person', async () => {
    const upstream = await serve(calls(['depth', { at: 'pier' }]), 'Deep enough.')
    const path = file('tools.json', JSON.stringify([{ name: 'depth', parameters: {} }]))
    const { stdout } = await run(upstream, ['Can we?', '--tools', path, '--ask'], {
      input: '9 m\n',
    })
    expect(stdout).toBe('Deep enough.\n')
    expect(JSON.stringify(upstream.requests[1]?.body)).toContain('9 m')
  })
})

describe('MCP servers', () => {
  test('what reads runs, and what writes is asked about', async () => {
    const path = file('notes.txt', 'low tide at six')
    const copy = join(folder, `${count++}-copy.txt`)
    const upstream = await serve(
      calls(['files__read_text_file', { path }]),
      calls(['files__write_file', { path: copy, content: 'low tide' }]),
      'Copied.',
    )
    const server = { command: process.execPath, args: [FILE_SERVER, folder] }
    const servers = file(
      'servers.json',
      JSON.stringify({ mcpServers: { files: server, gone: { command: 'no-such-program' } } }),
    )
    const args = ['Copy it', '--mcp', servers, '--ask']
    const { stdout, stderr, code } = await run(upstream, args, { input: 'y\n' })
    expect(stderr).toContain('MCP server gone')
    expect(stderr).toContain('low tide at six')
    expect(stderr.split('May it run?')).toHaveLength(2)
    expect(readFileSync(copy, 'utf8')).toBe('low tide')
    expect(stdout).toBe('Copied.\n')
    expect(code).toBe(0)
  })
})

describe('runs that are kept', () => {
  test('one that was killed goes on, and nothing is done twice', async () => {
    const upstream = await serve(
      calls(['weather', { city: 'Alta' }]),
      calls(['sleep', {}]),
      'Done.',
    )
    const { tools, store, ledger } = workplace()
    const args = ['--tools', tools, '--store', store]
    const child = start(upstream, ['Wait for me', ...args])
    await said(child, '→ sleep')
    await until(() => ledger().length === 2)
    child.kill('SIGKILL')
    await once(child, 'close')

    const listed = await run(upstream, ['--list', '--store', store])
    const [id = ''] = listed.stdout.split(' ')
    expect(listed.stdout).toContain('unfinished')
    expect(listed.stdout).toContain('Wait for me')

    const { stdout, stderr, code } = await run(upstream, ['--resume', id, ...args])
    expect(stderr).toContain('may or may not have taken effect')
    expect(stdout).toBe('Done.\n')
    expect(code).toBe(0)
    expect(ledger()).toEqual(['weather Alta', 'sleep undefined'])

    const again = await run(upstream, ['--resume', id, ...args])
    expect(again.stdout, 'a run that is over says its answer again').toBe('Done.\n')
    const json = await run(upstream, ['--list', '--store', store, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject([{ id, status: 'stop', steps: 2 }])
  })

  test('Ctrl-C cancels, says how to go on, and the run can be resumed', async () => {
    const upstream = await serve(calls(['sleep', { city: 'Alta' }]), 'Good morning.')
    const { tools, store } = workplace()
    const args = ['--tools', tools, '--store', store]
    const child = start(upstream, ['Sleep', ...args])
    const ended = finished(child)
    await said(child, '→ sleep')
    child.kill('SIGINT')
    const { stderr, code } = await ended
    expect(code).toBe(130)
    expect(stderr).toContain('cancelled')
    const [, id = ''] = /toolglot run --resume (\S+)/.exec(stderr) ?? []
    const resumed = await run(upstream, ['--resume', id, ...args])
    expect(resumed).toMatchObject({ stdout: 'Good morning.\n', code: 0 })
  })

  test('Ctrl-C at a question pauses', async () => {
    const upstream = await serve(calls(['book', { city: 'Alta' }]), 'Done.')
    const { tools, store, ledger } = workplace()
    const args = ['--tools', tools, '--store', store]
    const child = start(upstream, ['Book', ...args, '--ask'])
    const ended = finished(child)
    await said(child, 'May it run?')
    child.kill('SIGINT')
    const { stderr, code } = await ended
    expect(code).toBe(130)
    const [, id = ''] = /toolglot run --resume (\S+)/.exec(stderr) ?? []
    await run(upstream, ['--resume', id, ...args, '--yes'])
    expect(ledger()).toEqual(['book Alta'])
  })

  test('a second Ctrl-C waits for nothing more', async () => {
    // A server that takes its time to end, but does.
    const slow = `
      process.argv[2] = ${JSON.stringify(folder)}
      process.on('SIGTERM', () => {})
      process.stdin.on('end', () => setTimeout(() => process.exit(), 4000))
      await import(${JSON.stringify(pathToFileURL(FILE_SERVER).href)})`
    const server = { command: process.execPath, args: [file('slow.mjs', slow)] }
    const servers = file('servers.json', JSON.stringify({ mcpServers: { slow: server } }))
    const upstream = await serve(calls(['sleep', { city: 'Alta' }]))
    const child = start(upstream, ['Sleep', '--tools', workplace().tools, '--mcp', servers])
    const ended = finished(child)
    await said(child, '→ sleep')
    child.kill('SIGINT')
    await said(child, 'cancelled')
    const begun = performance.now()
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
    expect(performance.now() - begun).toBeLessThan(1900)
  })

  test('a tool that never ends does not keep the command', async () => {
    const upstream = await serve(calls(['stubborn', {}]), 'Done.')
    const source = `export default [{ name: 'stubborn', inputSchema: { type: 'object' },
      execute: () => { setInterval(() => {}, 1000); return 'started' } }]`
    const { stdout, code } = await run(upstream, ['Go', '--tools', file('stubborn.mjs', source)])
    expect({ stdout, code }).toEqual({ stdout: 'Done.\n', code: 0 })
  })
})

describe('what cannot be used', () => {
  test.for([
    [['Hello'], '--model is missing'],
    [['--model', 'ollama/qwen3'], 'the prompt is missing'],
    [['a', 'b', '--model', 'ollama/qwen3'], 'quote it'],
    [['Hello', '--model', 'qwen3'], 'a provider and a model'],
    [['Hello', '--model', 'olama/qwen3'], 'did you mean ollama?'],
    [['Hello', '--model', 'openai/gpt-5'], 'set OPENAI_API_KEY'],
    [['Hello', '--model', 'openai-compatible/x'], '--base-url'],
    [['Hello', '--model', 'ollama/x', '--mode', 'words'], '--mode cannot be "words"'],
    [['Hello', '--model', 'ollama/x', '--protocol', 'hermse'], 'did you mean hermes?'],
    [['Hello', '--model', 'ollama/x', '--max-steps', '0'], '--max-steps cannot be "0"'],
    [['Hello', '--model', 'ollama/x', '--tools', 'gone.mjs'], 'gone.mjs: no such file'],
    [['Hello', '--model', 'ollama/x', '--tools', '.'], '.: is a directory, not a file'],
    [['Hello', '--model', 'demo/hermes'], '--model openai-compatible/demo/hermes --base-url'],
    [['Hello', '--model', 'ollama/x', '--base-url', 'ws://127.0.0.1:1'], 'begins with http://'],
    [['Hello', '--model', 'ollama/x', '--mcp', 'gone.json'], 'gone.json: no such file'],
    [['--resume', 'x', '--model', 'ollama/x'], '--store is missing'],
    [['--list', '--store', 'gone.db'], 'gone.db: no such file'],
  ] as const)('%j', async ([args, message]) => {
    const { stderr, stdout, code } = await finished(spawnCommand(args))
    expect(stderr).toMatch(/^toolglot: [^\n]+\n$/)
    expect(stderr).toContain(message)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  test('a server that is not there', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on TCP
    await new Promise((closed) => server.close(closed))
    const args = ['Hello', '--model', 'ollama/x', '--base-url', `http://127.0.0.1:${port}`]
    const { stderr, code } = await finished(spawnCommand(args))
    expect(stderr).toContain('Is the server running? --base-url says where it is.')
    expect(code).toBe(6)
  })

  test.for([
    ['empty.mjs', 'export const tools = 7', 'exports no tools'],
    ['broken.mjs', 'export const = 7', 'SyntaxError'],
    [
      'raw.mjs',
      "export default [{ name: 'book', inputSchema: { '~standard': {} } }]",
      'book is not made by tool()',
    ],
    ['tools.txt', '[]', 'is no module; tools are in .mjs, .js or .ts files'],
    ['servers.json', '{"servers": {}}', 'expected {"mcpServers"'],
    ['odd.json', '{"mcpServers": {"files": {"args": []}}}', 'MCP server "files"'],
  ] as const)('the file %s', async ([name, text, message]) => {
    const option = name.endsWith('.json') ? '--mcp' : '--tools'
    const args = ['Hello', '--model', 'ollama/x', option, file(name, text)]
    const { stderr, code } = await finished(spawnCommand(args))
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  test('a run that is not in the store', async () => {
    const upstream = await serve('Hello.')
    const { store } = workplace()
    await run(upstream, ['Hello', '--store', store])
    const { stderr, code } = await run(upstream, ['--resume', 'run_none', '--store', store])
    expect(stderr).toContain('has no run run_none')
    expect(code).toBe(2)
  })
})

// ── what it runs with ───────────────────────────────────────────────────────────────────────────

type Call = readonly [name: string, args: JsonObject]

function reply(turn: {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly Call[]
}): ChatResponse {
  const { text = '', reasoning, calls: made = [] } = turn
  const toolCalls = made.map(([name, args], at) => ({
    id: `call_${count++}_${at}`,
    name,
    arguments: args,
    origin: 'native' as const,
  }))
  return {
    id: 'reply_1',
    model: 'scripted',
    message: {
      role: 'assistant',
      content: text,
      ...(reasoning !== undefined && { reasoning }),
      ...(toolCalls.length > 0 && { toolCalls }),
    },
    finishReason: toolCalls.length > 0 ? 'tool-calls' : 'stop',
    usage: { inputTokens: 12, outputTokens: 7, totalTokens: 19 },
    issues: [],
  }
}

function calls(...made: readonly Call[]): ChatResponse {
  return reply({ calls: made })
}

async function serve(...replies: readonly (ChatResponse | string)[]): Promise<Upstream> {
  const upstream = await startUpstream(...replies.map((one): Reply => ({ reply: one })))
  onTestFinished(() => upstream.close())
  return upstream
}

function file(name: string, text: string): string {
  const path = join(folder, `${count++}-${name}`)
  writeFileSync(path, text)
  return path
}

/** A folder of its own for tools, their ledger, and a store. */
function workplace() {
  const place = mkdtempSync(join(folder, 'place-'))
  const tools = join(place, 'tools.mjs')
  writeFileSync(tools, TOOLS)
  return {
    tools,
    store: join(place, 'runs.db'),
    ledger(): string[] {
      try {
        return readFileSync(join(place, 'ledger.txt'), 'utf8').trimEnd().split('\n')
      } catch {
        return []
      }
    },
  }
}

function spawnCommand(args: readonly string[]): ChildProcessWithoutNullStreams {
  const { FORCE_COLOR: _force, NO_COLOR: _no, OPENAI_API_KEY: _key, ...env } = process.env
  const child = spawn(process.execPath, [main, 'run', ...args], { cwd: folder, env })
  child.stdin.on('error', () => {})
  return child
}

function start(upstream: Upstream, args: readonly string[]): ChildProcessWithoutNullStreams {
  const model = ['--model', 'openai-compatible/x', '--base-url', `${upstream.url}/v1`]
  return spawnCommand([...args, ...model])
}

async function run(upstream: Upstream, args: readonly string[], { input = '' } = {}) {
  const child = start(upstream, args)
  child.stdin.end(input)
  return finished(child)
}

async function finished(child: ChildProcessWithoutNullStreams) {
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    stdout += piece
  })
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    stderr += piece
  })
  const [code] = await once(child, 'close')
  return { stdout, stderr, code: code as number | null } // the first argument of a child's `close`
}

function said(child: ChildProcessWithoutNullStreams, word: string): Promise<void> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.stderr.on('data', (piece) => {
      text += piece
      if (text.includes(word)) resolve()
    })
    child.on('close', () => reject(new Error(`it never said ${word}, but ${text}`)))
  })
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
}
