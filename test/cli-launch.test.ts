/** `toolglot launch`, as a process of its own, with a program in place of each agent that shows what it was given. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Agent } from '../src/cli/launch/agent.ts'
import { AGENTS } from '../src/cli/launch/registry.ts'
import { FOLDER, setupScript } from '../src/cli/launch/script.ts'
import { buildCommand } from './support/built-command.ts'
import { type Served, serve } from './support/served.ts'

const FAKE_AGENT = fileURLToPath(new URL('support/fake-agent.mjs', import.meta.url))

let folder = ''
let main = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolglot-agents-'))
  main = await buildCommand(folder)
  mkdirSync(join(folder, 'bin'))
  for (const { programs } of AGENTS) writeProgram(programs[0] ?? '', [FAKE_AGENT])
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Puts a program on PATH that runs a script of Node. */
function writeProgram(name: string, script: readonly string[]): void {
  const file = join(folder, 'bin', name)
  const command = [process.execPath, ...script].map((word) => `"${word}"`).join(' ')
  writeFileSync(file, `#!/bin/sh\nexec ${command} "$@"\n`)
  chmodSync(file, 0o755)
}

function programPath(): string {
  return `${join(folder, 'bin')}:/usr/bin:/bin`
}

/** What the program in place of the agent shows. */
interface Given {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Texts of the files that arguments and variables name. */
  readonly files: Readonly<Record<string, string>>
  /** What the gateway answered to a list of models. */
  readonly models?: { readonly status: number; readonly ids: readonly string[] }
}

interface Ended {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | string
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly home?: string
}

async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { env = {}, cwd = emptyFolder(), home = emptyFolder() } = options
  const child = spawn(process.execPath, [main, 'launch', ...args], {
    cwd,
    env: { PATH: programPath(), HOME: home, TMPDIR: emptyFolder(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
    })
  }
  const [code, signal] = await once(child, 'close')
  return { ...said, code: code ?? signal }
}

