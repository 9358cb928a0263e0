import { describe, expect, test } from 'vitest'
import type { Tool } from '../core/model.ts'
import { listTools } from '../core/tool-list.ts'
import { compactListing } from './compact-list.ts'

const readFile: Tool = {
  name: 'read_file',
  description: 'Read a file from the filesystem. Returns its content.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path'],
  },
}
const ping: Tool = { name: 'ping', inputSchema: {} }

describe('the full list', () => {
  test('an entry has name, description and schema', () => {
    expect(listTools([readFile])).toBe(
      '- `read_file` — Read a file from the filesystem. Returns its content.\n' +
        '  Schema: {"type":"object","properties":{"path":{"type":"string"},' +
        '"content":{"type":"string"}},"required":["path"]}\n',
    )
  })

  test('a tool without a description has no dash', () => {
    expect(listTools([ping])).toBe('- `ping`\n  Schema: {}\n')
    expect(listTools([{ ...ping, description: ' \n' }])).toBe(listTools([ping]))
  })

  test('two blank lines stand between entries', () => {
    expect(listTools([ping, ping])).toBe('- `ping`\n  Schema: {}\n\n\n- `ping`\n  Schema: {}\n')
  })

  test('a description of several lines is kept', () => {
    expect(listTools([{ ...ping, description: 'One.\n\n  Two.\n' }])).toContain(
      '— One.\n\n  Two.\n',
    )
  })

  test('the order of tools and keys is the given one', () => {
    const inputSchema = { required: ['b'], properties: { b: {}, a: {} }, type: 'object' }
    const list = listTools([readFile, { name: 'a', inputSchema }])
    expect(list).toContain(
      'Schema: {"required":["b"],"properties":{"b":{},"a":{}},"type":"object"}',
    )
    expect(list.indexOf('read_file')).toBeLessThan(list.indexOf('`a`'))
    expect(listTools([readFile, { name: 'a', inputSchema }])).toBe(list)
  })
})

describe('the compact list', () => {
  test('an entry is one line with signature and first sentence', () => {
    expect(compactListing.list([readFile])).toBe(
      '- read_file(path: string, content?: string) — Read a file from the filesystem.',
    )
  })

  test('entries follow one another line by line', () => {
    expect(compactListing.list([ping, ping])).toBe('- ping()\n- ping()')
  })

  test('a nameless tool is marked', () => {
    expect(compactListing.list([{ name: '', inputSchema: {} }])).toBe('- <unnamed>()')
  })

  test('unions, enums and arrays are kept', () => {
    const inputSchema = {
      properties: {
        u: { type: ['string', 'null'] },
        e: { type: 'string', enum: ['asc', 'desc'] },
        o: { type: 'object', properties: { x: { type: 'string' } } },
        a: { type: 'array', items: { type: 'object' } },
      },
    }
    expect(compactListing.list([{ name: 't', description: '', inputSchema }])).toBe(
      '- t(a?: object[], e?: "asc"|"desc", o?: {x?: string}, u?: string|null)',
    )
  })
})

test('no tools give an empty list', () => {
  expect(listTools([])).toBe('')
  expect(compactListing.list([])).toBe('')
})

test('ten tools of five parameters take at most four fifths of the room when compact', () => {
  const tools = Array.from({ length: 10 }, (_, at): Tool => {
    const keys = ['path', 'pattern', 'limit', 'recursive', 'encoding']
    return {
      name: `tool_${at}`,
      description: `Does the work of tool number ${at}. Returns what it found.`,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(keys.map((key) => [key, { type: 'string' }])),
        required: ['path'],
      },
    }
  })
  const size = (compact: boolean) =>
    Buffer.byteLength(compact ? compactListing.list(tools) : listTools(tools))
  expect(size(true)).toBeLessThanOrEqual(0.8 * size(false))
})

interface ShortCase {
  readonly name: string
  readonly description: string
  readonly short: string
}

const shortCases: readonly ShortCase[] = [
  { name: 'white space is collapsed', description: '  Read\n\ta  file ', short: 'Read a file' },
  { name: 'one sentence stays whole', description: 'Read a file.', short: 'Read a file.' },
  { name: 'a second sentence is cut', description: 'Read it.\nThen go.', short: 'Read it.' },
  {
    name: 'a sentence may begin with code or a quotation mark',
    description: 'Read it. `path` is needed.',
    short: 'Read it.',
  },
  { name: 'a sentence may begin in brackets', description: 'Read. (Twice.)', short: 'Read.' },
  {
    name: 'a script without capitals has sentences too',
    description: '파일을 읽는다. 내용을 준다.',
    short: '파일을 읽는다.',
  },
  {
    name: 'a full stop before a small letter ends nothing',
    description: 'Read approx. five lines of a. b. files',
    short: 'Read approx. five lines of a. b. files',
  },
  {
    name: 'e.g. does not end a sentence',
    description: 'Find a place, e.g. Oslo. Fast.',
    short: 'Find a place, e.g. Oslo.',
  },
  {
    name: 'i.e. does not end a sentence',
    description: 'A country (i.e. Norway). Fast.',
    short: 'A country (i.e. Norway).',
  },
  {
    name: 'etc. does not end a sentence',
    description: 'Files, folders, etc. Links too. Fast.',
    short: 'Files, folders, etc. Links too.',
  },
  {
    name: 'an initial does not end a sentence',
    description: 'Works of J. S. Bach. Fast.',
    short: 'Works of J. S. Bach.',
  },
  {
    name: 'a version number does not end a sentence',
    description: 'Uses HTTP 1.1 and v2.Next. Fast.',
    short: 'Uses HTTP 1.1 and v2.Next.',
  },
  { name: '80 characters stay', description: 'x'.repeat(80), short: 'x'.repeat(80) },
  {
    name: '81 characters are cut and end in an ellipsis',
    description: 'x'.repeat(81),
    short: `${'x'.repeat(79)}…`,
  },
  {
    name: 'no space stands before the ellipsis',
    description: `${'x'.repeat(78)} ${'y'.repeat(9)}`,
    short: `${'x'.repeat(78)}…`,
  },
  {
    name: 'a character outside the basic plane is never halved',
    description: '🙂'.repeat(81),
    short: `${'🙂'.repeat(79)}…`,
  },
]

test.for(shortCases)('in a short description, $name', ({ description, short }) => {
  expect(compactListing.list([{ ...ping, description }])).toBe(`- ping() — ${short}`)
})
