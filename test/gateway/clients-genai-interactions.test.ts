/** The official client of Google, by way of interactions. */
import { GoogleGenAI, type Interactions } from '@google/genai'
import { describe, expect, test } from 'vitest'
import {
  type Ask,
  answersOf,
  type Client,
  clientContract,
  DESCRIPTION,
  loopAsk,
  PARAMETERS,
  runWeather,
  TOOL_NAME,
  type Turn,
} from './client-contract.ts'

type Step = Interactions.Step
type CallStep = Extract<Step, { type: 'function_call' }>

const TOOL = {
  type: 'function',
  name: TOOL_NAME,
  description: DESCRIPTION,
  parameters: PARAMETERS,
} as const

function connect({ url, key }: Ask): GoogleGenAI['interactions'] {
  const httpOptions = { baseUrl: url, retryOptions: { attempts: 1 } }
  return new GoogleGenAI({ apiKey: key, httpOptions }).interactions
}

/** A reply, from one response or from many events. */
interface Reply {
  readonly id: string
  readonly status: string
  readonly finishes: number
  readonly steps: readonly Step[]
  readonly usage: Interactions.Usage | undefined
}

function isCall(step: Step): step is CallStep {
  return step.type === 'function_call'
}

function turnOf({ status, finishes, steps, usage }: Reply): Turn {
  const outputs = steps.flatMap((step) => (step.type === 'model_output' ? step.content : []))
  const thoughts = steps.flatMap((step) => (step.type === 'thought' ? step.summary : []))
  const words = (contents: typeof outputs): string =>
    contents.map((content) => (content?.type === 'text' ? content.text : '')).join('')
  return {
    text: words(outputs),
    reasoning: words(thoughts),
    calls: steps.filter(isCall).map(({ id, name, arguments: args }) => ({
      id,
      name,
      arguments: args,
    })),
    finish: status,
    finishes,
    usage: { input: usage?.total_input_tokens, output: usage?.total_output_tokens },
  }
}

interface Question {
  readonly input: string | Step[]
  readonly previous_interaction_id?: string
}

async function interact(ask: Ask, question: Question): Promise<Reply> {
  const { model, withTools, streamed } = ask
  const request = { model, ...question, ...(withTools && { tools: [TOOL] }) }
  if (streamed) return gathered(await connect(ask).create({ ...request, stream: true }))
  const { id, status, steps = [], usage } = await connect(ask).create(request)
  return { id, status, steps, usage, finishes: 1 }
}

/** Steps as their pieces make them. */
async function gathered(events: AsyncIterable<Interactions.InteractionSSEEvent>): Promise<Reply> {
  const steps: Step[] = []
  const json: string[] = []
  const ends: Interactions.InteractionCompletedEvent['interaction'][] = []
  for await (const event of events) {
    if (event.event_type === 'step.start') steps[event.index] = event.step
    else if (event.event_type === 'step.delta') add(event)
    else if (event.event_type === 'interaction.completed') ends.push(event.interaction)
    else if (event.event_type === 'error') throw new Error(event.error?.message)
  }

  function add({ index, delta }: Interactions.StepDelta): void {
    const step = steps[index]
    if (delta.type === 'arguments_delta') json[index] = (json[index] ?? '') + delta.arguments
    if (step?.type === 'model_output' && delta.type === 'text') {
      step.content = [...(step.content ?? []), delta]
    }
    const thought = delta.type === 'thought_summary' ? delta.content : undefined
    if (step?.type === 'thought' && thought?.type === 'text') {
      step.summary = [...(step.summary ?? []), thought]
    }
  }

  for (const [index, step] of steps.entries()) {
    if (isCall(step)) step.arguments = JSON.parse(json[index] ?? '{}')
  }
  const [end] = ends
  return {
    id: end?.id ?? '',
    status: end?.status ?? '',
    finishes: ends.length,
    steps,
    usage: end?.usage,
  }
}

function resultOf({ id, name, arguments: args }: CallStep): Step {
  return { type: 'function_result', call_id: id, name, result: runWeather(args) }
}

const client: Client = {
  name: '@google/genai, interactions',
  lane: 'translate',
  finish: { calls: 'requires_action', stop: 'completed', length: 'incomplete' },
  expectNotFound: (error) => expect(error).toMatchObject({ status: 404 }),
  expectUnauthorized: (error) => expect(error).toMatchObject({ status: 401 }),
  async converse(ask) {
    const input: Step[] = [{ type: 'user_input', content: [{ type: 'text', text: ask.question }] }]
    const turns: Turn[] = []
    for (;;) {
      const reply = await interact(ask, { input: [...input] })
      turns.push(turnOf(reply))
      const results = reply.steps.filter(isCall).map(resultOf)
      if (results.length === 0) return turns
      input.push(...reply.steps, ...results)
    }
  },
  async leave(ask) {
    const { model, question: input } = ask
    const stream = await connect(ask).create({ model, input, stream: true })
    for await (const event of stream) if (event.event_type === 'step.delta') return
  },
}

clientContract(client)

describe('@google/genai, interactions that name the one before', () => {
  const ask = loopAsk()

  test.for([false, true])('streamed: %s', async (streamed) => {
    const asked = { ...ask('hermes'), streamed }
    const first = await interact(asked, { input: asked.question })
    const results = first.steps.filter(isCall).map(resultOf)
    expect(results).toHaveLength(1)
    const last = await interact(asked, { input: results, previous_interaction_id: first.id })
    expect(turnOf(last).text).toBe(answersOf(1))
    const again = interact(asked, { input: results, previous_interaction_id: 'v1_nobody' })
    await expect(again).rejects.toThrow(/"v1_nobody" is not known here any more/)
  })
})
