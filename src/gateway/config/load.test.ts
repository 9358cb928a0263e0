// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the files under test have them in their strings
/** Configurations as people write them, read from real files. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LoadedConfig, type LoadOptions, loadConfig } from './load.ts'
import { ConfigError } from './problem.ts'

let cwd = ''

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'toolglot-config-'))
})

afterEach(() => rmSync(cwd, { recursive: true, force: true }))

function write(name: string, text: string): void {
  writeFileSync(join(cwd, name), text)
}

function load(options: Partial<LoadOptions> = {}): Promise<LoadedConfig> {
  return loadConfig({ cwd, env: {}, ...options })
}

async function problemsOf(options: Partial<LoadOptions> = {}): Promise<string[]> {
  const outcome = await load(options).catch((error: unknown) => error)
  if (!(outcome instanceof ConfigError)) throw new Error('it was accepted', { cause: outcome })
  return outcome.message.split('\n')
}

/** What is wrong with this object in a JSON file. */
function problemsIn(config: object, env: Record<string, string> = {}): Promise<string[]> {
  write('toolglot.config.json', JSON.stringify(config))
  return problemsOf({ env }).then((lines) => lines.map((line) => line.replace(/^\S+: /, '')))
}

const SECRETS = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210'] as const

describe('without a file', () => {
  test('everything has its default', async () => {
    expect(await load()).toEqual({
      config: {
        host: '127.0.0.1',
        port: 4141,
        log: { level: 'info', payloads: false },
        traffic: true,
        playground: true,
        metrics: true,
        discover: true,
        shutdownMs: 30_000,
        otel: false,
      },
      file: undefined,
      sources: {},
      warnings: [],
    })
  })

  test('a named file must be there', async () => {
    expect(await problemsOf({ file: 'my.json' })).toEqual(['my.json: no such file'])
    expect(await problemsOf({ env: { TOOLGLOT_CONFIG: 'other.json' } })).toEqual([
      'other.json: no such file (named by TOOLGLOT_CONFIG)',
    ])
  })

  test('and be a file of a kind that is read', async () => {
    write('my.yaml', 'port: 1')
    expect(await problemsOf({ file: 'my.yaml' })).toEqual([
      'my.yaml: is no kind of file that is read; use .json, .jsonc, .ts, .mts, .js or .mjs',
    ])
    expect(await problemsOf({ file: '.' })).toEqual(['.: is a directory; name the file in it'])
  })
})