async function given(args: readonly string[], options?: RunOptions): Promise<Given> {
  const { stdout, stderr, code } = await run(args, options)
  if (code !== 0) throw new Error(`ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

function emptyFolder(): string {
  return mkdtempSync(join(folder, 'empty-'))
}

/** With a configuration that looks for nothing on the machine that runs the tests. */
function configured(config: object = {}): string {
  const cwd = emptyFolder()
  writeFileSync(
    join(cwd, 'toolglot.config.json'),
    JSON.stringify({ discover: false, port: 1, ...config }),
  )
  return cwd
}

describe.each(AGENTS)('$name', (agent) => {
  test('is led to a gateway of its own, and leaves nothing after it', async () => {
    const home = emptyFolder()
    const TMPDIR = emptyFolder()
    writeFileSync(join(home, '.profile'), 'mine')
    const args = [agent.id, '--model', 'demo/hermes', '--', 'a b', '-x']
    const got = await given(args, { cwd: configured(), home, env: { TMPDIR } })
    expect(JSON.stringify(got)).toMatch(/http:\/\/127\.0\.0\.1:\d+/)
    expect(JSON.stringify(got)).toContain('demo/hermes')
    expect(got.args.slice(-2)).toEqual(['a b', '-x'])
    expect(got.models?.status).toBe(200)
    expect(got.models?.ids).toContain('demo/hermes')
    expect(readdirSync(home)).toEqual(['.profile'])
    expect(readdirSync(TMPDIR)).toEqual([])
  })

  test('--print sets the same in a shell', () => {
    const home = emptyFolder()
    const target = { url: 'http://127.0.0.1:1', model: "it's/a model", key: '$KEY "quoted"' }
    const setup = agent.setup(target, { folder: FOLDER, home, env: {} })
    const script = setupScript({ agent, ...target, setup, args: ['a b'] })
    const command = script.split('\n').at(-1)?.slice(2) ?? ''
    const env = {
      PATH: programPath(),
      HOME: home,
      FAKE_AGENT_IS_ALONE: '1',
    }
    const shown = execFileSync('sh', ['-ec', `${script}\n${command}`], { encoding: 'utf8', env })
    const got: Given = JSON.parse(shown.replaceAll(/\/tmp\/tmp\.\w+/g, FOLDER))
    const variables = Object.entries(setup.env).filter(([, value]) => value !== null)
    expect(got.env).toMatchObject({ ...Object.fromEntries(variables), ...setup.preferences })
    expect(got.args).toEqual([...(setup.args ?? []), 'a b'])
    const files = Object.entries(setup.files ?? {})
    expect(Object.keys(got.files).toSorted()).toEqual(
      files.map(([name]) => `${FOLDER}/${name}`).toSorted(),
    )
    for (const [name, { text }] of files) expect(got.files[`${FOLDER}/${name}`]).toBe(text)
  })
})

test.for([
  { options: [], count: 4 },
  { options: ['--key', 'a-key-of-the-gateway'], count: 3 },
])('every line that a gateway with $options shows at its start leads to it', async (given) => {
  const { url, stderr } = await startGateway(given.options)
  writeProgram('toolglot', [main])
  for (const name of ['your-program', 'ollama']) writeProgram(name, [FAKE_AGENT])
  const [, section = ''] = stderr().split('To try\n')
  const lines = section.split('\n').filter((line) => /^ {2}(?!curl)\S/.test(line))
  expect(lines).toHaveLength(given.count)
  for (const line of lines) {
    const shown = execFileSync('sh', ['-ec', line], {
      encoding: 'utf8',
      cwd: configured(),
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: programPath(), HOME: emptyFolder(), TOOLGLOT_KEY: 'a-key-of-the-gateway' },
    })
    const { models }: Given = JSON.parse(shown)
    expect({ line, status: models?.status }).toEqual({ line, status: 200 })
    expect(shown).toContain(url)
  }
})

test('--print asks the gateway, and starts nothing', async () => {
  const { url } = await startGateway()
  const { stdout, code } = await run([
    'codex',
    '--model',
    'demo/hermes',
    '--gateway',
    url,
    '--print',
  ])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^# Codex CLI, model demo\/hermes, gateway http/)
  expect(stdout).toMatch(/^# codex -c 'model="demo\/hermes"'/m)
})

describe('the gateway', () => {
  test('one that runs where the configuration says is asked', async () => {
    const { url } = await startGateway()
    const cwd = configured({ port: Number(new URL(url).port) })
    const { env, models } = await given(['claude', '--model', 'demo/hermes'], { cwd })
    expect(env['ANTHROPIC_BASE_URL']).toBe(url)
    expect(models?.status).toBe(200)
  })

  test('--own starts another one, which ends with the agent', async () => {
    const { url } = await startGateway()
    const cwd = configured({ port: Number(new URL(url).port) })
    const { env } = await given(['claude', '--own', '--model', 'demo/hermes'], { cwd })
    const own = env['ANTHROPIC_BASE_URL'] ?? ''
    expect(own).not.toBe(url)
    await expect(fetch(`${own}/health`)).rejects.toThrow('fetch failed')
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  test('with keys, it is asked with the one of the configuration, or with the one that is given', async () => {
    const { url } = await startGateway(['--key', 'a-key-of-the-gateway'])
    const port = Number(new URL(url).port)
    const cwd = configured({ port, keys: [{ name: 'me', key: 'a-key-of-the-gateway' }] })
    const args = ['codex', '--model', 'demo/hermes']
    const { env, models } = await given(args, { cwd })
    expect(env['TOOLGLOT_KEY']).toBe('a-key-of-the-gateway')
    expect(models?.status).toBe(200)
    const elsewhere = [...args, '--gateway', `${url}/v1/`]
    const refused = await run(elsewhere)
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('wants a key: --key <key>, or the variable TOOLGLOT_KEY')
    const TOOLGLOT_KEY = 'a-key-of-the-gateway'
    expect((await given(elsewhere, { env: { TOOLGLOT_KEY } })).models?.status).toBe(200)
  })

  test('its log goes to a file, and never to the terminal of the agent', async () => {
    const log = join(emptyFolder(), 'gateway.log')
    const cwd = configured({ log: { level: 'trace' } })
    const args = ['claude', '--model', 'demo/hermes']
    const { stderr } = await run([...args, '--log-file', log], {
      cwd,
      env: { FAKE_AGENT_ASKS: '1' },
    })
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(readFileSync(log, 'utf8')).toContain('"model":"demo/hermes"')
  })

  test('a mistake in its configuration is told, with its place', async () => {
    const cwd = configured({ prot: 1 })
    const { stderr, code } = await run(['claude', '--model', 'demo/hermes'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('toolglot.config.json:')
    expect(stderr).toContain('did you mean "port"?')
  })
})

describe('the model', () => {
  test('is the default of the configuration, when none is named', async () => {
    const models = { mine: 'demo/hermes', other: 'demo/echo' }
    const cwd = configured({ models, defaultModel: 'other' })
    const { env } = await given(['claude'], { cwd })
    expect(env['ANTHROPIC_MODEL']).toBe('other')
  })

  test('is the only one there is', async () => {
    const { env } = await given(['claude'], {
      cwd: configured({ models: { mine: 'demo/hermes' } }),
    })
    expect(env['ANTHROPIC_MODEL']).toBe('mine')
  })

  test('one of several has to be named', async () => {
    const models = { mine: 'demo/hermes', other: 'demo/echo' }
    const { stderr, code } = await run(['claude'], { cwd: configured({ models }) })
    expect(code).toBe(2)
    expect(stderr).toContain('which model? --model <name>; there are mine, other')
  })

  test('with nothing but demo models, says what to do', async () => {
    const { stderr } = await run(['claude'], { cwd: configured() })
    expect(stderr).toContain('Start Ollama or another server')
    expect(stderr).toContain('--model demo/hermes')
  })

  test('one that is not there is refused before the agent starts', async () => {
    const cwd = configured({ models: { mine: 'demo/hermes' } })
    const { stdout, stderr, code } = await run(['claude', '--model', 'mien'], { cwd })
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 })
    expect(stderr).toContain('has no model mien (did you mean mine?)')
  })
})

describe('settings of the user', () => {
  test('variables that choose another service are taken away', async () => {
    const env = { ANTHROPIC_API_KEY: 'sk-mine', ANTHROPIC_BASE_URL: 'https://elsewhere.example' }
    const got = await given(['claude', '--model', 'demo/hermes'], { cwd: configured(), env })
    expect(got.env['ANTHROPIC_API_KEY']).toBeUndefined()
    expect(JSON.stringify(got)).not.toContain('elsewhere')
  })

  test('preferences of the user win over ours', async () => {
    const env = { ENABLE_TOOL_SEARCH: 'auto' }
    const got = await given(['claude', '--model', 'demo/hermes'], { cwd: configured(), env })
    expect(got.env['ENABLE_TOOL_SEARCH']).toBe('auto')
    expect(got.env['CLAUDE_CODE_ATTRIBUTION_HEADER']).toBe('0')
  })

  test('Gemini CLI keeps its settings, its history and its servers', async () => {
    const home = emptyFolder()
    const own = { security: { auth: { selectedType: 'oauth-personal' } }, mcpServers: { mine: {} } }
    const text = `// mine\n${JSON.stringify(own)}`
    mkdirSync(join(home, '.gemini', 'tmp'), { recursive: true })
    writeFileSync(join(home, '.gemini', 'settings.json'), text)
    writeFileSync(join(home, '.gemini', 'GEMINI.md'), 'Be brief.')
    const got = await given(['gemini', '--model', 'demo/hermes'], { cwd: configured(), home })
    const seen = Object.entries(got.files)
    const [, settings = ''] = seen.find(([name]) => name.endsWith('settings.json')) ?? []
    expect(JSON.parse(settings)).toMatchObject({
      security: { auth: { selectedType: 'gemini-api-key' } },
      mcpServers: { mine: {} },
    })
    expect(seen.find(([name]) => name.endsWith('GEMINI.md'))?.[1]).toBe('Be brief.')
    expect(readFileSync(join(home, '.gemini', 'settings.json'), 'utf8')).toBe(text)
    expect(readdirSync(join(home, '.gemini'))).toEqual(['GEMINI.md', 'settings.json', 'tmp'])
  })

  test('the length of the context is passed on where the gateway knows it', async () => {
    const target = { url: 'http://gateway', model: 'm', contextLength: 32_768 }
    const machine = { folder: '/folder', home: '/home', env: {} }
    const setups = AGENTS.map((agent) => agent.setup(target, machine))
    const aware = setups.filter((setup) => /32768|8192/.test(JSON.stringify(setup)))
    expect(aware.length).toBeGreaterThanOrEqual(6)
  })
})

