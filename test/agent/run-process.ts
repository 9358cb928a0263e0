/**
 * A run in a process that may be killed at any moment, and goes on when it is started again: 50 steps of one call
 * each, or a mixed one of batches, approvals, agents as tools and a budget.
 *
 *     run-process.js <folder> <run> [begin]
 */
import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import {
  type AgentOptions,
  agentTool,
  finishTool,
  type RunnableTool,
  runAgent,
  tool,
} from '../../src/agent/index.ts'
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

function clientOf(reply: (messages: readonly Message[]) => ChatResponse): ChatClient {
  return {
    provider: 'test',
    model: 'bookkeeper',
    capabilities: { nativeTools: true, streamsTools: true, toolMode: 'native' },
    complete: async ({ messages }) => reply(messages),
    stream() {
      throw new Error('the run asks for whole replies')
    },
  }
}

// ── a mixed run ─────────────────────────────────────────────────────────────────────────────────

type Calls = readonly (readonly [name: string, args: JsonObject])[]

/** Calls turn after turn, then an answer. */
function clientCalling(turns: readonly Calls[]): ChatClient {
  return clientOf((messages) => {
    const done = messages.filter(({ role }) => role === 'tool').length
    const toolCalls = turns[done]?.map(
      ([name, args]): ToolCall => ({
        id: `call_${crypto.randomUUID()}`,
        name,
        arguments: args,
        origin: 'native',
      }),
    )
    const content = `Turn ${done}.`
    return {
      message: { role: 'assistant', content, ...(toolCalls && { toolCalls }) },
      finishReason: toolCalls ? 'tool-calls' : 'stop',
      usage: { inputTokens: 10, outputTokens: 5 },
      issues: [],
    }
  })
}

const order = (name: string, at: number): Calls[number] => [name, { amount: at }]
const beside: RunnableTool = { ...book, name: 'book_beside', concurrencySafe: true }
const careful: RunnableTool = { ...book, name: 'book_carefully', needsApproval: () => true }

function helper(
  name: string,
  turns: readonly Calls[],
  tools: readonly RunnableTool[],
): RunnableTool {
  const client = clientCalling(turns)
  const agent = agentTool({ name, description: 'Helps.', client, tools, stream: false })
  return { ...agent, concurrencySafe: true }
}

const INNER: readonly Calls[] = [
  [order('book', 1), order('book_beside', 2)],
  [order('book_carefully', 3)],
]
const clerk = helper('clerk', INNER, [book, beside, careful])
const chief = helper('chief', [[['clerk', { task: 'book' }]], [order('book', 4)]], [book, clerk])

const MIXED: readonly Calls[] = [
  [order('book', 0), order('book_beside', 1), order('book_beside', 2), order('book_beside', 3)],
  [order('book_carefully', 4), order('book', 5), order('book_carefully', 7)],
  [['clerk', { task: 'one' }]],
  [['clerk', { task: 'two' }], order('book_beside', 6), ['clerk', { task: 'three' }]],
  [['nothing', {}], order('book', 8), ['chief', { task: 'four' }]],
  [order('book', 9), ['finish', { deliverable: 'All is booked.' }], order('book', 10)],
]

function mixedRun(name: string): Partial<AgentOptions> {
  return {
    client: clientCalling(MIXED),
    tools: [book, beside, careful, clerk, chief, finishTool()],
    // Somebody refuses what is for 7.
    approve: ({ call }) => call.arguments['amount'] !== 7,
    priceOf: () => 0.5,
    // Used up by the agents of the fourth turn, in every third run.
    budget: { tokens: name.endsWith('0') ? 190 : 10_000 },
  }
}

const events = runAgent({
  client: clientOf(answer),
  stream: false,
  tools: [pay, book],
  store: join(folder, 'runs.db'),
  runId: run,
  maxSteps: STEPS + 1,
  maxMistakes: STEPS,
  ...(run.startsWith('mixed') && mixedRun(run)),
  ...(process.argv[4] === 'begin' && { prompt: 'Pay and book.' }),
})
for await (const event of events) {
  // At once, and not through a stream: what was said before a kill has to arrive.
  const said = event.type === 'done' ? JSON.stringify(event.result.state) : event.type
  writeSync(1, `${said}\n`)
}
