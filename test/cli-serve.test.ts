/** `toolglot serve`, as a process of its own, from its start to its end. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { buildCommand } from './support/built-command.ts'
import { type Served, type ServeOptions, serve, slowStream, textIn } from './support/served.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const QUIET = ['--no-discover', '--port', '0']

let folder = ''
let main = ''
let count = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolglot-serve-'))
  main = await buildCommand(folder)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the start', () => {
  test('says what there is, where it is and what to try', async () => {
    const { url, stderr, child, ended } = await start(QUIET)
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(stderr()).toMatch(/^Toolglot \d+\.\d+/)
    expect(stderr()).toMatch(/listed +\d demo models;/)
    expect(stderr()).toContain(`playground          ${url}/\n`)
    for (const variable of ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'OLLAMA_HOST']) {
      expect(stderr()).toMatch(new RegExp(`^ {2}${variable}=${url}`, 'm'))
    }
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  test('what it says to try works', async () => {
    const { stderr } = await start(QUIET)
    const line = /^ {2}(curl .*)$/m.exec(stderr())?.[1] ?? ''
    const reply = JSON.parse(execFileSync('sh', ['-c', `${line} --silent`], { encoding: 'utf8' }))
    expect(reply.choices[0].message.tool_calls[0].function).toEqual({
      name: 'get_weather',
      arguments: '{"city":"Oslo"}',
    })
  })

  test('finds keys in the environment, and shows only the names of their variables', async () => {
    const env = { OPENAI_API_KEY: 'sk-secret-of-mine', OLLAMA_HOST: '127.0.0.1:1' }
    const { stderr, stdout } = await start(['--port', '0'], { env })
    expect(stderr()).toMatch(/OpenAI +key in OPENAI_API_KEY/)
    expect(stderr() + stdout()).not.toContain('sk-secret')
  })

  test('clients need the key that is asked for, and nobody is shown it', async () => {
    const { url, stderr } = await start([...QUIET, '--key', 'a-key-for-clients'])
    expect((await fetch(`${url}/v1/models`)).status).toBe(401)
    const headers = { authorization: 'Bearer a-key-for-clients' }
    expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(200)
    expect(stderr()).toContain('ANTHROPIC_AUTH_TOKEN=$TOOLGLOT_KEY')
    expect(stderr()).not.toContain('a-key-for-clients')
  })

  test('leaves out what is not wanted', async () => {
    const { url, stderr } = await start([...QUIET, '--no-demo', '--no-playground', '--no-traffic'])
    expect(stderr()).toMatch(/listed +0;/)
    expect(await (await fetch(`${url}/`)).text()).toBe('Toolglot is running')
    expect((await fetch(`${url}/index.html`)).status).toBe(404)
    expect((await fetch(`${url}/playground/traffic`)).status).toBe(404)
    expect(await (await fetch(`${url}/v1/models`)).json()).toMatchObject({ data: [] })
  })

  test('logs a request on standard output, one JSON object a line, and no payloads', async () => {
    const { url, stdout, said } = await start(QUIET)
    await ask(url, 'demo/hermes')
    await said('"msg":"request"')
    const lines = stdout().trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ status: 200, tools: 1 }])
    expect(stdout()).not.toContain('umbrella')
  })

  test('--log-payloads logs what was said as well', async () => {
    const { url, said } = await start([...QUIET, '--log-payloads'])
    await ask(url, 'demo/hermes')
    await said('umbrella')
  })
})

describe('the port', () => {
  test('one that was asked for and is taken is told, with what to do', async () => {
    const port = await takenPort()
    const { stderr, ended } = await start(['--no-discover', '--port', String(port)])
    expect(await ended).toBe(2)
    expect(stderr()).toBe(
      `toolglot: port ${port} of 127.0.0.1 is taken; choose another with --port, or any free one with --port 0\n`,
    )
  })

  test('without one, the next that is free is taken', async () => {
    // Whoever has it, now it is taken.
    const other = createServer()
    await new Promise<void>((resolve) => {
      other.once('error', () => resolve())
      other.listen(4141, '127.0.0.1', () => resolve())
    })
    onTestFinished(() => void other.close())
    const { url, stderr } = await start(['--no-discover'])
    expect(Number(new URL(url).port)).toBeGreaterThan(4141)
    expect(stderr()).toContain('port 4141 is taken, so this is the next')
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  test('an address that is not of this machine is told', async () => {
    const { stderr, ended } = await start([...QUIET, '--host', '192.0.2.1'])
    expect(await ended).toBe(2)
    expect(stderr()).toContain('this machine has no address 192.0.2.1')
  })
})

describe('the configuration', () => {
  test('everything that is wrong with it is listed with its place', async () => {
    const cwd = project({ prot: 1, models: { fast: 'demo/hermse', slow: 'opnai/gpt-5' } })
    const { stderr, stdout, ended } = await start(QUIET, { cwd })
    expect(await ended).toBe(2)
    expect(stdout()).toBe('')
    const lines = stderr().trim().split('\n')
    expect(lines[0]).toMatch(/^toolglot: toolglot\.config\.json:2:3: prot: there is no such prop/)
    expect(lines[1]).toMatch(/^toolglot: toolglot\.config\.json:4:13: models\.fast: /)
    expect(lines[2]).toMatch(/^toolglot: toolglot\.config\.json:5:13: models\.slow: .*openai/)
  })

  test.for([
    [['--config', 'nowhere.json'], /nowhere\.json: no such file/],
    [['--port', 'many'], /--port cannot be "many"/],
    [['--port', '70000'], /--port cannot be "70000"/],
    [['--log-level', 'loud'], /--log-level cannot be "loud"/],
    [['--redis-url', 'http://127.0.0.1'], /--redis-url/],
    [['--traffic', '--no-traffic'], /do not go together/],
    [['now'], /serve takes no arguments/],
  ] as const)('%j is a mistake', async ([args, message]) => {
    const { stderr, stdout, ended } = await start(args)
    expect({ code: await ended, stdout: stdout() }).toEqual({ code: 2, stdout: '' })
    expect(stderr()).toMatch(message)
  })

  test('--check shows what it comes to, without secrets, and starts nothing', async () => {
    const cwd = project({
      providers: { openai: { apiKey: 'sk-secret', headers: { 'x-team': 'secret' } } },
      keys: [{ name: 'me', key: 'a-secret-key' }],
    })
    const { stderr, stdout, ended } = await start(['--check', '--port', '5000'], { cwd })
    expect(await ended).toBe(0)
    expect(JSON.parse(stdout())).toMatchObject({
      port: 5000,
      providers: { openai: { apiKey: '***', headers: { 'x-team': '***' } } },
      keys: [{ name: 'me', key: '***' }],
      shutdownMs: 30_000,
    })
    expect(stderr()).toContain('port is from --port\n')
    expect(stderr()).toContain('keys is from toolglot.config.json\n')
    expect(stdout() + stderr()).not.toContain('secret')
  })

  test('--check finds what is wrong', async () => {
    const cwd = project({ models: { fast: 'opnai/gpt-5' } })
    const { stderr, ended } = await start(['--check'], { cwd })
    expect(await ended).toBe(2)
    expect(stderr()).toContain('toolglot.config.json:3:13: models.fast')
  })
})

describe('a new configuration', () => {
  test.for(['a changed file', 'SIGHUP'])('by %s, while a stream goes on', async (how) => {
    const cwd = project({ models: { old: 'demo/hermes' } })
    const { url, child, said } = await start(QUIET, { cwd })
    expect(await modelsAt(url)).toContain('old')
    const stream = await slowStream(url, 100)
    configure(cwd, { models: { new: 'demo/hermes' } })
    if (how === 'SIGHUP') child.kill('SIGHUP')
    await said('the configuration was read again')
    const models = await modelsAt(url)
    expect(models).toContain('new')
    expect(models).not.toContain('old')
    const { text, isComplete } = textIn(await stream.text())
    expect({ words: text.match(/word/g)?.length, isComplete }).toEqual({
      words: 100,
      isComplete: true,
    })
  })

  test('one that cannot be used is told, and the old one stays', async () => {
    const cwd = project({ models: { old: 'demo/hermes' } })
    const { url, stdout, said } = await start(QUIET, { cwd })
    configure(cwd, { models: { new: 'opnai/gpt-5' } })
    await said('the old one stays')
    expect(stdout()).toContain('toolglot.config.json:3:12: models.new')
    expect(await modelsAt(url)).toContain('old')
    configure(cwd, { models: { new: 'demo/hermes' } })
    await said('the configuration was read again')
    expect(await modelsAt(url)).toContain('new')
  })

  test('what counts only from the next start is named', async () => {
    const cwd = project({})
    const { said } = await start(QUIET, { cwd })
    configure(cwd, { metrics: false })
    await said('"fromNextStart":["metrics"]')
  })

  test('SIGHUP without a file ends nothing', async () => {
    const { url, child, said } = await start(QUIET)
    child.kill('SIGHUP')
    await said('the configuration was read again')
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })
})

describe('the end', () => {
  test.for(['SIGTERM', 'SIGINT'] as const)('%s lets a stream finish', async (signal) => {
    const { url, child, stderr, ended } = await start(QUIET)
    const stream = await slowStream(url, 60)
    child.kill(signal)
    const { text, isComplete } = textIn(await stream.text())
    expect({ words: text.match(/word/g)?.length, isComplete }).toEqual({
      words: 60,
      isComplete: true,
    })
    expect(await ended).toBe(0)
    expect(stderr()).toContain('Stopping: 1 request under way is finished first.')
    await expect(fetch(`${url}/health`)).rejects.toThrow()
  })

  test('a second signal ends it at once', async () => {
    const { url, child, said, ended } = await start(QUIET)
    const stream = await slowStream(url, 300)
    child.kill('SIGTERM')
    await said('Stopping: 1 request')
    child.kill('SIGTERM')
    expect(await ended).toBe(143)
    await expect(stream.text()).rejects.toThrow()
  })

  test('what takes too long is ended', async () => {
    const cwd = project({ shutdownMs: 200 })
    const { url, child, ended } = await start(QUIET, { cwd })
    const stream = await slowStream(url, 300)
    child.kill('SIGTERM')
    await expect(stream.text()).rejects.toThrow()
    expect(await ended).toBe(0)
  })
})

describe('npm start', () => {
  const script = join(ROOT, 'scripts', 'start.mjs')

  beforeAll(() => {
    execFileSync(process.execPath, [join(ROOT, 'scripts', 'prepare.mjs')], { stdio: 'inherit' })
  }, 300_000)

  test('serves, with the playground, and ends by SIGTERM', async () => {
    const served = await serve([script, ...QUIET], { cwd: folder })
    onTestFinished(() => void served.child.kill('SIGTERM'))
    const page = await fetch(`${served.url}/`)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(await ask(served.url, 'demo/hermes')).toMatchObject({ status: 200 })
    served.child.kill('SIGTERM')
    expect(await served.ended).toBe(0)
    await expect(fetch(served.url)).rejects.toThrow()
  })

  test('ends with the shell in which npm runs it', async () => {
    // The second command keeps the shell from giving way to the first.
    const line = [process.execPath, script, ...QUIET].map((word) => `"${word}"`).join(' ')
    const served = await serve(['-c', `${line}; true`], {
      cwd: folder,
      program: 'sh',
      env: { npm_lifecycle_event: 'start' },
    })
    served.child.kill('SIGTERM')
    await served.said('Stopping: no requests')
    expect(await served.ended).toBe('SIGTERM')
    await expect(fetch(served.url)).rejects.toThrow()
  })

  test('runs another command when one is named', async () => {
    const { stdout, ended } = await serve([script, 'protocols', 'hermes'], { cwd: folder })
    expect(await ended).toBe(0)
    expect(stdout()).toContain('<tool_call>')
  })

  test.for([['--version'], ['--help']])('%j is about the command as a whole', async (args) => {
    const { stdout, ended } = await serve([script, ...args], { cwd: folder })
    expect(await ended).toBe(0)
    expect(stdout()).toMatch(/^(?:\d+\.\d+|Usage: toolglot <command>)/)
  })
})

async function start(
  args: readonly string[],
  options: Partial<ServeOptions> = {},
): Promise<Served> {
  const cwd = options.cwd ?? project()
  const served = await serve([main, 'serve', ...args], { ...options, cwd })
  onTestFinished(() => void served.child.kill('SIGKILL'))
  return served
}

/** A folder of its own, with a configuration if there is one. */
function project(config?: object): string {
  const cwd = mkdtempSync(join(folder, `project-${count++}-`))
  if (config) configure(cwd, config)
  return cwd
}

function configure(cwd: string, config: object): void {
  writeFileSync(join(cwd, 'toolglot.config.json'), JSON.stringify(config, null, 2))
}

async function modelsAt(url: string): Promise<string[]> {
  const list = await (await fetch(`${url}/v1/models`)).json()
  const { data } = list as { data: { id: string }[] } // the list of models as OpenAI has it
  return data.map(({ id }) => id)
}

function ask(url: string, model: string): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'Do I need an umbrella?' }],
      tools: [{ type: 'function', function: { name: 'get_weather' } }],
    }),
  })
}

async function takenPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on a port')
  return address.port
}
