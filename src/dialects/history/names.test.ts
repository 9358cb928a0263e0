import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createNameMap } from './names.ts'

const RULE = { pattern: /^[a-zA-Z_][\w-]*$/, maxLength: 24 }

test.for([
  ['get_weather', 'get_weather'],
  ['mcp.server/read', 'mcp_server_read'],
  ['9lives', '_9lives_'],
] as const)('%s', ([name, start]) => {
  const map = createNameMap([name], RULE)
  expect(map.encode(name).startsWith(start)).toBe(true)
  expect(map.decode(map.encode(name))).toBe(name)
})

test('two names never meet, and all fit', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 40 }), { maxLength: 12 }),
      (names) => {
        const map = createNameMap(names, RULE)
        const wire = names.map(map.encode)
        expect(new Set(wire).size).toBe(names.length)
        for (const name of wire) expect(name).toMatch(/^[a-zA-Z_][\w-]{0,23}$/)
        expect(wire.map(map.decode)).toEqual(names)
      },
    ),
  )
})

test('a name that is not in the list is fitted as well', () => {
  const map = createNameMap(['a_b'], RULE)
  expect(map.encode('a.b')).not.toBe('a_b')
  expect(map.decode(map.encode('a.b'))).toBe('a.b')
})
