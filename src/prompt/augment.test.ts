import { describe, expect, test, vi } from 'vitest'
import { EXAMPLE_CALL } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { extract } from '../index.ts'
import * as protocols from '../protocols/index.ts'
import { getProtocol } from '../protocols/registry.ts'
import { augmentSystemPrompt } from './augment.ts'
import { compactListing } from './compact-list.ts'

const readFile = {
  name: 'read_file',
  description: 'Read a file from the filesystem. Returns its content.',
  schema: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path'],
  },
}
const ping = { name: 'ping', description: 'Check if the service is alive.', schema: {} }

interface PromptCase {
  readonly name: string
  readonly system?: string
  readonly tools: readonly unknown[]
  readonly compact?: boolean
  readonly contains: readonly string[]
  readonly lacks?: readonly string[]
}

const cases: readonly PromptCase[] = [
  {
    name: 'the prompt, the fence, the tool and its description are there',
    system: 'Be helpful.',
    tools: [{ name: 'read', description: 'read a file', schema: { type: 'object' } }],
    contains: ['Be helpful.\n\n', '\n    ~~~tool_call\n', '`read`', 'read a file'],
  },
  {
    name: 'without tools the fence is still explained',
    tools: [],
    contains: ['~~~tool_call'],
  },
  {
    name: 'the compact form has signatures and first sentences',
    tools: [readFile],
    compact: true,
    contains: [
      'read_file(',
      'path: string',
      'content?: string',
      'Read a file from the filesystem.',
    ],
    lacks: ['path?:', 'Returns its content.', 'Schema:'],
  },
  {
    name: 'the compact form keeps the fence',
    tools: [readFile],
    compact: true,
    contains: ['~~~tool_call'],
  },
  {
    name: 'a tool without parameters has empty brackets',
    tools: [ping],
    compact: true,
    contains: ['- ping() — Check if the service is alive.'],
  },
  {
    name: 'arrays of scalars show their items',
    tools: [
      {
        name: 'list_files',
        schema: { properties: { paths: { type: 'array', items: { type: 'string' } } } },
      },
    ],
    compact: true,
    contains: ['- list_files(paths?: string[])\n'],
  },
]

test.for(cases)('$name', ({ system, tools, compact = false, contains, lacks = [] }) => {
  const prompt = augmentSystemPrompt(system, tools, { compact })
  for (const part of contains) expect(prompt).toContain(part)
  for (const part of lacks) expect(prompt).not.toContain(part)
})

test('a compact prompt ends with its last tool', () => {
  const line = '- read_file(path: string, content?: string) — Read a file from the filesystem.'
  const prompt = augmentSystemPrompt(null, [readFile], { compact: true })
  expect(prompt.endsWith(`Available tools:\n\n${line}\n`)).toBe(true)
})

test.for([undefined, null, '', ' \n\t'])('a blank prompt, as %j, adds nothing', (system) => {
  const prompt = augmentSystemPrompt(system, [ping])
  expect(augmentSystemPrompt('Be helpful.', [ping])).toBe(`Be helpful.\n\n${prompt}`)
})

test('the prompt itself is left as it is', () => {
  expect(augmentSystemPrompt('  One.\n', [ping])).toMatch(/^ {2}One\.\n\n\n\S/)
})

test('tools may be in any spelling', () => {
  const { name, description, schema } = readFile
  const expected = augmentSystemPrompt(undefined, [readFile])
  const spellings = [
    [{ type: 'function', function: { name, description, parameters: schema } }],
    [{ name, description, input_schema: schema }],
    [{ name, description, inputSchema: schema }],
    { [name]: { description, inputSchema: schema } },
  ]
  for (const tools of spellings) expect(augmentSystemPrompt(undefined, tools)).toBe(expected)
})

