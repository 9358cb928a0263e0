import { expect, test } from 'vitest'
import type { JsonSchema } from '../model.ts'
import { viewSchema } from './view.ts'

const schema: JsonSchema = {
  type: 'object',
  properties: {
    hotel: { $ref: '#/$defs/hotel' },
    nights: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
    either: {
      anyOf: [{ type: 'integer' }, { type: 'object', properties: { max: { type: 'integer' } } }],
    },
    open: {},
  },
  additionalProperties: { type: 'boolean' },
  $defs: { hotel: { type: 'object', properties: { starCount: { type: ['integer', 'null'] } } } },
}
const view = viewSchema(schema)

test('a schema that allows everything says nothing', () => {
  expect(viewSchema(true)).toBeUndefined()
  expect(viewSchema({})).toBeUndefined()
  expect(view?.property('open')).toBeUndefined()
})

test('references, unions, items and other spellings are followed', () => {
  const stars = view?.property('hotel')?.property('star_count')
  expect(stars?.read('4').value).toBe(4)
  expect(stars?.accepts('null')).toBe(true)
  expect(view?.property('either')?.accepts('object')).toBe(true)
  expect(view?.property('either')?.property('max')?.read('5').value).toBe(5)
  expect(view?.property('nights')?.item(0)?.read('5').value).toBe('5')
  expect(view?.property('nights')?.item(1)?.read('5').value).toBe(5)
  expect(view?.property('other')?.read('true').value).toBe(true)
})

test('repairs say where', () => {
  const { repairs } = view?.property('hotel')?.property('starCount')?.read('NULL') ?? {
    repairs: [],
  }
  expect(repairs.map(({ path }) => path)).toEqual([['hotel', 'starCount']])
})

test('issues say where, too', () => {
  const read = viewSchema({ properties: { n: { type: 'integer' } } })
    ?.property('n')
    ?.read('x')
  expect(read).toMatchObject({ issues: [{ message: '$.n: expected integer, got "x"' }] })
})
