/**
 * A run of 50 steps in a process that may be killed at any moment, and goes on when it is started again.
 *
 *     run-process.js <folder> <run>
 */
import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { runAgent, tool } from '../../src/agent/index.ts'
import type { ChatClient } from '../../src/client/chat-client.ts'
import type { ChatResponse } from '../../src/core/chat.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { Message, ToolCall } from '../../src/core/model.ts'

const STEPS = 50
const [folder = '', run = ''] = process.argv.slice(2)
const ledger = join(folder, `${run}.ledger`)

const amount: JsonObject = {
  type: 'object',
  properties: { amount: { type: 'integer' } },
  required: ['amount'],
}

/** A tool that must not run twice, and cannot say whether it ran. */
const pay = tool({
  name: 'pay',
  inputSchema: amount,
  async execute(input, { key }) {
    await soon()
    appendFileSync(ledger, `${key}\n`)
    await soon()
    return `paid ${input['amount']}`
  },
})

/** A tool that must not run twice, and looks up whether it ran. */
const book = tool({
  name: 'book',
  inputSchema: amount,
  async execute(input, { key }) {
    await soon()
    appendFileSync(ledger, `${key}\n`)
    await soon()
    return `booked ${input['amount']}`
  },
  recover: (input, { key }) =>
    existsSync(ledger) && readFileSync(ledger, 'utf8').split('\n').includes(key)
      ? `booked ${input['amount']}`
      : undefined,
})

function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1))
}

/**
 * The model goes by the history alone, as a real one does; the ids of its calls are new each time. A client
 * of its own, because loading all of the real one takes longer than the run.
 */
function answer(messages: readonly Message[]): ChatResponse {
  const done = messages.filter(({ role }) => role === 'tool').length
  const usage = { inputTokens: 10, outputTokens: 5 }
  if (done >= STEPS) {
    const message = { role: 'assistant', content: `All ${done} steps are done.` } as const
    return { message, finishReason: 'stop', usage, issues: [] }
  }
  const call: ToolCall = {
    id: `call_${crypto.randomUUID()}`,
    name: done % 2 === 0 ? 'pay' : 'book',
    arguments: { amount: done },
    origin: 'native',
  }
  const message = { role: 'assistant', content: '', toolCalls: [call] } as const
  return { message, finishReason: 'tool-calls', usage, issues: [] }
}

const client: ChatClient = {
  provider: 'test',
  model: 'bookkeeper',
  capabilities: { nativeTools: true, streamsTools: true, toolMode: 'native' },
  complete: async ({ messages }) => answer(messages),
  stream() {
    throw new Error('the run asks for whole replies')
  },
}

const events = runAgent({
  client,
  stream: false,
  tools: [pay, book],
  store: join(folder, 'runs.db'),
  runId: run,
  maxSteps: STEPS + 1,
  maxMistakes: STEPS,
  ...(process.argv[4] === 'begin' && { prompt: 'Pay and book.' }),
})
for await (const event of events) {
  // At once, and not through a stream: what was said before a kill has to arrive.
  const said = event.type === 'done' ? JSON.stringify(event.result.state) : event.type
  writeSync(1, `${said}\n`)
}