describe('precedence', () => {
  const env = { TOOLGLOT_PORT: '2', PORT: '3', TOOLGLOT_HOST: '', TOOLGLOT_LOG_LEVEL: 'debug' }

  test('options, then environment, then file', async () => {
    write('toolglot.config.json', '{ "port": 1, "host": "localhost", "log": { "pretty": true } }')
    const keys = [{ name: 'key-1', key: 'one' }]
    const flags = { playground: false, port: undefined, keys, redisUrl: 'redis://127.0.0.1:1' }
    const { config, sources } = await load({ env, flags })
    expect(config).toMatchObject({ port: 2, host: 'localhost', playground: false })
    expect(config.log).toEqual({ level: 'debug', pretty: true, payloads: false })
    expect(sources).toEqual({
      port: 'TOOLGLOT_PORT',
      host: 'toolglot.config.json',
      'log.pretty': 'toolglot.config.json',
      'log.level': 'TOOLGLOT_LOG_LEVEL',
      playground: '--no-playground',
      keys: '--key',
      redisUrl: '--redis-url',
    })
    expect((await load({ env, flags: { port: 9 } })).config.port).toBe(9)
    expect((await load({ env: { PORT: '3' } })).config.port).toBe(3)
  })

  test('keys of clients come from the environment as well', async () => {
    const { config } = await load({ env: { TOOLGLOT_API_KEYS: 'one, two,' } })
    expect(config.keys).toEqual([
      { name: 'key-1', key: 'one' },
      { name: 'key-2', key: 'two' },
    ])
    expect(config.traffic).toBe(false)
  })

  test('a list of keys that came out empty opens no door', async () => {
    write('toolglot.config.json', '{ "keys": [{ "name": "own", "key": "secret" }] }')
    expect(await problemsOf({ env: { TOOLGLOT_API_KEYS: ' , ' } })).toEqual([
      'TOOLGLOT_API_KEYS: keys: must be array, got a string',
    ])
  })

  test('the other variables', async () => {
    const { config } = await load({
      env: {
        TOOLGLOT_REDIS_URL: 'redis://127.0.0.1:1',
        TOOLGLOT_STATE_SECRET: `${SECRETS[0]}, ${SECRETS[1]}`,
        TOOLGLOT_DRAIN_MS: '7000',
        TOOLGLOT_DEFAULT_MODEL: 'demo/hermes',
        TOOLGLOT_TRAFFIC: 'off',
      },
    })
    expect(config).toMatchObject({
      redisUrl: 'redis://127.0.0.1:1',
      stateSecret: SECRETS,
      drainMs: 7000,
      defaultModel: 'demo/hermes',
      traffic: false,
    })
  })

  test('one secret for state is a text, and a short one is refused without being shown', async () => {
    const { config } = await load({ env: { TOOLGLOT_STATE_SECRET: SECRETS[0] } })
    expect(config.stateSecret).toBe(SECRETS[0])
    for (const short of ['hunter2', `${SECRETS[0]},hunter2`]) {
      const problems = (await problemsOf({ env: { TOOLGLOT_STATE_SECRET: short } })).join('\n')
      expect(problems).toContain('TOOLGLOT_STATE_SECRET')
      expect(problems).not.toContain('hunter2')
    }
  })

  test('what they get wrong is told with their names', async () => {
    const wrong = {
      TOOLGLOT_PORT: 'many',
      TOOLGLOT_DEFAULT_MODEL: 'opnai/gpt',
      TOOLGLOT_TRAFFIC: '?',
    }
    expect(
      await problemsOf({ env: wrong, flags: { shutdownMs: -1, log: { level: 'info' } } }),
    ).toEqual([
      'TOOLGLOT_PORT: port: must be integer, got a string',
      'TOOLGLOT_TRAFFIC: traffic: must be boolean, got a string',
      '--shutdown-ms: shutdownMs: must be at least 0, got -1',
      'TOOLGLOT_DEFAULT_MODEL: defaultModel: there is no provider "opnai"; did you mean "openai"?',
    ])
  })
})

describe('JSON files', () => {
  test('comments, trailing commas, a byte order mark and $schema are fine', async () => {
    const text =
      '\uFEFF{ // the port\n "$schema": "./x.json", "port": 5, /* , } */ "cors": ["*", ], }'
    write('toolglot.config.json', text)
    const { config, file } = await load()
    expect(config).toMatchObject({ port: 5, cors: ['*'] })
    expect(config).not.toHaveProperty('$schema')
    expect(file).toBe(join(cwd, 'toolglot.config.json'))
  })

  test('strings that look like comments stay', async () => {
    write(
      'toolglot.config.json',
      '{"providers": {"vllm": {"baseUrl": "http://a/v1", "models": ["/*x*/,]", "\\"//"]}}}',
    )
    const { config } = await load()
    expect(config.providers?.['vllm']).toEqual({
      baseUrl: 'http://a/v1',
      models: ['/*x*/,]', '"//'],
    })
  })

  test('what is no JSON is told with its place', async () => {
    write('toolglot.config.json', '{\n  // 😀 "port":\n  "port": 1 "host": 2\n}')
    expect(await problemsOf()).toEqual(['toolglot.config.json:3:13: not JSON from here on'])
    write('toolglot.config.json', '[]')
    expect(await problemsOf()).toEqual(['toolglot.config.json:1:1: must be an object: { … }'])
  })

  test('everything that is wrong is told at once, in its order and with its place', async () => {
    write(
      'toolglot.config.json',
      `{
  "prot": 4141,
  "providers": {
    "openai": { "baseUrl": "api.openai.com", "toolMode": "natve" },
    "mine": {},
    "azure-openai": { "settings": { "resorce": "r" } }
  },
  "models": {
    "fast": {
      "chain": [
        "openai/gpt-5", // fine
        "opnai/gpt-5",
        { "model": "groq/a*", "protocol": "hermse" }
      ]
    },
    "slow": { "hidden": true }
  },
  "limits": { "concurrency": 0 },
  "limits": { "concurrency": 0 },
  "keys": [{ "name": "a", "key": "\${CLIENT_KEY}" }],
}`,
    )
    expect(await problemsOf()).toEqual([
      'toolglot.config.json:2:3: prot: there is no such property; did you mean "port"?',
      'toolglot.config.json:4:28: providers.openai.baseUrl: is no address; write https://host/path',
      'toolglot.config.json:4:58: providers.openai.toolMode: there is no tool mode "natve"; did you mean "native"?',
      'toolglot.config.json:5:5: providers.mine: there is no provider "mine"; for a server of your own, add "provider": "openai-compatible"',
      'toolglot.config.json:6:37: providers["azure-openai"].settings.resorce: Azure OpenAI has no such setting; did you mean "resource"?',
      'toolglot.config.json:12:9: models.fast.chain[1]: there is no provider "opnai"; did you mean "openai"?',
      'toolglot.config.json:13:20: models.fast.chain[2].model: there is nothing for * to stand for: "fast" has none',
      'toolglot.config.json:13:43: models.fast.chain[2].protocol: there is no protocol "hermse"; did you mean "hermes"?',
      'toolglot.config.json:16:13: models.slow.chain: is required',
      'toolglot.config.json:19:3: limits: is there twice; the last one would count',
      'toolglot.config.json:19:30: limits.concurrency: must be at least 1, got 0',
      'toolglot.config.json:20:34: keys[0].key: the environment variable CLIENT_KEY is not set; set it, or write ${CLIENT_KEY:-default}',
    ])
  })
})

