/** What is in `deploy/` works: the package in a bare project, the worker, the service, the load balancer. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { freePort, hasBalancer, isInstalled, startBalancer } from './support/balancer.ts'
import { type Served, serve, slowStream, textIn } from './support/served.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DEPLOY = join(ROOT, 'deploy')

let folder = ''
let main = ''
let packed: string[] = []

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolglot-deploy-'))
  execFileSync('npm', ['pack', '--loglevel=error', '--pack-destination', folder], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  packed = run('tar', ['-tzf', join(folder, tarball)])
    .trim()
    .split('\n')
  const modules = join(folder, 'app', 'node_modules')
  mkdirSync(modules, { recursive: true })
  run('tar', ['-xzf', join(folder, tarball), '-C', modules])
  run('mv', [join(modules, 'package'), join(modules, 'toolglot')])
  for (const name of dependenciesOf('.')) linkInto(modules, name)
  main = join(modules, 'toolglot', 'dist', 'cli', 'main.js')
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the package', () => {
  test.for([
    'dist/cli/main.js',
    'dist/gateway/index.js',
    'dist/gateway/node/index.js',
    'dist/playground/index.html',
    'dist/worker/worker.js',
    'schema/toolglot.config.schema.json',
  ])('holds %s', (file) => {
    expect(packed).toContain(`package/${file}`)
  })

  test('holds no tests', () => {
    expect(packed.filter((file) => /\.test\./.test(file))).toEqual([])
  })

  test('serves with its own dependencies and nothing else', async () => {
    const { url } = await start(['--port', '0', '--no-discover'])
    expect((await fetch(`${url}/`)).headers.get('content-type')).toContain('text/html')
    expect(textIn(await (await slowStream(url, 3)).text()).isComplete).toBe(true)
  })

  test('checks a configuration in TypeScript that imports it', () => {
    const project = join(folder, 'app')
    const config = "import { defineConfig } from 'toolglot/gateway/node'\n"
    writeFileSync(join(project, 'a.config.ts'), `${config}export default defineConfig({ port: 1 })`)
    const args = [main, 'serve', '--check', '--config', 'a.config.ts']
    const { stdout } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
    expect(JSON.parse(stdout)).toMatchObject({ port: 1 })
  })

  test('says what to install when Redis is wanted', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [main, 'serve', '--port', '0', '--redis-url', 'redis://127.0.0.1:1'],
      { cwd: folder, encoding: 'utf8' },
    )
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'toolglot: sharing state needs the package redis: npm install redis\n',
    })
  })
})

describe('Containerfile', () => {
  const text = readFileSync(join(DEPLOY, 'Containerfile'), 'utf8')
  const instructions = [...text.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name, rest = '']) => {
    return { name, rest }
  })
  const sources = instructions
    .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'))
    .flatMap(({ rest }) => rest.split(' ').slice(0, -1))

  test('copies only what is there, and is let through', () => {
    const allowed = readFileSync(join(DEPLOY, 'Containerfile.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1))
    expect(sources.length).toBeGreaterThan(5)
    expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    const isAllowed = (path: string): boolean =>
      allowed.some((one) => path === one || path.startsWith(`${one}/`))
    expect(sources.filter((path) => !isAllowed(path))).toEqual([])
  })

  test('copies all that the build reads', () => {
    const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const needed = files.filter((path: string) => path !== 'dist' && !path.startsWith('!'))
    expect(sources).toEqual(expect.arrayContaining(needed))
  })

  test('ends as a user of its own, with a check of its health, and holds no key', () => {
    const last = text.slice(text.lastIndexOf('FROM '))
    expect(last).toMatch(/^USER node$/m)
    expect(last).toMatch(/^EXPOSE 4141$/m)
    expect(
      instructions.filter(({ name, rest }) => name === 'ENV' && /KEY|TOKEN/.test(rest)),
    ).toEqual([])
  })

  test('its check of health tells a gateway from none', async () => {
    const { rest = '' } = instructions.find(({ name }) => name === 'HEALTHCHECK') ?? {}
    const [program = '', ...args] = JSON.parse(rest.slice(rest.indexOf('[')))
    const { url } = await start(['--port', '0', '--no-discover'])
    const check = (port: string): number | null =>
      spawnSync(program, args, { env: { ...process.env, TOOLGLOT_PORT: port } }).status
    expect(check(new URL(url).port)).toBe(0)
    expect(check(String(await freePort()))).toBe(1)
  })
})

describe('worker', () => {
  const question = {
    model: 'demo/hermes',
    messages: [{ role: 'user', content: 'Weather in "Oslo"?' }],
    tools: [{ type: 'function', function: { name: 'get_weather' } }],
  }
  const post = (body: object, headers = {}) => ({
    path: '/v1/chat/completions',
    init: { method: 'POST', body: JSON.stringify(body), headers },
  })

  test('is one file that imports nothing', () => {
    const code = readFileSync(workerFile(), 'utf8')
    expect(code).not.toMatch(/\bnode:|\brequire\(|\bimport\s*[("'{*]|\bfrom\s*["']/)
  })

  test('answers where there are web globals and nothing else', () => {
    const [whole, streamed, health] = ask({}, [
      post(question),
      post({ ...question, stream: true }),
      { path: '/health', init: {} },
    ])
    expect(JSON.parse(whole?.body ?? '').choices[0].message.tool_calls).toMatchObject([
      { function: { name: 'get_weather' } },
    ])
    expect(whole?.headers).toMatchObject({ 'x-toolglot-rescued': 'hermes' })
    expect(streamed?.body).toContain('"finish_reason":"tool_calls"')
    expect(textIn(streamed?.body ?? '').isComplete).toBe(true)
    expect(health).toMatchObject({ status: 200 })
  })

  test('wants to know its clients before it spends money', () => {
    const [refused] = ask({ OPENAI_API_KEY: 'sk-secret' }, [post(question)])
    expect(refused?.status).toBe(500)
    expect(refused?.log).toContain('TOOLGLOT_API_KEYS')
    expect(refused?.body).not.toContain('TOOLGLOT')
  })

  test('knows its clients by their keys', () => {
    const bindings = { OPENAI_API_KEY: 'sk-secret', TOOLGLOT_API_KEYS: 'one,two', STORE: {} }
    const [without, withKey] = ask(bindings, [
      post(question),
      post(question, { authorization: 'Bearer two' }),
    ])
    expect([without?.status, withKey?.status]).toEqual([401, 200])
  })

  test('takes a configuration, and says what is wrong with it', () => {
    const config = JSON.stringify({ models: { fast: 'demo/hermes' } })
    const [answer] = ask({ TOOLGLOT_CONFIG_JSON: config }, [post({ ...question, model: 'fast' })])
    expect(answer?.status).toBe(200)
    const [wrong] = ask({ TOOLGLOT_CONFIG_JSON: '{"modles": {}}' }, [post(question)])
    expect(wrong?.log).toContain('TOOLGLOT_CONFIG_JSON: modles: there is no such property')
  })

  interface Answer {
    readonly status: number
    readonly headers: Record<string, string>
    readonly body: string
    readonly log: string
  }

  function ask(bindings: object, requests: readonly object[]): Answer[] {
    const args = ['--experimental-vm-modules', '--no-warnings', '--input-type=module']
    const given = JSON.stringify({ file: workerFile(), bindings, requests })
    return JSON.parse(run(process.execPath, [...args, '--eval', IN_BARE_CONTEXT, given]))
  }

  function workerFile(): string {
    return join(dirname(main), '..', 'worker', 'worker.js')
  }
})

/** Runs a module that sees only what runtimes without Node have, and asks it. */
const IN_BARE_CONTEXT = `
import { readFileSync } from 'node:fs'
import vm from 'node:vm'
const { file, bindings, requests } = JSON.parse(process.argv[1])
let log = ''
const names = ['Request', 'Response', 'Headers', 'fetch', 'URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder',
  'ReadableStream', 'TransformStream', 'AbortController', 'AbortSignal', 'DOMException', 'crypto', 'setTimeout',
  'clearTimeout', 'setInterval', 'clearInterval', 'queueMicrotask', 'structuredClone', 'btoa', 'atob', 'performance']
const globals = Object.fromEntries(names.map((name) => [name, globalThis[name]]))
// One of each, as in a runtime with a single context: the web globals above make objects of these.
const shared = { Uint8Array, ArrayBuffer, Error, TypeError, Object, Array, Promise }
const console = { error: (error) => { log += error?.message ?? error } }
const module = new vm.SourceTextModule(readFileSync(file, 'utf8'), {
  context: vm.createContext({ ...globals, ...shared, console }),
})
await module.link(() => { throw new Error('it imports something') })
await module.evaluate()
const answers = []
for (const { path, init } of requests) {
  const response = await module.namespace.default.fetch(new Request('https://worker.example' + path, init), bindings)
  answers.push({
    status: response.status, headers: Object.fromEntries(response.headers), body: await response.text(), log,
  })
}
process.stdout.write(JSON.stringify(answers))
process.exit()
`

