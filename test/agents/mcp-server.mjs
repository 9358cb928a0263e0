/** A small MCP server over standard input and output: a number, a nested schema, a picture and a failure. */
import { createInterface } from 'node:readline'

const OBJECT = { type: 'object', properties: {} }

const FILTER = {
  type: 'object',
  properties: {
    kind: { enum: ['a', 'b'] },
    since: { type: ['string', 'null'], format: 'date' },
  },
  required: ['kind'],
  additionalProperties: false,
}

const TOOLS = [
  {
    name: 'add',
    description: 'Adds two numbers.',
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
  },
  {
    name: 'find_things',
    description: 'Finds things.',
    inputSchema: {
      type: 'object',
      properties: {
        filter: { $ref: '#/$defs/filter' },
        tags: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
      },
      $defs: { filter: FILTER },
    },
  },
  { name: 'get_picture', description: 'Gives a picture.', inputSchema: OBJECT },
  { name: 'always_fail', description: 'Fails.', inputSchema: OBJECT },
]

/** One pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const ANSWERS = {
  add: ({ a, b }) => [text(`the sum is ${a + b}`)],
  find_things: (args) => [text(`things for ${JSON.stringify(args)}`)],
  get_picture: () => [text('here it is'), { type: 'image', data: PICTURE, mimeType: 'image/png' }],
}

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'tiny', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: TOOLS }),
  'tools/call': ({ name, arguments: args = {} }) => {
    const answer = ANSWERS[name]
    return answer ? { content: answer(args) } : { content: [text('no')], isError: true }
  },
}

function text(content) {
  return { type: 'text', text: content }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = METHODS[method]?.(params) ?? {}
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
})
