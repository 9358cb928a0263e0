import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createExtractor } from '../src/index.ts'
import { allProtocols } from '../src/protocols/registry.ts'
import { expectLittleHeld } from './contract/protocol.ts'
import { soupTools } from './support/soup.ts'

test('every fixtures file belongs to a protocol', () => {
  const files = readdirSync(new URL('./fixtures/protocols', import.meta.url))
  expect(files.sort()).toEqual(allProtocols.map(({ id }) => `${id}.ts`).sort())
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
