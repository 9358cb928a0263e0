/**
 * A local model that was never taught the tools of an API. In text mode they are described in the prompt,
 * and its calls are read from what it writes.
 */
import { runAgent, tool } from 'toolglot/agent'
import { hermes } from 'toolglot/protocols/hermes'
import { model } from './model.ts'

const client = model(
  [
    { text: 'Let me look it up.', calls: [{ name: 'tide', arguments: { harbour: 'Vardø' } }] },
    { text: 'High water in Vardø is at 14:20.' },
  ],
  hermes,
)

const tide = tool({
  name: 'tide',
  description: 'The time of the next high water.',
  inputSchema: { type: 'object', properties: { harbour: { type: 'string' } } },
  execute: ({ harbour }) => ({ harbour, highWater: '14:20' }),
})

const run = runAgent({ client, tools: [tide], prompt: 'When can we leave Vardø?' })
for await (const event of run) {
  if (event.type !== 'call-end') continue
  const { name, origin, protocol } = event.call
  console.log(`${name} was called in the ${origin}, as ${protocol}`)
}
console.log((await run.result).text)
