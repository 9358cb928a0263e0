import { describe, expect, test } from 'vitest'
import { normalizeTool, normalizeTools } from './tool.ts'

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const tool = { name: 'weather', description: 'Looks outside', inputSchema: schema }

describe('one definition', () => {
  test('a tool comes back as it is', () => {
    expect(normalizeTool(tool)).toBe(tool)
    const open = { name: 'x', inputSchema: true }
    expect(normalizeTool(open)).toBe(open)
  })

  const { name, description } = tool
  test.for([
    ['name, description, schema', { name, description, schema }],
    ['OpenAI Chat', { type: 'function', function: { name, description, parameters: schema } }],
    ['OpenAI Responses', { type: 'function', name, description, parameters: schema }],
    ['bare parameters', { name, description, parameters: schema }],
    ['Go field names', { Name: name, Description: description, Parameters: schema }],
    ['Anthropic', { name, description, input_schema: schema }],
    [
      'Gemini with one declaration',
      { functionDeclarations: [{ name, description, parameters: schema }] },
    ],
    ['Gemini with JSON Schema', { name, description, parametersJsonSchema: schema }],
    ['Bedrock', { toolSpec: { name, description, inputSchema: { json: schema } } }],
    ['AI SDK jsonSchema()', { name, description, inputSchema: { jsonSchema: schema } }],
  ] as const)('%s', ([, definition]) => {
    expect(normalizeTool(definition)).toEqual(tool)
  })

  test('the schema object itself is kept, so that what was compiled for it is found again', () => {
    expect(normalizeTool({ name, parameters: schema }).inputSchema).toBe(schema)
  })

  test('a bare name accepts any object', () => {
    expect(normalizeTool('ping')).toEqual({ name: 'ping', inputSchema: { type: 'object' } })
  })

  test.for([
    { name: 'ping' },
    { name: 'ping', parameters: null },
    { type: 'function', function: { name: 'ping' } },
  ])('missing parameters are none: %j', (definition) => {
    expect(normalizeTool(definition)).toEqual({
      name: 'ping',
      inputSchema: { type: 'object', properties: {} },
    })
  })

  test('strict is kept', () => {
    expect(normalizeTool({ type: 'function', function: { name, strict: true } }).strict).toBe(true)
  })

  test('the hints of MCP become annotations', () => {
    const annotations = { title: 'Weather', readOnlyHint: true, destructiveHint: false }
    expect(normalizeTool({ ...tool, annotations }).annotations).toEqual({
      title: 'Weather',
      readOnly: true,
      destructive: false,
    })
  })

  test.for([undefined, null, 5, '', {}, { name: '' }, { type: 'web_search' }, { function: {} }])(
    '%j has no usable name',
    (definition) => {
      expect(() => normalizeTool(definition)).toThrow(/has no name; write \{ name/)
    },
  )

  test('a schema that is not JSON Schema is refused', () => {
    const inputSchema = { '~standard': { version: 1 } }
    expect(() => normalizeTool({ name, inputSchema })).toThrow(/\(weather\).*tool\(\)/)
    expect(() => normalizeTool({ name, parameters: 'city' })).toThrow(TypeError)
  })

  test('several declarations are not one tool', () => {
    expect(() => normalizeTool({ functionDeclarations: [tool, tool] })).toThrow(/normalizeTools/)
  })
})

describe('several definitions', () => {
  test('any mixture of spellings, in order', () => {
    const list = ['ping', tool, { functionDeclarations: [{ name: 'a' }, { name: 'b' }] }]
    expect(normalizeTools(list).map(({ name }) => name)).toEqual(['ping', 'weather', 'a', 'b'])
  })

  test('a record from names to definitions', () => {
    const { description, inputSchema } = tool
    expect(normalizeTools({ weather: { description, inputSchema } })).toEqual([tool])
    expect(normalizeTools([{ weather: { description, inputSchema } }])).toEqual([tool])
  })

  test('nothing is no tools', () => {
    expect(normalizeTools([])).toEqual([])
    expect(normalizeTools({})).toEqual([])
  })

  test('the message says which entry is wrong', () => {
    expect(() => normalizeTools([tool, { parameters: {} }])).toThrow(/^tools\[1\] has no name/)
    expect(() => normalizeTools([tool, {}])).toThrow(/^tools\[1\] has no name/)
    expect(() => normalizeTools([{ functionDeclarations: [tool, {}] }])).toThrow(/^tools\[0\]\[1\]/)
  })
})
