/**
 * Runs that are cut after every record they keep, and go on from there: each comes to the end it would have come to,
 * with the same answer and the same cost, and everything it did was done once.
 */
import { expect, test } from 'vitest'
import {
  type AgentOptions,
  type AgentResult,
  agentTool,
  createMemoryStore,
  finishTool,
  halt,
  type RunnableTool,
  type RunRecord,
  runAgent,
  stepsReach,
  submit,
  tokensReach,
  toolWasCalled,
} from '../../src/agent/index.ts'
import type { Store } from '../../src/agent/store.ts'
import type { ChatClient } from '../../src/client/chat-client.ts'
import type { ChatResponse } from '../../src/core/chat.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { Message } from '../../src/core/model.ts'
import { doing } from './scenario.ts'

/** What was done outside of the run, by the keys of the calls. */
type World = string[]

interface Reply {
  readonly text?: string
  readonly calls?: readonly (string | readonly [name: string, args: JsonObject])[]
  readonly more?: Partial<ChatResponse>
}

interface Scenario {
  readonly name: string
  /** What the model says by the number of turns with results; by nothing else, as the history is all it has. */
  readonly replies: (turns: number, messages: readonly Message[]) => Reply
  readonly options?: (world: World) => Partial<AgentOptions>
  readonly finish: string
}

function modelOf(replies: Scenario['replies']): ChatClient {
  const answer = (messages: readonly Message[]): ChatResponse => {
    const turns = messages.filter(({ role }) => role === 'tool').length
    const { text = '', calls = [], more } = replies(turns, messages)
    const toolCalls = calls.map((call, at) => {
      const [name, args] = typeof call === 'string' ? [call, {}] : call
      return {
        id: `call_${crypto.randomUUID()}_${at}`,
        name,
        arguments: args,
        origin: 'native',
      } as const
    })
    return {
      message: { role: 'assistant', content: text, ...(calls.length > 0 && { toolCalls }) },
      finishReason: calls.length > 0 ? 'tool-calls' : 'stop',
      usage: { inputTokens: 10, outputTokens: 5 },
      issues: [],
      ...more,
    }
  }
  return {
    provider: 'test',
    model: 'by-the-history',
    capabilities: { nativeTools: true, streamsTools: true, toolMode: 'native' },
    complete: async ({ messages }) => answer(messages),
    stream() {
      throw new Error('the run asks for whole replies')
    },
  }
}

/** Tools whose effects can be seen, and looked up after a crash. */
function toolsOf(world: World): RunnableTool[] {
  const acting = (
    name: string,
    value: unknown = `${name} done`,
    more: Partial<RunnableTool> = {},
  ) =>
    doing(
      name,
      (_, { key }) => {
        world.push(key)
        return value
      },
      { recover: (_, { key }) => (world.includes(key) ? value : undefined), ...more },
    )
  const safe = { concurrencySafe: true }
  return [
    acting('pay'),
    acting('mail'),
    acting('look', 'seen', safe),
    acting('peek', 'seen too', safe),
    acting('stop', halt('enough')),
    acting('hand_in', submit('the work')),
    acting('hand_in_safely', submit('the safe work'), safe),
    acting('fail', undefined, {
      execute: () => Promise.reject(new Error('no')),
      recover: () => undefined,
    }),
    acting('approved', 'approved', { needsApproval: () => true }),
    doing('ask_user', undefined),
    finishTool(),
  ]
}

const helper = (
  world: World,
  more: Partial<Parameters<typeof agentTool>[0]> = {},
): RunnableTool => ({
  ...agentTool({
    name: 'helper',
    description: 'Helps.',
    stream: false,
    client: modelOf((turns) => (turns < 2 ? { calls: ['mail', 'look'] } : { text: 'Helped.' })),
    tools: toolsOf(world),
    ...more,
  }),
  concurrencySafe: true,
})

const withHelper = (more?: Partial<Parameters<typeof agentTool>[0]>) => (world: World) => ({
  tools: [...toolsOf(world), helper(world, more)],
})

const asking: readonly [string, JsonObject] = ['helper', { task: 'help' }]

/** Calls these, turn after turn, then answers. */
const turnsOf =
  (...all: readonly NonNullable<Reply['calls']>[]): Scenario['replies'] =>
  (turns) => {
    const calls = all[turns]
    return calls ? { text: `Turn ${turns}.`, calls } : { text: 'Done.' }
  }

