/** The `toolglot` command, run as a user runs it: as a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allProtocols } from '../src/protocols/registry.ts'
import { allProviders } from '../src/providers/registry.ts'
import { buildCommand } from './support/built-command.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const REPLY = `Let me look.
<tool_call>
{"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}
</tool_call>`

const TOOLS = [
  {
    name: 'get_weather',
    inputSchema: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
    },
  },
]

const RESPONSE = {
  choices: [
    {
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_7',
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
          },
        ],
      },
    },
  ],
}

let folder = ''
let main = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolglot-cli-'))
  main = await buildCommand(folder)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.concurrent('extract', () => {
  test('reads a file and shows calls, then text', async () => {
    const { stdout, code } = await run(['extract', file('reply.txt', REPLY)])
    expect(stdout).toBe('get_weather {"city":"Oslo","days":2}\n\nLet me look.\n')
    expect(code).toBe(0)
  })

  test.for([[], ['-']])('reads standard input (%j)', async (args) => {
    const { stdout } = await run(['extract', ...args], { input: REPLY })
    expect(stdout).toContain('get_weather {"city":"Oslo","days":2}')
  })

  test('says so when there is no call, and is content', async () => {
    expect(await run(['extract'], { input: 'Hello there.' })).toEqual({
      stdout: 'no calls\n\nHello there.\n',
      stderr: '',
      code: 0,
    })
  })

  test('--require-call wants one', async () => {
    const none = await run(['extract', '--require-call'], { input: 'Hello there.' })
    expect(none.code).toBe(3)
    const one = await run(['extract', '--require-call'], { input: REPLY })
    expect(one.code).toBe(0)
  })

  test('--json gives the whole result', async () => {
    const { stdout } = await run(['extract', '--json'], { input: REPLY })
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({ protocol: 'hermes', text: expect.any(String), issues: [] })
    expect(result.calls).toMatchObject([{ name: 'get_weather', arguments: { city: 'Oslo' } }])
  })

  test.for([
    ['a list', TOOLS],
    ['a record', { get_weather: { inputSchema: TOOLS[0]?.inputSchema } }],
    ['an object with tools', { tools: TOOLS }],
    ['names', ['get_weather']],
  ] as const)('--tools takes %s', async ([, tools]) => {
    const path = file('tools.json', JSON.stringify(tools))
    const { stdout, stderr } = await run(['extract', '--tools', path], { input: REPLY })
    expect(stderr).toBe('')
    expect(stdout).toContain('get_weather {')
  })

  test('--tool names one, and what is not named is no call', async () => {
    const own = await run(['extract', '--tool', 'search', '--tool', 'get_weather', '--json'], {
      input: REPLY,
    })
    expect(JSON.parse(own.stdout).calls).toHaveLength(1)
    const other = await run(['extract', '--tool', 'search', '--json'], { input: REPLY })
    expect(JSON.parse(other.stdout).calls).toEqual([])
  })

  test('--tools decides which calls are possible', async () => {
    const path = file('other.json', '["search"]')
    const { stdout } = await run(['extract', '--tools', path, '--json'], { input: REPLY })
    const result = JSON.parse(stdout)
    expect(result.calls).toEqual([])
    expect(result.issues).toMatchObject([{ code: 'unknown-tool' }])
  })

  test('--protocol reads no other format', async () => {
    const input = REPLY
    const other = await run(['extract', '--protocol', 'text-tagged', '--json'], { input })
    expect(JSON.parse(other.stdout).calls).toEqual([])
    const both = ['--protocol', 'text-tagged', '--protocol', 'hermes']
    const own = await run(['extract', ...both, '--json'], { input })
    expect(JSON.parse(own.stdout).calls).toHaveLength(1)
  })

  test('--repair off leaves broken JSON alone', async () => {
    const input = REPLY.replace('{"city"', "{'city'")
    const repaired = await run(['extract', '--json'], { input })
    expect(JSON.parse(repaired.stdout).calls).toHaveLength(1)
    const strict = await run(['extract', '--repair', 'off', '--json'], { input })
    expect(JSON.parse(strict.stdout).calls).toEqual([])
  })

  test('--finish-reason takes the word of any provider', async () => {
    const args = ['extract', '--finish-reason', 'max_tokens', '--json']
    const { stdout } = await run(args, { input: REPLY.slice(0, -30) })
    const result = JSON.parse(stdout)
    expect(result.calls).toEqual([])
    expect(result.issues).toMatchObject([{ code: 'truncated-call' }])
  })

  test('--preset reads the way a certain system does', async () => {
    const input = 'Sure: get_weather(city="Oslo")'
    const { stdout } = await run(['extract', '--preset', 'go-agentic', '--json'], { input })
    expect(JSON.parse(stdout).calls).toMatchObject([{ name: 'get_weather' }])
  })

  test('a whole provider response is read as one, unless it is text', async () => {
    const input = JSON.stringify(RESPONSE)
    const native = JSON.parse((await run(['extract', '--json'], { input })).stdout)
    expect(native.calls).toMatchObject([{ id: 'call_7', origin: 'native' }])
    const text = JSON.parse((await run(['extract', '--json', '--text'], { input })).stdout)
    expect(text.protocol).not.toBe('native')
  })

  test('a bare call in JSON is text', async () => {
    const input = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
    const result = JSON.parse((await run(['extract', '--json'], { input })).stdout)
    expect(result.calls).toMatchObject([{ name: 'get_weather', origin: 'text' }])
  })

  test('control characters do not reach the terminal', async () => {
    const { stdout } = await run(['extract'], { input: 'a\u001b[2Jb\u009bc' })
    expect(stdout).toContain('a␛[2Jb\ufffdc')
  })
})

describe.concurrent('extract --explain', () => {
  const input = `Look.\n${REPLY.replace('"days": 2', "'days': 2")}\n<tool_call>{"name": "get_w`

  test('marks spans with brackets where there are no colours', async () => {
    const { stdout } = await run(['extract', '--explain'], { input })
    expect(stdout).toContain('⟦call 1: <tool_call>')
    expect(stdout).toContain('⟦issue 1: <tool_call>{"name": "get_w⟧')
    expect(stdout).not.toContain('\u001b')
  })

  test('numbers calls with their repairs, and issues with their places', async () => {
    const { stdout } = await run(['extract', '--explain'], { input })
    expect(stdout).toMatch(/1\. get_weather {2}hermes, at 3:1, id call_/)
    expect(stdout).toMatch(
      /repaired \(safe\) replaced-quotes.*: quotes of another kind were replaced/,
    )
    expect(stdout).toMatch(/1\. truncated-call at 6:1–6:27: the reply ended inside a call/)
    expect(stdout).toContain('> <tool_call>{"name": "get_w')
    expect(stdout).toMatch(/Protocol {2}hermes/)
  })

  test('uses colours when asked to, and not when asked not to', async () => {
    const colored = await run(['extract', '--explain'], { input, env: { FORCE_COLOR: '1' } })
    expect(colored.stdout).toContain('\u001b[32m<tool_call>')
    expect(colored.stdout).not.toContain('⟦')
    const flag = await run(['extract', '--explain', '--no-color'], {
      input,
      env: { FORCE_COLOR: '1' },
    })
    expect(flag.stdout).not.toContain('\u001b')
    const variable = await run(['extract', '--explain'], { input, env: { NO_COLOR: '1' } })
    expect(variable.stdout).not.toContain('\u001b')
  })

  test('with --json, says what became of every character', async () => {
    const { stdout } = await run(['extract', '--explain', '--json'], { input })
    const { segments } = JSON.parse(stdout)
    expect(segments[0]).toMatchObject({ kind: 'text', start: 0 })
    expect(segments.at(-1)).toMatchObject({ end: input.length })
  })

  test('explains a provider response as well', async () => {
    const response = JSON.stringify(RESPONSE)
    const { stdout } = await run(['extract', '--explain'], { input: response })
    expect(stdout).toContain('get_weather  native, id call_7')
    expect(stdout).not.toContain('Reply')
  })

  test('explains the text in a provider response when the calls are there', async () => {
    const message = { role: 'assistant', content: REPLY }
    const leaked = JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] })
    const { stdout } = await run(['extract', '--explain'], { input: leaked })
    expect(stdout).toContain('  │ Let me look.\n  │ ⟦call 1: <tool_call>')
    expect(stdout).toContain('get_weather  hermes, at 2:1')
  })
})

describe.concurrent('extract --stream', () => {
  test('shows one event a line', async () => {
    const { stdout } = await run(['extract', '--stream', file('reply.txt', REPLY)])
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^text {7}"/)
    expect(lines.some((line) => line.startsWith('call 1     get_weather (hermes)'))).toBe(true)
    expect(lines.at(-1)).toBe('call 1     get_weather {"city":"Oslo","days":2}')
  })

  test('gives events as NDJSON, whose pieces add up', async () => {
    const { stdout } = await run(['extract', '--stream', '--json', file('reply.txt', REPLY)])
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const pieces = events.filter(({ type }) => type === 'call-delta')
    const joined = pieces.map(({ argumentsDelta }) => argumentsDelta).join('')
    expect(JSON.parse(joined)).toEqual({ city: 'Oslo', days: 2 })
    expect(events.filter(({ type }) => type === 'call-end')).toHaveLength(1)
  })

  test('does not wait for the end of its input', async () => {
    const child = start(['extract', '--stream'])
    child.stdin.write('Hello there. ')
    const [first] = await once(child.stdout, 'data')
    expect(String(first)).toMatch(/^text {7}"Hello there/)
    child.stdin.end()
    expect((await once(child, 'close'))[0]).toBe(0)
  })

  test('ends quietly when nobody reads on', async () => {
    const child = start(['extract', '--stream'])
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdin.on('error', () => {})
    child.stdin.write('Hello. '.repeat(10))
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const more = setInterval(() => child.stdin.write('Hello. '.repeat(1000)), 20)
    const [code] = await once(child, 'close')
    clearInterval(more)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})

test('a file is read as far as somebody reads the events', async () => {
  const path = file('endless.txt', '')
  // Holes: as long as no program could keep in its memory, and nothing on the disk.
  truncateSync(path, 2 ** 33)
  const child = start(['extract', '--stream', path])
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const [code] = await once(child, 'close')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

describe.concurrent('protocols', () => {
  test('lists every protocol of the registry', async () => {
    const { stdout, code } = await run(['protocols'])
    for (const { id } of allProtocols) expect(stdout).toMatch(new RegExp(`^${id} `, 'm'))
    expect(code).toBe(0)
  })

  test('lists them as JSON', async () => {
    const list = JSON.parse((await run(['protocols', '--json'])).stdout)
    expect(list.map(({ id }: { id: string }) => id)).toEqual(allProtocols.map(({ id }) => id))
  })

  test('shows one: a call, the instructions, a result', async () => {
    const { stdout } = await run(['protocols', 'hermes'])
    expect(stdout).toContain('<tool_call>')
    expect(stdout).toContain('Current weather of a city')
    expect(stdout).toContain('<tool_response>')
  })
})

const REQUEST = {
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather?' },
    RESPONSE.choices[0]?.message,
    { role: 'tool', tool_call_id: 'call_7', content: '4 °C' },
  ],
  seed: 7,
}

const STREAM = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'Brr ❄' } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
  .map((chunk) => `data: ${JSON.stringify({ id: 'c1', model: 'm', ...chunk })}\n\n`)
  .join('')

describe.concurrent('convert', () => {
  test('a request, with what is lost on standard error', async () => {
    const path = file('request.json', JSON.stringify(REQUEST))
    const { stdout, stderr, code } = await run(['convert', path, '--to', 'anthropic'])
    expect(JSON.parse(stdout)).toMatchObject({
      system: 'Be brief.',
      messages: [{ role: 'user' }, { role: 'assistant' }, { content: [{ type: 'tool_result' }] }],
    })
    expect(stderr).toContain('toolglot: not-expressible: anthropic has no `seed`; it was left out')
    expect(stderr).toMatch(
      /^toolglot: added-field: anthropic requires `max_tokens`; \d+ was added$/m,
    )
    expect(code).toBe(0)
    const quiet = await run(['convert', path, '--to', 'anthropic', '--quiet'])
    expect(quiet.stderr).toBe('')
  })

  test('a reply, from standard input', async () => {
    const input = JSON.stringify(RESPONSE)
    const { stdout } = await run(['convert', '--to', 'ollama', '--compact'], { input })
    expect(stdout.trim().split('\n')).toHaveLength(1)
    expect(JSON.parse(stdout).message.tool_calls).toMatchObject([
      { function: { name: 'get_weather', arguments: { city: 'Oslo' } } },
    ])
  })

  test.for([[], ['--from', 'openai'], ['--kind', 'stream']])('a stream (%j)', async (more) => {
    const args = ['convert', '--to', 'anthropic', ...more]
    const { stdout } = await run(args, { input: STREAM })
    expect(stdout).toMatch(/^event: message_start\n/)
    expect(stdout).toContain('Brr ❄')
    const back = await run(['convert', '--to', 'openai-chat', '--whole'], { input: stdout })
    expect(JSON.parse(back.stdout).choices).toMatchObject([{ message: { content: 'Brr ❄' } }])
  })

  test('a stream that was cut off, as far as it came', async () => {
    const input = STREAM.slice(0, STREAM.indexOf('\n\n') + 2)
    const args = ['convert', '--to', 'ollama', '--whole', '--from', 'openai-chat']
    const { stdout, stderr } = await run(args, { input })
    expect(JSON.parse(stdout).message.content).toBe('Brr ❄')
    expect(stderr).toMatch(/^toolglot: invalid-response: .*ended before/)
  })

  test('a stream does not wait for its end', async () => {
    const args = ['convert', '--from', 'openai-chat', '--to', 'ollama', '--kind', 'stream']
    const child = start(args)
    child.stdin.write(STREAM.slice(0, STREAM.indexOf('\n\n') + 2))
    const [first] = await once(child.stdout, 'data')
    expect(String(first)).toContain('Brr ❄')
    child.stdin.end(STREAM.slice(STREAM.indexOf('\n\n') + 2))
    const [code] = await once(child, 'close')
    expect(code).toBe(0)
  })

  test.for(['', 'no stream at all', JSON.stringify(REQUEST), '\u0000\u0001\u0002'])(
    'a stream without a reply is no success (%j)',
    async (input) => {
      const args = ['convert', '--from', 'openai-chat', '--to', 'anthropic', '--kind', 'stream']
      const { stdout, stderr, code } = await run(args, { input })
      expect(stdout).toMatch(/^event: error\n/)
      expect(stderr).toBe(
        'toolglot: there is nothing of a reply in this stream as openai-chat reads it\n',
      )
      expect(code).toBe(2)
    },
  )

  test('tools, in any spelling', async () => {
    const input = JSON.stringify(TOOLS)
    const { stdout } = await run(['convert', '--to', 'anthropic'], { input })
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'get_weather', input_schema: {} }])
    const wrapped = JSON.stringify({ tools: TOOLS })
    const other = await run(['convert', '--to', 'openai-chat'], { input: wrapped })
    expect(JSON.parse(other.stdout)).toMatchObject([{ function: { name: 'get_weather' } }])
  })

  test('a history, healed', async () => {
    const input = JSON.stringify(REQUEST.messages.slice(1, 3))
    const { stdout, stderr } = await run(['convert', '--to', 'mistral'], { input })
    const [, asked, answered] = JSON.parse(stdout)
    expect(asked.tool_calls[0].id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(answered.tool_call_id).toBe(asked.tool_calls[0].id)
    expect(stderr).toContain('missing-result')
  })
})

describe.concurrent('providers', () => {
  test('lists every provider of the registry', async () => {
    const { stdout, code } = await run(['providers'])
    for (const { id } of allProviders) expect(stdout).toMatch(new RegExp(`^${id} `, 'm'))
    expect(code).toBe(0)
  })

  test('lists them as JSON', async () => {
    const list = JSON.parse((await run(['providers', '--json'])).stdout)
    expect(list.map(({ id }: { id: string }) => id)).toEqual(allProviders.map(({ id }) => id))
  })

  test('shows one: address, key, dialect', async () => {
    const { stdout } = await run(['providers', 'groq'])
    expect(stdout).toContain('https://api.groq.com')
    expect(stdout).toContain('GROQ_API_KEY')
    expect(stdout).toContain('openai-chat')
  })

  test.for([
    ['gemini', 'google'],
    ['copilot', 'github-copilot'],
    ['GITHUB_MODELS', 'github-models'],
    ['grok', 'xai'],
  ] as const)('shows %s as %s', async ([written, id]) => {
    expect(JSON.parse((await run(['providers', written, '--json'])).stdout)).toMatchObject({ id })
  })
})

describe.concurrent('demo', () => {
  test('shows samples and what to try next', async () => {
    const { stdout, stderr, code } = await run(['demo'])
    expect(stderr).toBe('')
    expect(stdout.match(/^── \d/gm)).toHaveLength(8)
    expect(stdout).toContain('toolglot extract reply.txt --explain')
    expect(code).toBe(0)
  })
})

describe.concurrent('help and version', () => {
  test('--version is the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(await run(['--version'])).toEqual({ stdout: `${version}\n`, stderr: '', code: 0 })
  })

  test.for([
    ['--help'],
    ['extract', '--help'],
    ['protocols', '-h'],
    ['convert', '--help'],
    ['providers', '-h'],
    ['doctor', '--help'],
    ['help', 'demo'],
    ['extract', '--wrong', '--help'],
  ])('%j shows how to use it, with an example', async (args) => {
    const { stdout, stderr, code } = await run(args)
    expect(stdout).toMatch(/^Usage: toolglot/)
    expect(stdout).toMatch(/^Examples?:\n {2}toolglot/m)
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  })

  test('nothing at all shows the help, but is a mistake', async () => {
    const { stdout, code } = await run([])
    expect(stdout).toMatch(/^Usage: toolglot/)
    expect(code).toBe(2)
  })
})

describe.concurrent('mistakes', () => {
  test.for<[string[], RegExp]>([
    [['extrct'], /unknown command extrct \(did you mean extract\?\)/],
    [['--wrong'], /unknown option --wrong; the commands are/],
    [['extract', '--protcol', 'x'], /unknown option --protcol \(did you mean --protocol\?\)/],
    [['extract', '-x'], /unknown option -x/],
    [['extract', '--tools'], /--tools wants a value behind it/],
    [
      ['extract', '--tools', '--json'],
      /--tools wants a value, and .* write --tools=… if it is one/,
    ],
    [['extract', '--json=yes'], /--json takes no value/],
    [['extract', '--tool', ''], /--tool cannot be empty/],
    [['extract', ''], /"": no such file/],
    [['extract', 'a.txt', 'b.txt'], /only one reply at a time/],
    [['extract', '--protocol', 'hermse'], /no protocol is called hermse \(did you mean hermes\?\)/],
    [
      ['extract', '--preset', 'chatclii'],
      /--preset cannot be "chatclii" \(did you mean chatcli\?\)/,
    ],
    [['extract', '--repair', 'save'], /--repair cannot be "save" \(did you mean safe\?\)/],
    [['extract', '--finish-reason', 'lenght'], /"lenght" \(did you mean length\?\)/],
    [['extract', '--stream', '--explain'], /do not go together/],
    [['extract', 'no-such-file.txt'], /no-such-file\.txt: no such file/],
    [['extract', '.'], /is a directory/],
    [['extract', '--tools', 'no-such-file.json'], /no-such-file\.json: no such file/],
    [['extract', '--tools', 'a.json', '--tool', 'search'], /do not go together/],
    [['protocols', 'hermse'], /did you mean hermes\?/],
    [['protocols', 'hermes', 'bracket'], /only one id/],
    [['providers', 'groqq'], /did you mean groq\?/],
    [['providers', 'gemni'], /did you mean google\?/],
    [['convert'], /--to is missing/],
    [['convert', '--to', 'gemni'], /--to cannot be "gemni" \(did you mean gemini\?\)/],
    [
      ['convert', '--to', 'copilott'],
      /--to cannot be "copilott" \(did you mean github-copilot\?\)/,
    ],
    [['convert', '--to', 'gemini', '--kind', 'tool'], /did you mean tools\?/],
    [['convert', '--to', 'gemini'], /neither JSON nor a stream of a known dialect/],
    [['convert', '--to', 'gemini', '--kind', 'request'], /a request must be JSON/],
    [['convert', '--to', 'gemini', 'no-such-file.json'], /no-such-file\.json: no such file/],
    [['doctor'], /base URL of the server is missing/],
    [['doctor', 'http://127.0.0.1:8000/v1', ''], /name of the model is missing/],
    [['demo', 'now'], /takes no arguments/],
  ])('%j is one line and exit code 2', async ([args, message]) => {
    await expectMistake(args, message)
  })

  test.for([
    ['[{"name": "a"},\n {"name" "b"}]', ':2:10: not JSON'],
    ['[{"name": "a"}', ':1:15: not JSON'],
    ['abc', ':1:1: not JSON'],
    ['["a"] ["b"]', ':1:7: not JSON'],
    ['"get_weather"', ': expected a list of tools'],
    ['[{"description": "no name"}]', ': tools[0] has no name'],
  ] as const)('tools that cannot be read: %s', async ([text, message]) => {
    const path = file('broken.json', text)
    await expectMistake(['extract', '--tools', path], `${path}${message}`)
  })

  test.for([
    ['', ': is empty'],
    ['{"model": "a",\n "messages": [}', 'neither JSON (not from 2:15 on) nor a stream'],
    ['{}', 'no request or reply of a known dialect; say --from:'],
    ['"text"', 'convert takes a request, a reply, or a list of messages'],
  ] as const)('what cannot be converted: %s', async ([text, message]) => {
    await expectMistake(['convert', file('odd.json', text), '--to', 'anthropic'], message)
  })

  test('what is called something that it does not look like', async () => {
    const path = file(
      'request.json',
      '{"model": "a", "messages": [{"role": "user", "content": "Hi"}]}',
    )
    const args = ['convert', path, '--to', 'anthropic', '--kind', 'response']
    await expectMistake(args, 'this does not look like a response; say --from if it is one')
  })

  test('a path below a file', async () => {
    const path = join(file('reply.txt', REPLY), 'below')
    await expectMistake(['extract', path], 'no such file')
  })

  test('a folder for the tools', async () => {
    mkdirSync(join(folder, 'tools'), { recursive: true })
    await expectMistake(['extract', '--tools', join(folder, 'tools')], 'is a directory')
  })

  async function expectMistake(args: string[], message: string | RegExp): Promise<void> {
    const { stdout, stderr, code } = await run(args, { input: REPLY })
    if (typeof message === 'string') expect(stderr).toContain(message)
    else expect(stderr).toMatch(message)
    expect(stderr).toMatch(/^toolglot: [^\n]+\n$/)
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 })
  }
})

test('the exit code is the same when nobody reads what is wrong', async () => {
  const child = start(['extract', 'no-such-file.txt'])
  child.stderr.destroy()
  const [code] = await once(child, 'close')
  expect(code).toBe(2)
})

test.skipIf(!existsSync('/dev/full'))(
  'output that cannot be written is told in a line',
  async () => {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [main, 'protocols'], { stdio: ['ignore', full, 'pipe'] })
    closeSync(full)
    let stderr = ''
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
    })
    const [code] = await once(child, 'close')
    expect(stderr).toMatch(/^toolglot: standard output: ENOSPC[^\n]*\n$/)
    expect(code).toBe(2)
  },
)

test('Ctrl-C ends it without a word', async () => {
  const child = start(['extract', '--stream'])
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdin.write('Hello there. ')
  await once(child.stdout, 'data')
  child.kill('SIGINT')
  const [code, signal] = await once(child, 'close')
  expect({ ended: code ?? signal, stderr }).toEqual({ ended: 'SIGINT', stderr: '' })
})

let files = 0

// Tests run side by side, so each file has a name of its own.
function file(name: string, text: string): string {
  const path = join(folder, `${files++}-${name}`)
  writeFileSync(path, text)
  return path
}

interface Run {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

function start(args: readonly string[], env: Run['env'] = {}) {
  const { FORCE_COLOR: _force, NO_COLOR: _no, ...clean } = process.env
  return spawn(process.execPath, [main, ...args], {
    cwd: ROOT,
    env: { ...clean, ...env },
  })
}

async function run(args: readonly string[], { input = '', env }: Run = {}) {
  const child = start(args, env)
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  // A command that does not want its input may have ended before all of it is written.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return {
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
    code: code as number | null, // the first argument of a child's `close`
  }
}
