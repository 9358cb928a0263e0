/** A question, a tool, an answer. */
import { runAgent, tool } from 'toolglot/agent'
import { model } from './model.ts'

const client = model([
  { calls: [{ name: 'get_weather', arguments: { city: 'Bergen' } }] },
  { text: 'Yes: it rains in Bergen, at 4 degrees.' },
])

const weather = tool({
  name: 'get_weather',
  description: 'The weather in a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => `4 degrees and rain in ${city}`,
})
const run = runAgent({ client, tools: [weather], prompt: 'Do I need a coat in Bergen?' })
for await (const event of run) {
  if (event.type === 'text-delta') process.stdout.write(event.text)
}
console.log()