describe('compact', () => {
  const many = Array.from({ length: 60 }, (_, at) => ({ ...readFile, name: `tool_${at}` }))

  test('is off unless asked for', () => {
    const prompt = augmentSystemPrompt('Hi.', [readFile])
    expect(augmentSystemPrompt('Hi.', [readFile], {})).toBe(prompt)
    expect(augmentSystemPrompt('Hi.', [readFile], { compact: false })).toBe(prompt)
  })

  test('takes at most four fifths of the room for ten tools of five parameters', () => {
    const keys = ['a', 'b', 'c', 'd', 'e']
    const properties = Object.fromEntries(keys.map((key) => [key, { type: 'string' }]))
    const tools = Array.from({ length: 10 }, (_, at) => ({
      name: `tool_${at}`,
      description: 'Does something.',
      schema: { type: 'object', properties, required: ['a'] },
    }))
    const size = (compact: boolean) =>
      Buffer.byteLength(augmentSystemPrompt(undefined, tools, { compact }))
    expect(size(true)).toBeLessThanOrEqual(0.8 * size(false))
  })

  test('auto leaves short instructions full', () => {
    expect(augmentSystemPrompt('Hi.', [readFile], { compact: 'auto' })).toBe(
      augmentSystemPrompt('Hi.', [readFile]),
    )
  })

  test('auto shortens long ones', () => {
    expect(augmentSystemPrompt('Hi.', many).length).toBeGreaterThan(8192)
    expect(augmentSystemPrompt('Hi.', many, { compact: 'auto' })).toBe(
      augmentSystemPrompt('Hi.', many, { compact: true }),
    )
  })

  test('auto does not count the prompt that was there before', () => {
    const system = 'x'.repeat(10_000)
    expect(augmentSystemPrompt(system, [readFile], { compact: 'auto' })).toContain('Schema:')
  })
})

describe('the protocol', () => {
  test('is text-tagged unless given', () => {
    expect(augmentSystemPrompt('', [ping])).toBe(
      augmentSystemPrompt('', [ping], { protocol: 'text-tagged' }),
    )
  })

  test('may be a value that no registry knows', () => {
    const formatTools = vi.fn<Protocol['formatTools']>(() => 'call them')
    const own: Protocol = { ...getProtocol('text-tagged'), id: 'own', formatTools }
    expect(augmentSystemPrompt('Hi.', [ping], { protocol: own, compact: true })).toBe(
      'Hi.\n\ncall them',
    )
    expect(formatTools).toHaveBeenCalledWith([expect.objectContaining({ name: 'ping' })], {
      listing: compactListing,
    })
  })

  test('must exist', () => {
    expect(() => augmentSystemPrompt('', [], { protocol: 'morse' })).toThrow(TypeError)
    expect(() => augmentSystemPrompt('', [], { protocol: 'morse' })).toThrow('text-tagged')
  })
})

const ids = Object.values(protocols).map(({ id }) => id)

describe.for(ids)('instructions for %s', (protocol) => {
  test.for([true, false])('name every tool, compact or not (%j)', (compact) => {
    const prompt = augmentSystemPrompt(undefined, [readFile, ping], { protocol, compact })
    expect(prompt).toContain('read_file')
    expect(prompt).toContain('ping')
  })

  test('show an example that reads as a call', () => {
    const prompt = augmentSystemPrompt(undefined, [readFile, ping], { protocol })
    const shown = {
      name: EXAMPLE_CALL.name,
      inputSchema: {
        type: 'object',
        properties: { first_parameter: { type: 'string' }, second_parameter: { type: 'integer' } },
      },
    }
    const { calls, issues } = extract(exampleIn(prompt), {
      tools: [shown, readFile, ping],
      protocols: [protocol],
    })
    expect(issues).toEqual([])
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({ name: EXAMPLE_CALL.name, arguments: EXAMPLE_CALL.arguments })
  })
})

describe('schemas that cannot be written', () => {
  const own: Record<string, unknown> = { type: 'object' }
  own['properties'] = { child: own }
  let deep: Record<string, unknown> = { type: 'string' }
  for (let at = 0; at < 20_000; at++) deep = { type: 'object', properties: { inner: deep } }

  test.for([
    ['one that contains itself', own],
    ['one that is too deep', deep],
  ] as const)('%s is told by the name of its tool', ([, inputSchema]) => {
    const tools = [ping, { name: 'walk_tree', inputSchema }]
    for (const protocol of ['text-tagged', 'hermes', 'harmony']) {
      expect(() => augmentSystemPrompt('', tools, { protocol })).toThrow(
        'the schema of tool walk_tree cannot be written as JSON',
      )
    }
    expect(augmentSystemPrompt('', tools, { compact: true })).toContain('walk_tree(')
  })

  test('what a protocol of your own throws is not ours to explain', () => {
    const protocol: Protocol = {
      ...getProtocol('hermes'),
      formatTools() {
        throw new Error('no instructions today')
      },
    }
    expect(() => augmentSystemPrompt('', [ping], { protocol })).toThrow('no instructions today')
  })
})

/** The first run of indented lines, without the indentation. */
function exampleIn(prompt: string): string {
  const indented = /^ {4}.*(?:\n+ {4}.*)*/m.exec(prompt)?.[0] ?? ''
  return indented.replace(/^ {4}/gm, '')
}