describe('variables', () => {
  const env = { KEY: 'sk-very-secret', PORT_OF_MINE: '77', ON: 'true', EMPTY: '' }

  test('stand for what the environment says', async () => {
    write(
      'toolglot.config.json',
      JSON.stringify({
        port: '${PORT_OF_MINE}',
        metrics: '${ON}',
        host: '${EMPTY:-localhost}',
        providers: { openai: { apiKey: '${KEY}', headers: { 'x-a': 'a $${KEY} ${KEY}!' } } },
      }),
    )
    const { config } = await load({ env })
    expect(config).toMatchObject({ port: 77, metrics: true, host: 'localhost' })
    expect(config.providers?.['openai']).toEqual({
      apiKey: 'sk-very-secret',
      headers: { 'x-a': 'a ${KEY} sk-very-secret!' },
    })
  })

  test('other names of a provider mean the one that is configured, or add it', async () => {
    const providers = { google: { apiKey: 'k' }, lab: { provider: 'kimi', apiKey: 'k' } }
    const models = { fast: 'gemini/flash', smart: ['claude/opus', 'lab/k2'], own: 'qwen/qwen3' }
    const router = { apiKey: 'k', models: ['qwen/qwen3'] }
    const config = { providers: { ...providers, openrouter: router }, models }
    write('toolglot.config.json', JSON.stringify(config))
    const loaded = await load({ env: { ANTHROPIC_API_KEY: 'k' } })
    expect(Object.keys(loaded.config.providers ?? {})).toEqual([
      'google',
      'lab',
      'openrouter',
      'anthropic',
    ])
    expect(loaded.warnings).toEqual([])
    expect(await problemsIn({ defaultModel: 'gemni/x' })).toEqual([
      'defaultModel: there is no provider "gemni"; did you mean "google"?',
    ])
  })

  test('what is not set, or no name', async () => {
    expect(
      await problemsIn({ host: '${EMPTY}', redisUrl: '${a b}', port: '${NO_PORT}' }, env),
    ).toEqual([
      'host: the environment variable EMPTY is not set; set it, or write ${EMPTY:-default}',
      'redisUrl: write ${NAME} or ${NAME:-default}; $${ stands for ${ itself',
      'port: the environment variable NO_PORT is not set; set it, or write ${NO_PORT:-default}',
    ])
  })

  test('no secret is ever told', async () => {
    const secret = 'sk-very-secret'
    const lines = [
      ...(await problemsIn(
        {
          port: '${KEY}',
          log: { level: '${KEY}' },
          defaultModel: '${KEY}/x',
          cors: ['${KEY}'],
          models: { '${KEY}': 5 },
          providers: {
            openai: secret,
            groq: { baseUrl: 'https://a:${KEY}@b', provider: '${KEY}' },
          },
        },
        env,
      )),
      ...(await problemsIn({ keys: [secret, { key: secret }], redisUrl: secret })),
      ...(await problemsIn({ keys: secret, providers: [secret], tls: secret })),
      ...(await problemsIn({ providers: { openai: { apiKey: 123456789 } } })),
    ]
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.join('\n')).not.toMatch(/very|123456789/)
  })
})

