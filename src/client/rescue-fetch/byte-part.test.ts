import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytePart, isAt, viewOf } from './byte-part.ts'

const bytes = fc.uint8Array({ maxLength: 40 })

it('finds what stands there, wherever it stands', () => {
  fc.assert(
    fc.property(bytes, bytes, bytes, fc.boolean(), (before, part, after, isLong) => {
      const more = new Uint8Array(isLong ? 2000 : 0)
      const all = Uint8Array.from([...before, ...part, ...after, ...more])
      const found = isAt(viewOf(all), before.length, all.length, bytePart(part))
      // Eight bytes that are no number, or nothing, are found nowhere.
      expect(found || !part.every((byte) => byte > 0 && byte < 0x7f)).toBe(true)
    }),
  )
})

it('finds nothing where one bit is another', () => {
  const some = fc.uint8Array({ minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(bytes, some, fc.nat(), fc.nat(7), (before, part, place, bit) => {
      const other = Uint8Array.from(part)
      const at = place % part.length
      other[at] = (other[at] ?? 0) ^ (1 << bit)
      const all = Uint8Array.from([...before, ...other])
      expect(isAt(viewOf(all), before.length, all.length, bytePart(part))).toBe(false)
    }),
  )
})

it('does not tell one zero from the other, and finds neither', () => {
  const [zero, negative] = [new Uint8Array(8), Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0x80])]
  expect(isAt(viewOf(negative), 0, 8, bytePart(zero))).toBe(false)
  expect(isAt(viewOf(zero), 0, 8, bytePart(negative))).toBe(false)
})

it('does not look behind the end, though there is more in the view', () => {
  const all = new TextEncoder().encode('the beginning and the end')
  expect(isAt(viewOf(all), 18, 25, bytePart(all.slice(18)))).toBe(true)
  expect(isAt(viewOf(all.slice(0, 22)), 18, 22, bytePart(all.slice(18)))).toBe(false)
})