const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'an answer',
    replies: turnsOf(['pay'], ['mail', 'look', 'peek'], ['pay']),
    finish: 'stop',
  },
  { name: 'submit', replies: turnsOf(['pay'], ['hand_in']), finish: 'submitted' },
  {
    name: 'submit before others',
    replies: turnsOf(['pay', 'hand_in', 'mail', 'look']),
    finish: 'submitted',
  },
  {
    name: 'submit beside others',
    replies: turnsOf(['nothing', 'look', 'hand_in_safely', 'peek', 'mail']),
    finish: 'submitted',
  },
  {
    name: 'the finish tool',
    replies: turnsOf(['look'], [['finish', { deliverable: 'It is done.' }]]),
    finish: 'submitted',
  },
  { name: 'halt', replies: turnsOf(['pay'], ['mail', 'stop', 'pay']), finish: 'halted' },
  {
    name: 'a hook that halts before a call',
    replies: turnsOf(['pay'], ['look', 'mail', 'pay']),
    options: () => ({
      hooks: { beforeTool: ({ name }) => (name === 'mail' ? { halt: 'no mail' } : undefined) },
    }),
    finish: 'halted',
  },
  {
    name: 'a hook that halts after a call',
    replies: turnsOf(['pay', 'mail', 'look', 'peek']),
    options: () => ({
      hooks: { afterTool: ({ name }) => (name === 'mail' ? { halt: 'no more' } : undefined) },
    }),
    finish: 'halted',
  },
  {
    name: 'a hook that halts after the answer to an unknown tool',
    replies: turnsOf(['pay'], ['unknown', 'mail']),
    options: () => ({
      hooks: { afterTool: ({ name }) => (name === 'unknown' ? { halt: 'no more' } : undefined) },
    }),
    finish: 'halted',
  },
  {
    name: 'a hook that halts after a reply',
    replies: turnsOf(['pay'], ['mail', 'pay']),
    options: () => ({
      hooks: { afterReply: (_, { step }) => (step === 1 ? { halt: 'enough said' } : undefined) },
    }),
    finish: 'halted',
  },
  {
    name: 'a hook that halts after a step',
    replies: turnsOf(['pay'], ['mail', 'pay'], ['look']),
    options: () => ({
      hooks: { afterStep: ({ step }) => (step === 2 ? { halt: 'enough done' } : undefined) },
    }),
    finish: 'halted',
  },
  {
    name: 'a hook that halts before a step',
    replies: turnsOf(['pay'], ['mail']),
    options: () => ({
      hooks: { beforeStep: ({ step }) => (step === 1 ? { halt: 'no further' } : undefined) },
    }),
    finish: 'halted',
  },
  {
    name: 'a hook that throws',
    replies: turnsOf(['pay', 'mail', 'look']),
    options: () => ({
      hooks: {
        afterTool({ name }) {
          if (name === 'mail') throw new Error('a defect')
        },
      },
    }),
    finish: 'halted',
  },
  {
    name: 'a hook that says something before each step',
    replies: (turns, messages) => ({
      ...turnsOf(['pay'], ['mail'])(turns, messages),
      text: `Heard ${messages.filter(({ content }) => content === 'Mind the time.').length}.`,
    }),
    options: () => ({
      hooks: { beforeStep: () => ({ messages: [{ role: 'user', content: 'Mind the time.' }] }) },
    }),
    finish: 'stop',
  },
  {
    name: 'a permission that halts',
    replies: turnsOf(['pay'], ['look', 'mail', 'pay']),
    options: () => ({
      permissions: { canUse: ({ name }) => (name === 'mail' ? { halt: 'not allowed' } : true) },
    }),
    finish: 'halted',
  },
  {
    name: 'a permission that denies',
    replies: turnsOf(['pay', 'mail'], ['mail', 'pay']),
    options: () => ({ permissions: { deny: ['mail'] } }),
    finish: 'stop',
  },
  {
    name: 'approvals, given and refused',
    replies: turnsOf(['approved', 'pay', 'approved'], ['approved', 'mail']),
    options: (world) => ({ approve: () => world.length < 2 }),
    finish: 'stop',
  },
  { name: 'a pause', replies: turnsOf(['pay'], ['unknown', 'ask_user', 'mail']), finish: 'paused' },
  {
    name: 'a condition of a tool',
    replies: turnsOf(['pay'], ['mail', 'look'], ['pay']),
    options: () => ({ stopWhen: toolWasCalled('mail') }),
    finish: 'stop-condition',
  },
  {
    name: 'conditions of steps and tokens',
    replies: turnsOf(['pay'], ['mail'], ['pay'], ['mail']),
    options: () => ({ stopWhen: [stepsReach(9), tokensReach(45)] }),
    finish: 'stop-condition',
  },
  {
    name: 'the limit of steps',
    replies: turnsOf(['pay'], ['mail'], ['pay'], ['mail']),
    options: () => ({ maxSteps: 2 }),
    finish: 'max-steps',
  },
  {
    name: 'mistakes',
    replies: turnsOf(['fail'], ['fail', 'unknown'], ['fail'], ['pay']),
    finish: 'max-mistakes',
  },
  {
    name: 'no progress',
    replies: (turns) => ({ text: 'Again.', calls: turns < 9 ? ['look'] : [] }),
    finish: 'no-progress',
  },
  {
    name: 'a budget of tokens',
    replies: turnsOf(['pay'], ['mail'], ['pay'], ['mail']),
    options: () => ({ budget: { tokens: 40 } }),
    finish: 'max-budget',
  },
  {
    name: 'a budget of dollars',
    replies: turnsOf(['pay'], ['mail'], ['pay'], ['mail']),
    options: () => ({ budget: { costUsd: 1 }, priceOf: () => 0.5 }),
    finish: 'max-budget',
  },
  {
    name: 'a reply without a price',
    replies: turnsOf(['pay'], ['mail', 'pay']),
    options: () => ({
      budget: { costUsd: 9 },
      priceOf: ({ message }) => (message.content === 'Turn 1.' ? undefined : 1),
    }),
    finish: 'halted',
  },
  {
    name: 'data that fits in the end',
    replies: (turns, messages) =>
      messages.some(({ content }) => String(content).includes('does not fit'))
        ? { text: '{"n": 1}' }
        : turnsOf(['pay'])(turns, messages),
    options: () => ({ output: { schema: SCHEMA } }),
    finish: 'stop',
  },
  {
    name: 'data that never fits',
    replies: turnsOf(['pay']),
    options: () => ({ output: { schema: SCHEMA, maxRetries: 2 } }),
    finish: 'max-output-retries',
  },
  {
    name: 'calls that cannot be read',
    replies: (turns) =>
      turns === 0
        ? {
            calls: ['pay', 'mail'],
            more: { issues: [{ code: 'truncated-call', message: 'cut off', name: 'pay' }] },
          }
        : { text: 'Done.' },
    finish: 'stop',
  },
  {
    name: 'a call that cannot be read and ends the run',
    replies: (turns) => ({
      calls: ['pay', 'mail'],
      ...(turns === 1 && {
        more: { issues: [{ code: 'invalid-json', message: 'no JSON', name: 'pay' }] },
      }),
    }),
    options: () => ({ onMalformed: 'halt' }),
    finish: 'malformed-call',
  },
  {
    name: 'replies of nothing',
    replies: (turns) =>
      turns === 0
        ? { calls: ['pay'] }
        : { more: { finishReason: 'length', usage: { inputTokens: 10, outputTokens: 5 } } },
    finish: 'starved',
  },
  {
    name: 'an answer that is cut off',
    replies: (turns) =>
      turns === 0 ? { calls: ['pay'] } : { text: 'I', more: { finishReason: 'length' } },
    finish: 'length',
  },
  {
    name: 'a history that is made shorter',
    replies: () => ({ text: 'And again.', calls: ['pay'] }),
    options: () => ({
      compaction: {
        contextWindow: 300,
        keepLast: 2,
        summarize: async (all) => `${all.length} messages`,
      },
      maxSteps: 5,
      maxUnproductive: 0,
    }),
    finish: 'max-steps',
  },
  {
    name: 'an agent as a tool',
    replies: turnsOf(['pay'], [asking, 'mail']),
    options: withHelper(),
    finish: 'stop',
  },
  {
    name: 'agents beside each other',
    replies: turnsOf([asking, 'look', asking], [asking]),
    options: withHelper(),
    finish: 'stop',
  },
  {
    name: 'an agent that comes to its limit',
    replies: turnsOf([asking], ['mail']),
    options: withHelper({ maxSteps: 1 }),
    finish: 'stop',
  },
  {
    name: 'an agent that is halted',
    replies: turnsOf([asking], ['mail']),
    options: withHelper({ client: modelOf(turnsOf(['pay'], ['stop', 'mail'])) }),
    finish: 'stop',
  },
  {
    name: 'an agent that uses up the budget',
    replies: turnsOf([asking], ['mail']),
    options: (world) => ({ ...withHelper()(world), budget: { tokens: 45 } }),
    finish: 'max-budget',
  },
  {
    name: 'an agent in an agent',
    replies: turnsOf([asking], ['mail']),
    options: (world) => ({
      tools: [
        ...toolsOf(world),
        helper(world, {
          client: modelOf(turnsOf([asking], ['pay'])),
          tools: [...toolsOf(world), helper(world)],
        }),
      ],
      priceOf: () => 0.25,
    }),
    finish: 'stop',
  },
]