describe.skipIf(!isInstalled('systemd-analyze', '--version'))('toolglot.service', () => {
  test('is a unit that systemd understands, and that shuts the service in', () => {
    const unit = join(folder, 'toolglot.service')
    const text = readFileSync(join(DEPLOY, 'toolglot.service'), 'utf8')
    expect(text).toContain('ExecStart=/usr/bin/env toolglot serve\n')
    writeFileSync(unit, text)
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const args = ['security', '--offline=true', '--threshold=20', '--no-pager', unit]
    expect(spawnSync('systemd-analyze', args).status).toBe(0)
  })
})

describe('compose.yaml', () => {
  test('two gateways, Redis and the load balancer, with files that are there', () => {
    const { services } = parse(readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8'), { merge: true })
    expect(Object.keys(services)).toEqual(['gateway-1', 'gateway-2', 'redis', 'nginx'])
    for (const name of ['gateway-1', 'gateway-2']) {
      const { build, environment } = services[name]
      expect(existsSync(join(DEPLOY, build.context, build.dockerfile))).toBe(true)
      expect(environment.TOOLGLOT_REDIS_URL).toBe('redis://redis:6379')
      expect(readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8')).toContain(`server ${name}:4141 `)
    }
    const [mounted = ''] = services.nginx.volumes[0].split(':')
    expect(existsSync(join(DEPLOY, mounted))).toBe(true)
  })
})

describe.each(['nginx', 'haproxy'] as const)('the configuration of %s', (name) => {
  test.skipIf(!hasBalancer(name))(
    'streams as they come, from either gateway, also when one is gone',
    async () => {
      const gateways = [await start(GATEWAY), await start(GATEWAY)]
      const hosts = gateways.map((one) => new URL(one.url).host)
      const { url, stop } = await startBalancer(name, hosts, join(folder, name))
      onTestFinished(stop)
      const key = { authorization: 'Bearer a-key' }

      const stream = await slowStream(url, 40, key)
      expect(stream.status).toBe(200)
      const pieces: Uint8Array[] = []
      for await (const piece of stream.body ?? []) pieces.push(piece)
      expect(pieces.length).toBeGreaterThan(10)
      expect(textIn(Buffer.concat(pieces).toString()).isComplete).toBe(true)

      // Balancers need a while to believe in a server, and lines of the log come after the reply.
      const shareOut = async (): Promise<readonly boolean[]> => {
        await Promise.all([1, 2, 3, 4].map(async () => (await slowStream(url, 2, key)).text()))
        return gateways.map(({ stdout }) => stdout().includes('"msg":"request"'))
      }
      await expect.poll(shareOut, { timeout: 20_000 }).toEqual([true, true])

      gateways[0]?.child.kill('SIGTERM')
      await gateways[0]?.ended
      for (let count = 0; count < 4; count++) {
        expect((await slowStream(url, 1, key)).status).toBe(200)
      }
      expect((await fetch(`${url}/metrics`, { headers: key })).status).toBe(403)
    },
  )

  const GATEWAY = ['--port', '0', '--no-discover', '--key', 'a-key']
})

async function start(args: readonly string[]): Promise<Served> {
  const served = await serve([main, 'serve', ...args], { cwd: folder })
  onTestFinished(() => void served.child.kill('SIGKILL'))
  return served
}

/** What npm would install beside a package, which must be all it needs. */
function dependenciesOf(path: string, known = new Set<string>()): ReadonlySet<string> {
  const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    if (known.has(name)) continue
    known.add(name)
    dependenciesOf(join('node_modules', name), known)
  }
  return known
}

function linkInto(modules: string, name: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'junction')
}

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { cwd: folder, encoding: 'utf8' })
}
