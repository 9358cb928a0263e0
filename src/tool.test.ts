/** Definitions of tools, with the schemas of real libraries. */

import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { checkArguments } from './agent/arguments.ts'
import type { StandardSchema } from './core/standard-schema.ts'
import { tool } from './tool.ts'

const LIBRARIES: readonly (readonly [string, StandardSchema])[] = [
  ['zod', z.object({ city: z.string(), days: z.number().int().optional() })],
  ['arktype', type({ city: 'string', 'days?': 'number.integer' })],
  [
    'valibot',
    toStandardJsonSchema(
      v.object({ city: v.string(), days: v.optional(v.pipe(v.number(), v.integer())) }),
    ),
  ],
]

describe.for(LIBRARIES)('%s', ([, inputSchema]) => {
  const weather = tool({ name: 'get_weather', inputSchema })

  test('is shown to models as JSON Schema', () => {
    expect(weather.inputSchema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    })
    expect(weather.inputSchema).not.toHaveProperty('$schema')
  })

  test('takes what fits, converted where that is safe', async () => {
    expect(await checkArguments(weather, { city: 'Oslo', days: '3' })).toEqual({
      ok: true,
      input: { city: 'Oslo', days: 3 },
    })
  })

  test('says where something does not fit', async () => {
    const checked = await checkArguments(weather, { city: 'Oslo', days: 'soon' })
    expect(checked).toMatchObject({ ok: false, message: expect.stringContaining('days') })
  })
})

test('what only the library can check is checked by it, and what it makes of the input is the input', async () => {
  const inputSchema = z.object({
    start: z.string().refine((text) => text.startsWith('a'), 'must start with a'),
    city: z.string().transform((text) => text.toUpperCase()),
  })
  const picky = tool({ name: 'picky', inputSchema })
  expect(await checkArguments(picky, { start: 'b', city: 'x' })).toMatchObject({
    ok: false,
    message: expect.stringMatching(/start.*must start with a/),
  })
  expect(await checkArguments(picky, { start: 'ab', city: 'Oslo' })).toEqual({
    ok: true,
    input: { start: 'ab', city: 'OSLO' },
  })
})

test('the input of execute has the type of the schema', () => {
  tool({
    name: 'typed',
    inputSchema: z.object({ city: z.string(), days: z.number().optional() }),
    execute(input) {
      expectTypeOf(input).toEqualTypeOf<{ city: string; days?: number | undefined }>()
    },
    needsApproval: ({ city }) => city === 'Oslo',
  })
})

describe('definitions that cannot work', () => {
  const any = { type: 'object' }

  test.for([
    ['no name', { inputSchema: any }, 'invalid_input', 'needs a name'],
    ['no schema', { name: 'x' }, 'invalid_input', 'must be JSON Schema'],
    ['no object', { name: 'x', inputSchema: { type: 'string' } }, 'invalid_input', 'wrap it'],
    ['no function', { name: 'x', inputSchema: any, execute: 'go' }, 'invalid_input', 'a function'],
    [
      'a schema without JSON Schema',
      { name: 'x', inputSchema: v.object({ a: v.string() }) },
      'schema_unconvertible',
      'toStandardJsonSchema()',
    ],
    [
      'the small zod',
      { name: 'x', inputSchema: mini.object({ a: mini.string() }) },
      'schema_unconvertible',
      'z.toJSONSchema(schema)',
    ],
    [
      'a type that JSON does not have',
      { name: 'x', inputSchema: z.object({ a: z.bigint() }) },
      'schema_unconvertible',
      '`jsonSchema`',
    ],
  ] as const)('%s', ([, definition, code, message]) => {
    // The compiler would not let any of these pass; programs in JavaScript have no compiler.
    const define = (): unknown => tool(definition as never)
    expect(define).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    )
  })

  test('JSON Schema beside the schema mends that', async () => {
    const inputSchema = mini.object({ a: mini.string() })
    const mended = tool({ name: 'x', inputSchema, jsonSchema: { type: 'object' } })
    expect(await checkArguments(mended, { a: 1 })).toMatchObject({ ok: false })
  })
})
