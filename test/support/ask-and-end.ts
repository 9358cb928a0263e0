/** A program that asks in three ways and has nothing to do then; a timer left behind would keep it. */
import { createClient, ProviderError } from '../../src/client/index.ts'

const messages = [{ role: 'user', content: 'Which way to the harbour?' }] as const
const client = createClient({
  provider: 'openai-compatible',
  model: 'scripted',
  baseUrl: process.argv[2],
  env: {},
  retries: { max: 1, baseMs: 1 },
  timeouts: { idleMs: 100 },
})

const late = await client.complete({ messages }, { retries: 0 }).catch((error: unknown) => error)
const { finishReason } = await client.complete({ messages })
for await (const event of client.stream({ messages })) if (event.type === 'text-delta') break
const code = late instanceof ProviderError ? late.code : 'no error'
process.stdout.write(`${code}, ${finishReason}, left\n`)