interface Kept {
  readonly run: string
  readonly record: RunRecord
  /** What had been done when it was kept. */
  readonly world: readonly string[]
}

/** A store that notes the order in which it was given the records of all runs. */
function noting(world: World): { store: Store; kept: Kept[] } {
  const store = createMemoryStore()
  const kept: Kept[] = []
  return {
    kept,
    store: {
      ...store,
      async append(run, records, after) {
        await store.append(run, records, after)
        for (const record of records)
          kept.push({ run, record: structuredClone(record), world: [...world] })
      },
    },
  }
}

function play(
  scenario: Scenario,
  world: World,
  store: Store,
  begins: boolean,
): Promise<AgentResult> {
  const { replies, options } = scenario
  return runAgent({
    client: modelOf(replies),
    tools: toolsOf(world),
    stream: false,
    ...options?.(world),
    store,
    runId: 'main',
    ...(begins && { prompt: 'Go.' }),
  }).result
}

/** All that must be the same. Ids of calls are new whenever the model is asked again. */
function essenceOf(result: AgentResult, world: World): unknown {
  const { finishReason, message, text, deliverable, output, usage, costUsd, steps, toolCalls } =
    result
  const said = result.messages.map(({ role, content, toolCalls: calls = [], toolResults = [] }) => [
    role,
    content,
    calls.map(({ name, arguments: args }) => [name, args]),
    toolResults.map(({ content: answer, errorCode }) => [answer, errorCode]),
  ])
  const pending = result.pending?.map(({ call, needs }) => [call.name, needs])
  const done = [...world].sort()
  return {
    finishReason,
    message,
    text,
    deliverable,
    output,
    usage,
    costUsd,
    steps,
    toolCalls,
    said,
    pending,
    done,
  }
}

