import { expect, test } from 'vitest'
import { describeTools, EXAMPLE_CALL } from './instructions.ts'
import type { Tool } from './model.ts'
import type { ToolListing } from './protocol.ts'

const FENCE = `~~~tool_call\n${JSON.stringify(EXAMPLE_CALL)}\n~~~`
const readFile: Tool = {
  name: 'read_file',
  description: 'Read a file from the filesystem. Returns its content.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path'],
  },
}

test('the parts come in a fixed order', () => {
  const text = describeTools({ tools: [readFile], how: FENCE, note: 'A note.' })
  const parts = [
    'You can use the tools',
    'exactly this shape and no other',
    '\n\n    ~~~tool_call\n',
    'A note.',
    'one such block per call; several',
    'plain text without such a block',
    '\n\nAvailable tools:\n\n- `read_file` — Read a file',
  ]
  const places = parts.map((part) => text.indexOf(part))
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((a, b) => a - b))
})

test('every line of the example is indented by four spaces, blank ones are left', () => {
  const text = describeTools({ tools: [], how: '<call>\n\n  x\n</call>' })
  expect(text).toContain('\n\n    <call>\n\n      x\n    </call>\n\n')
})

test('without tools the shape is still explained', () => {
  const text = describeTools({ tools: [], how: FENCE })
  expect(text).toContain('~~~tool_call')
  expect(text).toMatch(/Available tools:\n\n\(none\)\n$/)
})

test('a full list ends with its last entry', () => {
  expect(describeTools({ tools: [readFile], how: FENCE })).toMatch(/"required":\["path"\]\}\n\n$/)
})

const names: ToolListing = {
  legend: 'These are only names.',
  list: (tools) => tools.map(({ name }) => name).join('\n'),
}

test('another listing takes the place of the schemas', () => {
  const text = describeTools({ tools: [readFile], how: FENCE, listing: names })
  expect(text.endsWith('These are only names.\n\nAvailable tools:\n\nread_file\n')).toBe(true)
})

test('a legend stands only before a list', () => {
  expect(describeTools({ tools: [], how: FENCE, listing: names })).not.toContain('only names')
  expect(describeTools({ tools: [readFile], how: FENCE })).not.toContain('only names')
})
