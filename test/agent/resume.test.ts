/** Runs that stop and go on: after a pause, in another process, with something new to say. */
import { describe, expect, test } from 'vitest'
import {
  agentTool,
  createMemoryStore,
  type RunnableTool,
  type RunState,
  runAgent,
  tool,
} from '../../src/agent/index.ts'
import type { ChatClient } from '../../src/client/chat-client.ts'
import { scriptedModel } from '../../src/testing/index.ts'
import { calls, doing, getWeather, mailTo, sendMail, weatherIn } from './scenario.ts'

const careful: RunnableTool = { ...sendMail, needsApproval: () => true }

/** What another process would see of a state. */
const asJson = (state: RunState): RunState => JSON.parse(JSON.stringify(state))

describe('a run that waits for an approval', () => {
  async function paused(): Promise<RunState> {
    const client = scriptedModel([{ calls: [weatherIn('Oslo'), mailTo('ann')] }])
    const { result } = runAgent({ client, tools: [getWeather, careful], prompt: 'Go.' })
    const { state, finishReason } = await result
    expect(finishReason).toBe('paused')
    return asJson(state)
  }

  test('goes on when it is approved', async () => {
    const state = await paused()
    const [, mail] = state.batch?.calls ?? []
    const { messages, text, finishReason } = await runAgent({
      client: scriptedModel([{ text: 'Sent.' }]),
      tools: [getWeather, careful],
      state,
      decisions: { [mail?.id ?? '']: true },
    }).result
    expect(finishReason).toBe('stop')
    expect(text).toBe('Sent.')
    const results = messages.flatMap(({ toolResults = [] }) =>
      toolResults.map(({ content }) => content),
    )
    expect(results).toEqual(['Oslo: sunny', 'sent to ann'])
  })

  test('tells the model when it is not', async () => {
    const state = await paused()
    const [, mail] = state.batch?.calls ?? []
    const { messages } = await runAgent({
      client: scriptedModel([{ text: 'Then not.' }]),
      tools: [getWeather, careful],
      state,
      decisions: { [mail?.id ?? '']: { approved: false, reason: 'not today' } },
    }).result
    const results = messages.flatMap(({ toolResults = [] }) => toolResults)
    expect(results[1]).toMatchObject({ content: 'not today', isError: true, errorCode: 'Denied' })
  })

  test.for(['yes', null, {}, { approved: 'true' }])('takes no %j for a decision', async (said) => {
    const state = await paused()
    const [, mail] = state.batch?.calls ?? []
    const { result } = runAgent({
      client: scriptedModel([{ text: 'never' }]),
      tools: [getWeather, careful],
      state,
      // As a caller without types gives it.
      decisions: { [mail?.id ?? '']: said as never },
    })
    await expect(result).rejects.toThrow(/cannot be understood; it takes true, false/)
  })

  test('waits again while nothing is decided', async () => {
    const state = await paused()
    const again = await runAgent({
      client: scriptedModel([{ text: 'never' }]),
      tools: [getWeather, careful],
      state,
    }).result
    expect(again.finishReason).toBe('paused')
    expect(again.pending).toHaveLength(1)
  })

  test('takes a new message behind the results', async () => {
    const state = await paused()
    const [, mail] = state.batch?.calls ?? []
    const { messages } = await runAgent({
      client: scriptedModel([{ text: 'Ok.' }]),
      tools: [getWeather, careful],
      state,
      prompt: 'And hurry.',
      decisions: { [mail?.id ?? '']: true },
    }).result
    const roles = messages.map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
  })

  test('refuses a decision about a call that does not wait', async () => {
    const state = await paused()
    const run = runAgent({
      client: scriptedModel([{ text: 'never' }]),
      state,
      decisions: { nothing: true },
    })
    await expect(run.result).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

test('a tool without execute is answered by the program', async () => {
  const ask = tool({ name: 'ask_user', inputSchema: { type: 'object' } })
  const first = await runAgent({
    client: scriptedModel([{ calls: [calls('ask_user')] }]),
    tools: [ask],
    prompt: 'Go.',
  }).result
  expect(first.pending).toMatchObject([{ needs: 'result', call: { name: 'ask_user' } }])
  const id = first.pending?.[0]?.call.id ?? ''
  const second = await runAgent({
    client: scriptedModel([{ text: 'Blue it is.' }]),
    tools: [ask],
    state: asJson(first.state),
    decisions: { [id]: { result: { content: 'blue' } } },
  }).result
  expect(second.text).toBe('Blue it is.')
  expect(second.messages.at(-2)?.toolResults?.[0]?.content).toBe('blue')
})

describe('a store', () => {
  test('keeps a run, and a finished one is not run again', async () => {
    const store = createMemoryStore()
    const client = scriptedModel([{ calls: [mailTo('ann')] }, { text: 'Sent.' }])
    const options = { client, tools: [sendMail], store, runId: 'r1' }
    const first = await runAgent({ ...options, prompt: 'Go.' }).result
    const second = await runAgent(options).result
    expect(second.text).toBe(first.text)
    expect(second.messages).toEqual(first.messages)
    expect(client.requests).toHaveLength(2)
    expect(await store.list()).toMatchObject([{ id: 'r1' }])
  })

  test('a new message goes on with the conversation', async () => {
    const store = createMemoryStore()
    const client = scriptedModel([{ text: 'Hello.' }, { text: 'Still here.' }])
    await runAgent({ client, store, runId: 'r1', prompt: 'Hi.' }).result
    const { messages } = await runAgent({ client, store, runId: 'r1', prompt: 'There?' }).result
    expect(messages.map(({ content }) => content)).toEqual([
      'Hi.',
      'Hello.',
      'There?',
      'Still here.',
    ])
  })

  test('a run that came to a limit goes on under another one', async () => {
    const store = createMemoryStore()
    const client = scriptedModel((_, turn) =>
      turn < 3 ? { calls: [weatherIn(`${turn}`)] } : { text: 'Done.' },
    )
    const options = { client, tools: [getWeather], store, runId: 'r1' }
    const first = await runAgent({ ...options, prompt: 'Go.', maxSteps: 2 }).result
    expect(first.finishReason).toBe('max-steps')
    const second = await runAgent({ ...options, maxSteps: 2 }).result
    expect(second.finishReason).toBe('stop')
    expect(second.steps).toBe(3)
  })

  test('a run that nobody began cannot go on', async () => {
    const run = runAgent({ client: scriptedModel([]), store: createMemoryStore(), runId: 'none' })
    await expect(run.result).rejects.toMatchObject({ code: 'nothing_to_do' })
  })

  test('two processes do not go on with one run', async () => {
    const store = createMemoryStore()
    const slow = doing('slow', () => new Promise((resolve) => setTimeout(resolve, 50)))
    const options = {
      client: scriptedModel([{ calls: [calls('slow')] }, { text: 'Done.' }]),
      tools: [slow],
      store,
      runId: 'r1',
    }
    await runAgent({ ...options, prompt: 'Go.', maxSteps: 0 }).result
    const both = await Promise.allSettled([runAgent(options).result, runAgent(options).result])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('a call that was begun when the process died', () => {
  /** The state as it is after the call began and before its result is known. */
  async function interrupted(mail: RunnableTool): Promise<RunState> {
    const store = createMemoryStore()
    const dead = new Error('the process died')
    const dying = { ...mail, execute: () => new Promise(() => {}) }
    const client = scriptedModel([{ calls: [mailTo('ann')] }])
    const cut = {
      ...store,
      append: async (...args: Parameters<typeof store.append>) => {
        await store.append(...args)
        if (args[1].some(({ type }) => type === 'started')) throw dead
      },
    }
    const run = runAgent({ client, tools: [dying], prompt: 'Go.', store: cut, runId: 'r1' })
    await expect(run.result).rejects.toBe(dead)
    const { replay } = await import('../../src/agent/journal.ts')
    return replay(await store.read('r1'))
  }

  async function resultAfter(mail: RunnableTool): Promise<unknown> {
    const state = await interrupted(mail)
    const client = scriptedModel([{ text: 'Done.' }])
    const { messages } = await runAgent({ client, tools: [mail], state }).result
    return messages.at(-2)?.toolResults?.[0]
  }

  test('is not run again when that may do harm', async () => {
    expect(await resultAfter(sendMail)).toMatchObject({ isError: true, errorCode: 'Interrupted' })
  })

  test('is run again when that does no harm', async () => {
    const harmless = { ...sendMail, annotations: { idempotent: true } }
    expect(await resultAfter(harmless)).toMatchObject({ content: 'sent to ann' })
  })

  test('is not offered again when the run ends before it', async () => {
    const state = await interrupted(sendMail)
    const client = scriptedModel([{ text: 'never' }])
    const signal = AbortSignal.abort()
    const { messages } = await runAgent({ client, tools: [sendMail], state, signal }).result
    expect(messages.at(-1)?.toolResults).toMatchObject([
      { isError: true, errorCode: 'Interrupted' },
    ])
  })

  test('is looked up when the tool can do that', async () => {
    const known = { ...sendMail, recover: () => 'had been sent' }
    expect(await resultAfter(known)).toMatchObject({ content: 'had been sent' })
  })
})

describe('cancelling', () => {
  test('ends the tool that runs, and answers the calls behind it', async () => {
    const controller = new AbortController()
    const wait = doing('wait', () => {
      controller.abort()
      return new Promise(() => {})
    })
    const { messages, finishReason } = await runAgent({
      client: scriptedModel([{ calls: [calls('wait'), mailTo('ann')] }]),
      tools: [wait, sendMail],
      prompt: 'Go.',
      signal: controller.signal,
    }).result
    expect(finishReason).toBe('canceled')
    const codes = messages.flatMap(({ toolResults = [] }) =>
      toolResults.map(({ errorCode }) => errorCode),
    )
    expect(codes).toEqual(['Canceled', 'not_executed'])
  })

  test('leaving the events ends the run', async () => {
    const client = scriptedModel((_, turn) => ({ calls: [weatherIn(`${turn}`)] }))
    const run = runAgent({ client, tools: [getWeather], prompt: 'Go.', maxSteps: 1000 })
    for await (const event of run) if (event.type === 'step-end') break
    expect((await run.result).finishReason).toBe('canceled')
  })
})

describe('an agent as a tool', () => {
  const inner = (script: Parameters<typeof scriptedModel>[0], tools = [sendMail]) =>
    agentTool({ name: 'helper', description: 'Helps.', client: scriptedModel(script), tools })
  const asking = [{ calls: [{ name: 'helper', arguments: { task: 'mail ann' } }] }, { text: 'Ok.' }]

  test('gives its answer', async () => {
    const helper = inner([{ calls: [mailTo('ann')] }, { text: 'Mailed.' }])
    const { messages } = await runAgent({
      client: scriptedModel(asking),
      tools: [helper],
      prompt: 'Go.',
    }).result
    expect(messages[2]?.toolResults?.[0]).toMatchObject({ content: 'Mailed.' })
  })

  test('may not do what the one that calls it may not', async () => {
    let sent = 0
    const counting = { ...sendMail, execute: () => ++sent }
    const helper = inner([{ calls: [mailTo('ann')] }, { text: 'Could not.' }], [counting])
    await runAgent({
      client: scriptedModel(asking),
      tools: [helper],
      prompt: 'Go.',
      permissions: { deny: ['send_mail'] },
    }).result
    expect(sent).toBe(0)
  })

  test('that does not finish is an error with what it found', async () => {
    const helper = agentTool({
      name: 'helper',
      description: 'Helps.',
      client: scriptedModel((_, turn) => ({ text: `Found ${turn}.`, calls: [mailTo(`${turn}`)] })),
      tools: [sendMail],
      maxSteps: 2,
    })
    const { messages } = await runAgent({
      client: scriptedModel(asking),
      tools: [helper],
      prompt: 'Go.',
    }).result
    expect(messages[2]?.toolResults?.[0]).toMatchObject({ isError: true, errorCode: 'max-steps' })
    expect(messages[2]?.toolResults?.[0]?.content).toContain('Found 1.')
  })

  test('that calls itself stops at some depth', async () => {
    const asked: number[] = []
    const tools: RunnableTool[] = []
    const client = scriptedModel(({ messages }) => {
      asked.push(messages.length)
      return messages.some(({ role }) => role === 'tool') ? { text: 'Back.' } : (asking[0] ?? {})
    })
    tools.push(agentTool({ name: 'helper', description: 'Helps.', maxDepth: 3, client, tools }))
    const { finishReason } = await runAgent({ client, tools, prompt: 'Go.' }).result
    expect(finishReason).toBe('stop')
    expect(asked).toHaveLength(2 * 4)
  })
})

test('a reply that ends with an error is no answer', async () => {
  const client: ChatClient = {
    provider: 'test',
    model: 'broken',
    capabilities: { nativeTools: true, streamsTools: true, toolMode: 'native' },
    complete: async () => ({
      message: { role: 'assistant', content: '' },
      finishReason: 'error',
      usage: {},
      issues: [],
    }),
    stream() {
      throw new Error('not asked for')
    },
  }
  const { finishReason } = await runAgent({ client, prompt: 'Go.', stream: false }).result
  expect(finishReason).toBe('provider-error')
})

describe('options', () => {
  test('two tools of one name are refused', async () => {
    const run = runAgent({ client: scriptedModel([]), tools: [sendMail, sendMail], prompt: 'Go.' })
    await expect(run.result).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('a client is needed', () => {
    expect(() => runAgent({ client: {} as never, prompt: 'Go.' })).toThrow(/createClient/)
  })
})