/** The run from the first records on, in a world where all that had been done before is done. */
async function resumed(
  scenario: Scenario,
  kept: readonly Kept[],
  done: readonly string[],
): Promise<unknown> {
  const store = createMemoryStore()
  const world = [...done]
  const counts = new Map<string, number>()
  for (const { run, record } of kept) {
    const after = counts.get(run) ?? 0
    counts.set(run, after + 1)
    await store.append(run, [record], after)
  }
  return essenceOf(await play(scenario, world, store, kept.length === 0), world)
}

test.for(SCENARIOS)('$name', async (scenario) => {
  const world: World = []
  const { store, kept } = noting(world)
  const whole = await play(scenario, world, store, true)
  const essence = essenceOf(whole, world)
  expect(whole.finishReason, whole.message).toBe(scenario.finish)
  expect(new Set(world).size, 'nothing is done twice').toBe(world.length)
  expect(await store.list(), 'the runs of agents are gone').toHaveLength(1)
  // The last record is the end; a run that is not a success would go on after it.
  const points = kept.length - (whole.category === 'success' ? 0 : 1)
  for (let at = 1; at <= points; at++) {
    const before = kept.slice(0, at)
    const where = `after record ${at} of ${kept.length}: ${before.at(-1)?.record.type}`
    const soon = before.at(-1)?.world ?? []
    const late = kept[at]?.world ?? world
    for (const done of soon.length === late.length ? [soon] : [soon, late]) {
      expect([where, await resumed(scenario, before, done)]).toEqual([where, essence])
    }
  }
})
