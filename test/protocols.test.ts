import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Protocol } from '../src/core/protocol.ts'
import { schemaFit } from '../src/core/schema/fit.ts'
import { extractText } from '../src/core/text/extractor.ts'
import { createExtractor, type Extraction } from '../src/index.ts'
import { allProtocols } from '../src/protocols/registry.ts'
import { expectLittleHeld, type ProtocolCase } from './contract/protocol.ts'
import { soupTools } from './support/soup.ts'

/** Random orders, besides the reverse one. */
const ORDERS = 3
const WHOLE = { minLength: allProtocols.filter(({ auto }) => auto !== false).length }

test('every fixtures file belongs to a protocol', () => {
  const files = readdirSync(new URL('./fixtures/protocols', import.meta.url))
  expect(files.sort()).toEqual(allProtocols.map(({ id }) => `${id}.ts`).sort())
})

describe('the order in which protocols are listed changes nothing', () => {
  const listed = allProtocols.filter(({ auto }) => auto !== false)
  const orders = [
    listed.toReversed(),
    ...fc.sample(fc.shuffledSubarray([...listed], WHOLE), ORDERS),
  ]

  test.for(allProtocols.map(({ id }) => id))('fixtures of %s', async (id) => {
    const { cases }: { cases: readonly ProtocolCase[] } = await import(
      `./fixtures/protocols/${id}.ts`
    )
    for (const { input, tools = soupTools, options } of cases) {
      const read = (protocols: readonly Protocol[]): Extraction =>
        extractText(input, {
          ids: 'sequential',
          freeText: 'ending',
          fit: schemaFit,
          tools,
          ...options,
          protocols,
        })
      const expected = read(listed)
      for (const order of orders) expect(read(order), input).toEqual(expected)
    }
  })
})

test('L4: with all protocols, in text no more is held back than a marker needs', () => {
  const protocols = allProtocols.filter(({ auto }) => auto !== false)
  expectLittleHeld({ protocols, tools: soupTools }, 1000)
})

test.for([
  `{"name": "get_weather", "arguments": {"city": "Oslo",}}`,
  `{'name': 'get_weather', 'arguments': {'city': 'Oslo'}}`,
  `{name: "get_weather", arguments: {city: "Oslo"}}`,
  `{"name": "get_weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}`,
  `{"arguments": {"city": "Oslo"}, "name": "get_weather"}`,
])('a call that is not as usual is told as soon as it is closed: %s', (json) => {
  const extractor = createExtractor({ tools: soupTools })
  const events = [...`<tool_call>${json}</tool_call>`].flatMap((one) => extractor.push(one))
  expect(events.at(-1)).toMatchObject({ type: 'call-end', call: { arguments: { city: 'Oslo' } } })
})