describe('the agent', () => {
  test('its exit code is ours', async () => {
    const env = { FAKE_AGENT_EXITS: '7' }
    const { code } = await run(['claude', '--model', 'demo/hermes'], { cwd: configured(), env })
    expect(code).toBe(7)
  })

  test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('gets %s', async (signal) => {
    const env = { FAKE_AGENT_TELLS: signal }
    const { stdout, code } = await run(['claude', '--model', 'demo/hermes'], {
      cwd: configured(),
      env,
    })
    expect({ stdout, code }).toEqual({ stdout: `got ${signal}\n`, code: 9 })
  })

  test('one that is not installed: how to install it', async () => {
    const env = { PATH: '/nowhere' }
    const { stderr, code } = await run(['claude', '--model', 'demo/hermes'], { env })
    expect(code).toBe(2)
    expect(stderr).toBe(
      'toolglot: Claude Code is not installed: there is no claude on PATH. Install it with: npm install -g @anthropic-ai/claude-code\n',
    )
  })

  test.for<[string[], string]>([
    [['cluade'], 'unknown agent cluade (did you mean claude?); the agents are claude, codex'],
    [[], 'which agent? claude, codex'],
    [['claude', '--gateway', 'http://127.0.0.1:1'], 'no gateway answers at http://127.0.0.1:1'],
    [['claude', '--gateway', 'here'], '--gateway cannot be "here"; it takes an address'],
    [['claude', '--own', '--gateway', 'x'], '--own and --gateway do not go together'],
    [['claude', '--modle', 'x'], 'unknown option --modle (did you mean --model?)'],
    [
      ['claude', '-p', 'Hi'],
      'unknown option -p; --help lists them all; options of the agent come after --',
    ],
    [['claude', '--print'], 'which model? --model <name>; no gateway runs'],
  ])('%j is a mistake', async ([args, message]) => {
    const { stderr, code } = await run(args, { cwd: configured() })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  })

  test('--list shows all, and which are installed', async () => {
    const { stdout } = await run(['--list'])
    const rows = stdout.trim().split('\n')
    expect(rows.map((row) => row.split(' ')[0])).toEqual(AGENTS.map(({ id }) => id))
    expect(rows.every((row) => row.endsWith('installed'))).toBe(true)
  })
})

test.each(AGENTS)('by hand, $name is set to what launch sets', ({ setup, manual }: Agent) => {
  const target = { url: 'http://127.0.0.1:4141', model: 'ollama/qwen3-coder' }
  const {
    args = [],
    env,
    preferences,
    files = {},
  } = setup(target, {
    folder: '/folder',
    home: '/home',
    env: {},
  })
  const lasting = manual(target)
  for (const [name, value] of Object.entries(lasting.env ?? {})) {
    expect({ ...preferences, ...env }).toMatchObject({ [name]: value })
  }
  const launched = JSON.stringify([args, env, Object.values(files)])
  const typed = JSON.stringify(lasting)
  for (const text of [launched, typed]) {
    expect(text).toContain(target.url)
    expect(text).toContain(target.model)
  }
})

async function startGateway(options: readonly string[] = []): Promise<Served> {
  const args = [main, 'serve', '--no-discover', '--port', '0', ...options]
  const served = await serve(args, { cwd: emptyFolder() })
  onTestFinished(async () => {
    served.child.kill('SIGKILL')
    await served.ended
  })
  return served
}
