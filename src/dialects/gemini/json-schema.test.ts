import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../core/json/value.ts'
import { transcode } from '../transcode.ts'
import { plainSchema } from './json-schema.ts'

const UPPER = {
  type: 'OBJECT',
  properties: {
    name: { type: 'STRING', nullable: true, description: 'OBJECT' },
    OBJECT: { type: 'ARRAY', items: { type: 'OBJECT', properties: { n: { type: 'INTEGER' } } } },
    either: { anyOf: [{ type: 'NUMBER' }, { type: ['STRING', 'NULL'] }] },
    word: { type: 'STRING', enum: ['STRING', 'NULL'], default: 'STRING' },
    some: { type: 'ARRAY', minItems: '1', items: { $ref: '#/$defs/a' } },
  },
  required: ['name'],
  additionalProperties: { type: 'BOOLEAN' },
  $defs: { a: { type: 'STRING', nullable: false } },
}

const PLAIN = {
  type: 'object',
  properties: {
    name: { type: ['string', 'null'], description: 'OBJECT' },
    OBJECT: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
    either: { anyOf: [{ type: 'number' }, { type: ['string', 'null'] }] },
    word: { type: 'string', enum: ['STRING', 'NULL'], default: 'STRING' },
    some: { type: 'array', minItems: 1, items: { $ref: '#/$defs/a' } },
  },
  required: ['name'],
  additionalProperties: { type: 'boolean' },
  $defs: { a: { type: 'string' } },
}

describe('JSON Schema with types in upper case', () => {
  test('has them in lower case, at every place for a schema and nowhere else', () => {
    expect(plainSchema(UPPER)).toEqual(PLAIN)
    expect(plainSchema(PLAIN)).toEqual(PLAIN)
  })

  test('in the format of a reply and in tools, on the way to another dialect', () => {
    const request = {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: UPPER }] }],
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: UPPER },
    }
    const body = transcode(request, { from: 'gemini', to: 'openai-chat' }) as JsonObject
    expect(body).toMatchObject({
      tools: [{ function: { name: 'f', parameters: PLAIN } }],
      response_format: { json_schema: { schema: PLAIN } },
    })
  })

  test('a schema that goes too deep ends', () => {
    let deep: JsonObject = { type: 'STRING' }
    for (let at = 0; at < 500; at++) deep = { type: 'ARRAY', items: deep }
    expect(() => plainSchema(deep)).not.toThrow()
  })
})
