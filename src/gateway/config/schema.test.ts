/** The schema says what the types say: names that only one of them knows are a mistake. */
import { Validator } from '@cfworker/json-schema'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../core/json/value.ts'
import { configSchema } from './schema.ts'
import { schemasAt } from './schema-at.ts'
import type { ServerConfig } from './server-config.ts'

type Whole<Value> = Value extends readonly (infer Item)[]
  ? readonly Whole<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]-?: Whole<Exclude<Value[Key], undefined>> }
    : Value

const READING = { protocols: ['hermes'], preset: 'exathena', repair: 'safe' } as const
const EXTRA = { body: { top_k: 1 }, forceBody: { seed: 1 } } as const

const SENDING = {
  systemMessages: 'first',
  reasoningField: 'reasoning',
  compact: 'auto',
  toolListChars: 1,
} as const

/** Every property that the types have: one that is missing here does not compile. */
const EVERYTHING = {
  host: '::1',
  port: 0,
  redisUrl: 'rediss://:secret@host:6380/1',
  stateSecret: ['0123456789abcdef0123456789abcdef'],
  turns: { ttlMs: 1, entryBytes: 1, entriesPerKey: 1, bytesPerKey: 1 },
  log: { level: 'warn', payloads: true, pretty: true },
  traffic: true,
  playground: false,
  metrics: false,
  discover: true,
  shutdownMs: 0,
  drainMs: 0,
  otel: true,
  tls: { cert: 'a.pem', key: 'b.pem' },
  providers: {
    mine: {
      provider: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKey: ['k', 'l'],
      keyOrder: 'rotate',
      headers: { 'x-a': '' },
      settings: { region: 'r' },
      toolMode: 'text',
      protocol: 'hermes',
      ...SENDING,
      ...READING,
      timeouts: { connectMs: 1, idleMs: 1, totalMs: 1 },
      ...EXTRA,
      perModel: { 'a*': EXTRA },
      models: ['a'],
      onlyListed: true,
    },
  },
  models: {
    fast: {
      chain: [
        {
          model: 'mine/a',
          toolMode: 'native',
          protocol: 'react',
          ...SENDING,
          ...READING,
          ...EXTRA,
          priority: -1.5,
          weight: 0.5,
          contextWindow: 9,
        },
      ],
      toolMode: 'auto',
      protocol: 'hermes',
      ...SENDING,
      ...READING,
      ...EXTRA,
      toolFallback: 'skip',
      balance: 'fastest',
      sticky: true,
      retries: 0,
      cooldownMs: 0,
      maxCooldownMs: 0,
      loopGuard: 'off',
      hidden: true,
    },
  },
  defaultModel: 'fast',
  demo: false,
  keys: [
    {
      name: 'a',
      key: 'b',
      models: ['*'],
      requestsPerMinute: 1,
      concurrency: 1,
      budget: { usd: 0.5, tokens: 1, per: 'day' },
      loopGuard: 'stop',
      admin: true,
      manage: true,
    },
  ],
  prices: { 'mine/*': { input: 0.5, output: 0, cacheRead: 0, cacheWrite: 0 }, 'mine/b': 0 },
  limits: {
    requestBytes: 1,
    uploadBytes: 1,
    blobBytes: 1,
    replyBytes: 1,
    concurrency: 1,
    headerBytes: 1,
    modelNameLength: 1,
    toolNameLength: 1,
    jsonDepth: 1,
    jsonValues: 1,
    messages: 1,
    tools: 1,
    toolBytes: 1,
    toolsBytes: 1,
    stalledClientMs: 1,
    unreadBytes: 1,
    clientHeadersMs: 1,
    clientBodyMs: 1,
    keepAliveMs: 1,
    firstKeepAliveMs: 1,
  },
  loopGuard: 'warn',
  rescue: { enabled: false, ...READING },
  webSearch: {
    provider: 'searxng',
    url: 'http://127.0.0.1:8888',
    apiKey: 'k',
    maxResults: 3,
    timeoutMs: 1000,
  },
  forwardHeaders: ['x-a'],
  returnHeaders: ['x-b'],
  cors: ['*'],
} satisfies Omit<Whole<ServerConfig>, 'models'> & Pick<Required<ServerConfig>, 'models'>

test('a validator of others accepts everything that the types have', () => {
  const validator = new Validator({ ...configSchema() }, '2020-12')
  expect(validator.validate(EVERYTHING).errors).toEqual([])
  expect(validator.validate({ ...EVERYTHING, prot: 1 }).valid).toBe(false)
})

test.for<[string, (string | number)[], object]>([
  ['the file', [], { $schema: '', ...EVERYTHING }],
  ['log', ['log'], EVERYTHING.log],
  ['tls', ['tls'], EVERYTHING.tls],
  ['providers', ['providers', 'mine'], EVERYTHING.providers.mine],
  ['timeouts', ['providers', 'mine', 'timeouts'], EVERYTHING.providers.mine.timeouts],
  ['models', ['models', 'fast'], EVERYTHING.models.fast],
  ['chains', ['models', 'fast', 'chain', 0], EVERYTHING.models.fast.chain[0] ?? {}],
  ['keys', ['keys', 0], EVERYTHING.keys[0] ?? {}],
  ['limits', ['limits'], EVERYTHING.limits],
  ['rescue', ['rescue'], EVERYTHING.rescue],
  ['webSearch', ['webSearch'], EVERYTHING.webSearch],
])('%s: the schema has the same properties as the types', ([, path, whole]) => {
  const known = schemasAt(configSchema(), path).flatMap(({ properties }) =>
    Object.keys(properties ?? {}),
  )
  expect(known.sort()).toEqual(Object.keys(whole).sort())
})

test('every property has a description', () => {
  const without: string[] = []
  function look(schema: JsonObject, place: string): void {
    for (const [name, property] of Object.entries(schema['properties'] ?? {})) {
      const described = schemasAt({ ...configSchema(), ...property }, [])
      if (!described.some(({ description }) => typeof description === 'string')) {
        without.push(`${place}.${name}`)
      }
      look(property, `${place}.${name}`)
    }
  }
  look(configSchema(), '')
  for (const [name, definition] of Object.entries(configSchema()['$defs'] ?? {})) {
    look(definition, name)
  }
  expect(without).toEqual([])
})
