/** What is told to be plain without being read must be nothing but text when it is read. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CoreOptions } from '../src/core/options.ts'
import { createReplyReader, extractText } from '../src/core/text/extractor.ts'
import { allProtocols } from '../src/protocols/registry.ts'
import type { ProtocolCase } from './contract/protocol.ts'
import { negativeCases, negativeTools } from './fixtures/negative.ts'
import { fuzzFactor } from './support/seed.ts'
import { soupArbitrary, soupTools } from './support/soup.ts'

const auto = allProtocols.filter(({ auto }) => auto !== false)
const numRuns = 200 * (fuzzFactor || 1)

function expectTextWherePlain(text: string, options: CoreOptions): void {
  if (!createReplyReader(options, options).isPlain(text)) return
  const { calls, issues, text: left } = extractText(text, options)
  expect({ calls, issues, text: left }).toEqual({ calls: [], issues: [], text })
}

/** The text up to each of its characters: markers that are cut off are none. */
function beginningsOf(text: string): string[] {
  return Array.from(text, (_, at) => text.slice(0, at))
}

for (const protocol of allProtocols) {
  const pinned: CoreOptions = { protocols: [protocol], reasoning: 'text' }
  const usual: CoreOptions = { protocols: auto, tools: soupTools, freeText: 'message' }

  describe(protocol.id, () => {
    test('in replies of its own', async () => {
      const { cases }: { cases: readonly ProtocolCase[] } = await import(
        `./fixtures/protocols/${protocol.id}.ts`
      )
      for (const { input, tools, options } of cases) {
        const own = { ...options, ...(tools && { tools }) }
        for (const text of [input, ...beginningsOf(input.slice(0, 100))]) {
          expectTextWherePlain(text, { ...pinned, ...own })
          expectTextWherePlain(text, { ...usual, ...own })
        }
      }
    })

    test('in any text', () => {
      fc.assert(
        fc.property(soupArbitrary(protocol), (text) => {
          expectTextWherePlain(text, pinned)
          expectTextWherePlain(text, usual)
        }),
        { numRuns },
      )
    })
  })
}

test('in replies that only look like calls', () => {
  const options: CoreOptions = { protocols: auto, tools: negativeTools, freeText: 'message' }
  for (const { text } of negativeCases) expectTextWherePlain(text, options)
})

test.for([
  '',
  'Lisbon: 22 °C and sunny.',
  'A list:\n\n- one\n- another\n\n1 < 2, **and** so on; it ends with t',
])('%j is plain', (text) => {
  const options: CoreOptions = { protocols: auto, tools: soupTools }
  expect(createReplyReader(options, options).isPlain(text)).toBe(true)
})