describe('meaning', () => {
  test.for<[object, string[]]>([
    [
      { providers: { openai: { baseUrl: 'https://me:pw@host/v1' } } },
      [
        'providers.openai.baseUrl: has a password in it; use apiKey or headers.authorization instead',
      ],
    ],
    [
      { port: 99, providers: { openai: { baseUrl: 'http://localhost:99/v1' } } },
      ['providers.openai.baseUrl: is the address of this gateway itself'],
    ],
    [
      { providers: { 'openai-compatible': {} } },
      [
        'providers["openai-compatible"]: OpenAI-compatible server can be anywhere: add baseUrl or set OPENAI_COMPATIBLE_BASE_URL',
      ],
    ],
    [
      { providers: { 'azure-openai': { apiKey: 'k' } } },
      [
        'providers["azure-openai"]: Azure OpenAI needs the name of the resource: add settings.resource or set AZURE_OPENAI_RESOURCE or AZURE_RESOURCE_NAME',
      ],
    ],
    [
      { providers: { demo: { provider: 'ollama' }, 'a/b': { provider: 'ollama' } } },
      [
        'providers.demo: demo/… are the built-in models; choose another name, or set demo to false',
        'providers["a/b"]: the name stands before the slash in name/model, and has none itself',
      ],
    ],
    [
      { models: { a: 'b', b: ['c'], c: { chain: ['a'] }, d: 'd' } },
      [
        'models.c.chain[0]: leads back to itself: a → b → c → a',
        'models.d: leads back to itself: d → d',
      ],
    ],
    [{ models: { 'gpt-*': 'gpt-5' } }, ['models["gpt-*"]: leads back to itself: gpt-* → gpt-*']],
    [
      { models: { a: 'openai/*', 'b*': 'openai/*-*', '*c*': 'openai/x' } },
      [
        'models.a: there is nothing for * to stand for: "a" has none',
        'models["b*"]: there may be one * only',
        'models["*c*"]: a name may have one * only',
      ],
    ],
    [
      {
        providers: { vllm: { models: ['listed', 'a/b'], onlyListed: true } },
        models: {
          a: 'demo/hermse',
          b: 'vllm/other',
          c: ['listed', 'a/b', 'vllm/a/b', 'demo/hermes'],
        },
      },
      [
        'models.a: demo has no model "hermse"; did you mean "hermes"?',
        'models.b: vllm has no model "other"; known are listed, a/b',
      ],
    ],
    [
      { models: { a: 'nobody' }, defaultModel: 'nobody/x', demo: false, discover: false },
      [
        'models.a: there is no model "nobody"; write provider/model, or a name from models',
        expect.stringMatching(/^defaultModel: there is no provider "nobody"; known are alibaba, /),
      ],
    ],
    [
      { demo: false, defaultModel: 'demo/hermes' },
      [expect.stringMatching(/^defaultModel: there is no provider "demo"/)],
    ],
    [
      {
        keys: [
          { name: 'a', key: 'x' },
          { name: 'a', key: 'y' },
          { name: 'b', key: 'x' },
          { name: 'c', key: 'sha256:12' },
        ],
      },
      [
        'keys[1].name: two keys are called "a"',
        'keys[2].key: two clients have the same key',
        'keys[3].key: behind sha256: must be 64 digits in hex',
      ],
    ],
    [
      { forwardHeaders: ['x-ok', 'authorization', 'X-Upper'], returnHeaders: ['set-cookie'] },
      [
        "forwardHeaders[2]: must match the pattern ^[a-z0-9!#$%&'*+.^_`|~-]+$, got a string",
        'returnHeaders[0]: set-cookie is never passed on; take it out',
      ],
    ],
    [
      { forwardHeaders: ['authorization'] },
      ['forwardHeaders[0]: authorization is never passed on; take it out'],
    ],
    [
      { cors: ['*', 'https://a.example', 'http://b:1', 'c.example', 'https://d/path'] },
      [
        'cors[3]: is no origin; write https://host, without a path, or *',
        'cors[4]: is no origin; write https://host, without a path, or *',
      ],
    ],
    [
      { rescue: { protocols: ['hermes', 'nope'] } },
      [expect.stringMatching(/^rescue\.protocols\[1\]: there is no protocol "nope"; /)],
    ],
    [
      { tls: { cert: 'no.pem', key: 'no.key' } },
      ['tls.cert: no such file', 'tls.key: no such file'],
    ],
    [
      { models: { a: ['demo/hermes', 'azure-openai/gpt'], b: 'azure-openai/gpt' } },
      [
        'models.a[1]: Azure OpenAI needs the name of the resource: add providers.azure-openai.settings.resource or set AZURE_OPENAI_RESOURCE or AZURE_RESOURCE_NAME',
      ],
    ],
    [{ redisUrl: 'http://x' }, ['redisUrl: must match the pattern ^rediss?://, got a string']],
    [{ port: 70_000 }, ['port: must be at most 65535, got 70000']],
  ])('%j', async ([config, expected]) => {
    expect(await problemsIn(config)).toEqual(expected)
  })

  test('what is broken is still there for those that name it', async () => {
    const config = {
      providers: { mine: 5 },
      models: { fast: 5, b: 'mine/x' },
      defaultModel: 'fast',
    }
    expect(await problemsIn(config)).toEqual([
      'providers.mine: must be object, got a number',
      'models.fast: must be string or array or object, got a number',
    ])
  })

  test('names of others, wildcards and demo models are fine', async () => {
    write(
      'toolglot.config.json',
      JSON.stringify({
        providers: { mine: { provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' } },
        models: {
          'gpt-*': 'mine/gpt-*',
          fast: ['gpt-5', 'mine/a/b:c', 'demo/hermes'],
          'openai/gpt-5': { chain: ['openai/gpt-5', 'fast'] },
          '*': 'fast',
        },
        defaultModel: 'whatever',
      }),
    )
    const { config, warnings } = await load({ env: { OPENAI_API_KEY: 'k' } })
    // Named by a chain and registered: that is enough.
    expect(Object.keys(config.providers ?? {})).toEqual(['mine', 'openai'])
    expect(config.discover).toBe(false)
    expect(warnings).toEqual([])
  })

  test('naming a provider in a chain does not end the search for others', async () => {
    write('toolglot.config.json', '{ "models": { "fast": "ollama/qwen3" } }')
    const { config, warnings } = await load()
    expect(config).toMatchObject({ discover: true, providers: { ollama: {} } })
    expect(warnings).toEqual([])
  })

  test('a provider that is only named needs its key as well', async () => {
    write('toolglot.config.json', '{ "models": { "fast": "groq/qwen3" } }')
    expect((await load()).warnings).toEqual([
      'toolglot.config.json:1:23: models.fast: no key for Groq: add providers.groq.apiKey or set GROQ_API_KEY',
    ])
  })

  test('warnings', async () => {
    write('toolglot.config.mjs', 'export const config = {}')
    write(
      'toolglot.config.json',
      '{"host": "0.0.0.0", "providers": {"openai": {}, "bedrock": {}, "anthropic": {"apiKey": "k", "onlyListed": true}, "groq": {"headers": {"Authorization": "Bearer x"}}, "stackspot": {}}}',
    )
    const { config, warnings } = await load({
      env: {
        ANTHROPIC_BASE_URL: 'http://localhost:4141',
        STACKSPOT_CLIENT_ID: 'a',
        STACKSPOT_CLIENT_KEY: 'b',
      },
    })
    expect(warnings).toEqual([
      'toolglot.config.json:1:45: providers.openai: no key for OpenAI: add apiKey or set OPENAI_API_KEY',
      'toolglot.config.json:1:60: providers.bedrock: no key for AWS Bedrock: add apiKey or set AWS_BEARER_TOKEN_BEDROCK',
      'toolglot.config.json:1:107: providers.anthropic.onlyListed: lists no models, so none can be asked',
      'toolglot.config.json:1:179: providers.stackspot: StackSpot AI needs the realm of the account: add settings.realm or set STACKSPOT_REALM',
      'toolglot.config.json:1:10: host: everybody who can reach this address may use the providers; configure keys',
      'toolglot.config.json:1:77: providers.anthropic: ANTHROPIC_BASE_URL is the address of this gateway itself; asking https://api.anthropic.com',
      'toolglot.config.mjs is not read: toolglot.config.json is there as well, and comes first',
    ])
    expect(config.providers?.['anthropic']?.baseUrl).toBe('https://api.anthropic.com')
    expect(config.traffic).toBe(false)
  })
})

describe('TypeScript and JavaScript files', () => {
  test.for([
    ['toolglot.config.ts', 'const port: number = 7\nexport default { port, host: undefined }'],
    ['toolglot.config.mts', 'export const config: { port: number } = { port: 7 }'],
    ['toolglot.config.js', 'module.exports = { port: 7 }'],
    ['toolglot.config.mjs', 'export default async ({ env }) => ({ port: Number(env.SEVEN) })'],
  ] as const)('%s', async ([name, text]) => {
    write(name, text)
    const { config, file } = await load({ env: { SEVEN: '7' } })
    expect(config).toMatchObject({ port: 7, host: '127.0.0.1' })
    expect(file).toBe(join(cwd, name))
  })

  test('problems are told by the path', async () => {
    write(
      'toolglot.config.ts',
      'export default { prot: 1, providers: { opnai: {} }, models: { a: () => 1, b: [new Date(0)] } }',
    )
    expect(await problemsOf()).toEqual([
      'toolglot.config.ts: models.a: must be a plain value, got a function',
      'toolglot.config.ts: models.b[0]: must be a plain value, got a Date',
      'toolglot.config.ts: prot: there is no such property; did you mean "port"?',
      'toolglot.config.ts: providers.opnai: there is no provider "opnai"; did you mean "openai"? If not, for a server of your own, add "provider": "openai-compatible"',
    ])
  })

  test('one that fails says where', async () => {
    write('toolglot.config.ts', 'const a = 1\nthrow new Error("on purpose")\nexport default { a }')
    expect(await problemsOf()).toEqual([
      expect.stringMatching(/^toolglot\.config\.ts:2:\d+: cannot be loaded: on purpose$/),
    ])
    write('toolglot.config.ts', 'export const other = 1')
    expect(await problemsOf()).toEqual([
      'toolglot.config.ts: exports no configuration; write export default { … } or export const config = { … }',
    ])
    write('toolglot.config.ts', 'const a = {}; a.a = a; export default { limits: a }')
    expect((await problemsOf()).join()).toContain('is nested too deeply')
  })

  test('it is read anew each time, with what it imports', async () => {
    write('port.ts', 'export const port = 1')
    write('toolglot.config.ts', "import { port } from './port.ts'\nexport default { port }")
    expect((await load()).config.port).toBe(1)
    write('port.ts', 'export const port = 2')
    expect((await load()).config.port).toBe(2)
  })
})

test('the example of the documents is right', async () => {
  const page = readFileSync(
    new URL('../../../docs/reference/gateway-config.md', import.meta.url),
    'utf8',
  )
  const [, example = ''] = /```jsonc\n([\s\S]*?)```/.exec(page) ?? []
  write('toolglot.config.json', example)
  const env = { OPENAI_API_KEY: 'a', ANTHROPIC_API_KEY: 'b', LAPTOP_KEY: 'c', CHAT_KEY: 'd' }
  const { config, warnings } = await load({ env })
  expect(Object.keys(config.models ?? {})).toEqual(['fast', 'careful', 'claude-*'])
  expect(warnings).toEqual([])
})
