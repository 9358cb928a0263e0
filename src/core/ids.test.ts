import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createIdMint, type IdMint } from './ids.ts'

function newId(mint: IdMint, name: string, index: number): string {
  return mint.claim(undefined, name, index).id
}

describe('ids that are made up', () => {
  test('random ids are call_ and twelve characters that are safe everywhere', () => {
    const mint = createIdMint()
    for (let i = 0; i < 200; i++) {
      expect(newId(mint, 'search', i)).toMatch(/^call_[A-Za-z0-9_-]{12}$/)
    }
  })

  test('the source of randomness can be given', () => {
    const mint = createIdMint({ random: () => 0 })
    expect(newId(mint, 'search', 0)).toBe('call_000000000000')
    expect(newId(mint, 'search', 1)).toBe('call_000000000000_2')
  })

  test('a source that leaves its range still gives usable ids', () => {
    expect(newId(createIdMint({ random: () => 1 }), 'search', 0)).toMatch(
      /^call_[A-Za-z0-9_-]{12}$/,
    )
  })

  test('sequential ids are the name and the index', () => {
    const mint = createIdMint({ ids: 'sequential' })
    expect([newId(mint, 'Search', 0), newId(mint, 'Weather', 1)]).toEqual(['Search_0', 'Weather_1'])
  })

  test('a function decides, and what it repeats gets a suffix', () => {
    const mint = createIdMint({ ids: ({ name }) => `my-${name}` })
    const ids = [0, 1, 2].map((index) => newId(mint, 'search', index))
    expect(ids).toEqual(['my-search', 'my-search_2', 'my-search_3'])
  })

  test('a function that gives nothing gets a random id', () => {
    expect(newId(createIdMint({ ids: () => ' ' }), 'search', 0)).toMatch(/^call_/)
  })

  test('ids of earlier turns do not come again', () => {
    const mint = createIdMint({ ids: 'sequential', usedIds: ['search_0', 'search_0_2'] })
    expect(newId(mint, 'search', 0)).toBe('search_0_3')
  })
})

describe('ids that providers give', () => {
  test('a new one is kept', () => {
    expect(createIdMint().claim('toolu_1', 'search', 0)).toEqual({ id: 'toolu_1' })
  })

  test.for([undefined, '', '  \n'])('%j is no id and leaves no trace', (id) => {
    expect(createIdMint({ ids: 'sequential' }).claim(id, 'search', 4)).toEqual({ id: 'search_4' })
  })

  test('one that was used is replaced and remembered as the original', () => {
    const mint = createIdMint({ ids: 'sequential', usedIds: ['a'] })
    expect(mint.claim('a', 'search', 0)).toEqual({ id: 'search_0', originalId: 'a' })
    expect(mint.claim('b', 'search', 1)).toEqual({ id: 'b' })
    expect(mint.claim('b', 'search', 2)).toEqual({ id: 'search_2', originalId: 'b' })
  })

  test('repeated ids stay when uniqueness is off', () => {
    const mint = createIdMint({ ensureUniqueIds: false, ids: 'sequential', usedIds: ['x'] })
    expect(mint.claim('x', 'search', 0)).toEqual({ id: 'x' })
    expect(mint.claim('x', 'search', 1)).toEqual({ id: 'x' })
    expect([newId(mint, 'search', 0), newId(mint, 'search', 0)]).toEqual(['search_0', 'search_0'])
  })

  test('no id is given out twice, whatever is asked for', () => {
    const request = fc.tuple(fc.option(fc.constantFrom('a', 'a_2', 'b_0', 'b_0_2')), fc.nat(2))
    fc.assert(
      fc.property(
        fc.array(request),
        fc.constantFrom('sequential', 'constant'),
        (requests, style) => {
          const ids = style === 'sequential' ? ('sequential' as const) : () => 'a'
          const mint = createIdMint({ ids })
          const given = requests.map(([id, index]) => mint.claim(id ?? undefined, 'b', index).id)
          expect(new Set(given).size).toBe(given.length)
        },
      ),
    )
  })

  test('a function that always says the same is counted on from where it was', () => {
    const mint = createIdMint({ ids: () => 'same' })
    const ids = Array.from({ length: 50_000 }, (_, index) => newId(mint, 'search', index))
    expect(ids.at(-1)).toBe('same_50000')
  })
})
