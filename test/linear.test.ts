/**
 * Time grows with the length of a reply, whatever is in it and however it arrives. What is looked at by readers is
 * counted; where pieces wait for each other only time shows what they cost, and a ratio of it is compared with a
 * limit that is far from linear.
 */
import { describe, expect, test } from 'vitest'
import { extract } from '../src/index.ts'
import { allProtocols } from '../src/protocols/registry.ts'
import { chunksOf } from '../src/testing/index.ts'
import { HOSTILE_ATOMS, repeated } from './support/hostile-atoms.ts'
import { fuzzFactor } from './support/seed.ts'
import { STREAMED_LANES } from './support/streamed-lanes.ts'
import { createWorkCounter } from './support/work.ts'

const tools = ['f', 'get_weather']
const call = { name: 'get_weather', arguments: { city: 'Oslo' } }

/** Four times the text takes four times the work, and some more where only long texts reach a window. */
const MAX_GROWTH = 6
const LENGTH = fuzzFactor ? 4000 : 300

/** Alone, or each after each other. */
const UNITS = fuzzFactor
  ? HOSTILE_ATOMS.flatMap((one) =>
      HOSTILE_ATOMS.map((other) => (one === other ? one : one + other)),
    )
  : HOSTILE_ATOMS
const SIZES = fuzzFactor ? [1, 7, Number.POSITIVE_INFINITY] : [1]

for (const protocol of allProtocols) {
  describe(protocol.id, () => {
    const block = protocol.formatCall(call)
    const countWork = createWorkCounter({ protocols: [protocol], tools })

    test.for([
      ['alone', ''],
      ['after a call', block],
      ['inside a call', block.slice(0, block.indexOf('Oslo') + 2)],
    ] as const)('L3: hostile text %s', ([, before]) => {
      const grown = UNITS.flatMap((unit) =>
        SIZES.flatMap((size) => {
          const work = (length: number) =>
            countWork(chunksOf(before + repeated(unit, length), size))
          // What is read before the text, and windows, are no growth.
          const [none, some, more] = [work(0), work(LENGTH), work(4 * LENGTH)]
          const isLinear = more - none <= MAX_GROWTH * (some - none) + 64 * LENGTH
          return isLinear ? [] : [{ unit, size, none, some, more }]
        }),
      )
      expect(grown).toEqual([])
    })
  })
}

/** Milliseconds of the processor; the least of several times, because others disturb it. */
async function leastTime(times: number, run: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < times; i++) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** Of four times the text; quadratic time has 16. */
const MAX_RATIO = 9

async function expectLinear(length: number, run: (length: number) => unknown): Promise<void> {
  await run(length)
  let ratio = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 4 && ratio > MAX_RATIO; attempt++) {
    const less = await leastTime(2, () => run(length))
    const more = await leastTime(attempt + 1, () => run(4 * length))
    ratio = Math.min(ratio, more / less)
  }
  expect(ratio).toBeLessThan(MAX_RATIO)
}

const block = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'

const TEXTS: Readonly<Record<string, readonly [before: string, unit: string]>> = {
  spaces: ['', ' '],
  'line breaks': ['', '\n'],
  'spaces that do not break': ['', '\u00a0'],
  'a call and line breaks': [block, '\n'],
  'a call of Python': ['get_weather(city=1', '1'],
  'a call in a fence': ['```json\n{"name": "get_weather", "arguments": {"city": "', 'x'],
  'an unclosed call': ['<tool_call>', ' '],
  'empty reasoning': ['', '<think></think>'],
}
/** Through the gateway it takes longer and has the same causes. */
const FEW = ['line breaks']

describe.for(Object.entries(STREAMED_LANES))('a character at a time through %s', ([lane, run]) => {
  const isAll = fuzzFactor > 0 || !lane.startsWith('the gateway')
  const shorter = isAll ? 15_000 : 6000
  const texts = Object.entries(TEXTS).filter(([name]) => isAll || FEW.includes(name))

  test.for(texts)('%s', { timeout: 120_000 }, ([, [before, unit]]) =>
    expectLinear(shorter, (length) => run(before + repeated(unit, length), 1)),
  )
})

test('empty reasoning in a whole reply', { timeout: 120_000 }, async () => {
  const text = repeated('<think></think>', 1_600_000)
  await expectLinear(400_000, (length) => extract(text.slice(0, length), { tools, trace: true }))
})
