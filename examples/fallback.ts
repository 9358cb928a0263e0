/** Two providers behind one client: when the first is down, the second answers, and the run goes on. */
import { runAgent, tool } from 'toolglot/agent'
import { createFallback } from 'toolglot/client'
import { scriptedModel } from 'toolglot/testing'

// With real ones: createClient({ provider: 'anthropic', model: '…' }), createClient({ provider: 'openai', … })
const first = scriptedModel(
  [
    { calls: [{ name: 'stock', arguments: { item: 'rope' } }] },
    { status: 503, error: 'too many sailors today' },
  ],
  { provider: 'anthropic' },
)
const second = scriptedModel([{ text: 'There are 12 ropes left.' }], { provider: 'openai' })

const client = createFallback([first, second], {
  retries: 0,
  onSwitch: ({ from, to, error }) =>
    console.log(`${from.provider} failed (${error.code}), asking ${to.provider}`),
})

const stock = tool({
  name: 'stock',
  description: 'How many of an item are there.',
  inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
  execute: ({ item }) => ({ item, count: 12 }),
})

const { text } = await runAgent({ client, tools: [stock], prompt: 'How many ropes?' }).result
console.log(text)
