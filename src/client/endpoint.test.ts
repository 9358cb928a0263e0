import { expect, test } from 'vitest'
import { InvalidInputError } from '../core/errors.ts'
import { allProviders } from '../providers/registry.ts'
import { createClient } from './create-client.ts'
import { resolveEndpoint } from './endpoint.ts'

const BASE = 'http://models.test/base/v1'

/** Names that would lead elsewhere if they were written into an address as they are. */
const NAMES = [
  '../admin',
  '..\\admin',
  'a/../b',
  'a/./b',
  '/etc',
  '//other.test/x',
  'http://other.test',
  '%2e%2e',
  '%2E',
  '%2e%2e%2fadmin',
  '...',
  'm?key=1',
  'm#part',
  'm;v=1',
  'm:x',
  'a b',
  'a\tb',
  'a\r\nx-y: 1',
  'a\0b',
  '\u202e',
  '{model}',
  '$&',
  'ü',
]

/** Every path template of every provider that has the name of a model in it. */
const TEMPLATES = allProviders.flatMap((provider) => {
  const { paths, routes = [], modelInfo } = provider
  const all = [paths, ...routes.map((route) => route.paths ?? {})].flatMap((one) =>
    Object.values(one),
  )
  const asked = [...all, modelInfo?.one?.path]
  return asked.flatMap((template) =>
    typeof template === 'string' && template.includes('{model}')
      ? [{ id: provider.id, provider, template }]
      : [],
  )
})

function urlFor({ provider, template }: (typeof TEMPLATES)[number], model: string): URL {
  const settings = Object.fromEntries(
    Object.keys(provider.settings ?? {}).map((name) => [name, 'x']),
  )
  const endpoint = resolveEndpoint(provider, {
    env: {},
    baseUrl: BASE,
    settings: { ...settings, tools: '' },
  })
  return endpoint.url({ ...provider, paths: { chat: template } }, model, false)
}

test.for(TEMPLATES)('a name stays one part of $template ($id)', (one) => {
  const plain = urlFor(one, 'plain')
  for (const name of NAMES) {
    const url = urlFor(one, name)
    expect(url.host, name).toBe(plain.host)
    expect(url.search, name).toBe(plain.search)
    expect(url.hash, name).toBe('')
    const at = plain.pathname.split('/').findIndex((part) => part.startsWith('plain'))
    const parts = url.pathname.split('/')
    const rest = plain.pathname.split('/')
    expect(parts.toSpliced(at, 1), name).toEqual(rest.toSpliced(at, 1))
    expect(decodeURIComponent(parts[at] ?? ''), name).toBe(rest[at]?.replace('plain', () => name))
  }
})

test.for(TEMPLATES)('what can be no part of $template ($id) is refused', (one) => {
  const isWhole = /\/\{model\}(?:\/|$)/.test(one.template)
  for (const name of ['', '\ud800', ...(isWhole ? ['.', '..'] : [])]) {
    expect(() => urlFor(one, name), name).toThrow(InvalidInputError)
  }
})

test('nothing is sent for a name that can be no part of the address', async () => {
  let sent = 0
  const client = createClient({
    provider: 'bedrock',
    model: '..',
    settings: { region: 'eu-west-1', accessKeyId: 'a', secretAccessKey: 'b' },
    env: {},
    fetch: async () => {
      sent++
      return Response.json({})
    },
  })
  const asked = client.complete({ messages: [{ role: 'user', content: 'Hello' }] })
  await expect(asked).rejects.toThrow('the name of the model cannot be a part of an address: ".."')
  expect(sent).toBe(0)
})

test('a setting is one part of the address', () => {
  const vertex = allProviders.find(({ id }) => id === 'vertex')
  if (!vertex) throw new Error('there is no such provider')
  const settings = { project: '..', location: 'eu' }
  expect(() => resolveEndpoint(vertex, { env: {}, settings })).toThrow(InvalidInputError)
})
