/**
 * A run of 50 steps in a process that may be killed at any moment, and goes on when it is started again.
 *
 *     run-process.js <folder> <run>
 */
import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { runAgent, tool } from '../../src/agent/index.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'

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

// The model goes by the history alone, as a real one does; the ids of its calls begin anew each time.
const client = scriptedModel(({ messages }) => {
  const done = messages.filter(({ role }) => role === 'tool').length
  if (done >= STEPS) return { text: `All ${done} steps are done.` }
  return { calls: [{ name: done % 2 === 0 ? 'pay' : 'book', arguments: { amount: done } }] }
})

const events = runAgent({
  client,
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
