/** Without `fit` the arguments of a call stay as the model wrote them, whatever the schema of the tool says. */
import { expect, test } from 'vitest'
import { extractText } from '../src/core/index.ts'
import type { Tool } from '../src/core/model.ts'
import type { Protocol } from '../src/core/protocol.ts'
import { allProtocols, getProtocol } from '../src/protocols/registry.ts'

const name = 'get_weather'
const tool: Tool = {
  name,
  inputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer' },
      hourly: { type: 'boolean' },
      places: { type: 'array', items: { type: 'number' } },
    },
    required: ['city', 'days', 'hourly', 'places'],
  },
}
const args = { city: 'Oslo', days: '5', hourly: 'true', places: '[1, 2]' }

/** What a reply calls the tool with, by the schema of the tool and without one. */
function readings(text: string, protocol: Protocol) {
  const read = (tools: readonly (Tool | string)[]) =>
    extractText(text, { tools, protocols: [protocol] }).calls.map((call) => call.arguments)
  return { declared: read([tool]), named: read([name]) }
}

test.for(allProtocols)('$id: the schema alone converts nothing', (protocol) => {
  const { declared, named } = readings(protocol.formatCall({ name, arguments: args }), protocol)
  expect(declared).toHaveLength(1)
  expect(declared).toEqual(named)
})

test.for([
  ['bracket', '[tool: get_weather city="Oslo", days="5"]'],
  ['xml-attributes', `<tool_call name="get_weather" args='city="Oslo", days="5"' />`],
  ['react', 'Action: get_weather\nAction Input: city="Oslo", days="5"'],
  ['function-pattern', 'get_weather(city="Oslo", days="5")'],
] as const)('%s: what is quoted stays text', ([id, text]) => {
  const inputSchema = { properties: { city: { type: 'string' }, days: { type: 'integer' } } }
  const tools = [{ name, inputSchema }]
  const { calls } = extractText(text, { tools, protocols: [getProtocol(id)] })
  expect(calls.map((call) => call.arguments)).toEqual([{ city: 'Oslo', days: '5' }])
})
