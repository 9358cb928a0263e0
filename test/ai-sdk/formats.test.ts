/** Every format leaked by a model, healed under the functions of the AI SDK itself. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  dynamicTool,
  generateText,
  jsonSchema,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  type ToolSet,
  wrapLanguageModel,
} from 'ai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toolglotMiddleware } from '../../src/ai-sdk/index.ts'
import type { Model } from '../../src/ai-sdk/language-model.ts'
import type { Protocol } from '../../src/core/protocol.ts'
import { allProtocols } from '../../src/protocols/registry.ts'
import { startUpstream, type Upstream } from '../../src/testing/upstream.ts'
import { leakingModel } from './leaking-model.ts'

const ARGUMENTS = { city: 'Bergen', days: 3 }
const FORECAST = 'rain, 7 degrees'
const ANSWER = 'Take an umbrella to Bergen.'

const inputSchema = jsonSchema({
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
})

interface Run {
  readonly inputs: readonly unknown[]
  readonly texts: readonly string[]
  readonly reasons: readonly string[]
}

function weatherTools(inputs: unknown[]): ToolSet {
  const execute = (input: unknown): string => {
    inputs.push(input)
    return FORECAST
  }
  return { get_weather: dynamicTool({ description: 'Forecast', inputSchema, execute }) }
}

async function run(how: 'generateText' | 'streamText', wrapped: Model): Promise<Run> {
  const inputs: unknown[] = []
  const settings = {
    model: wrapped,
    tools: weatherTools(inputs),
    prompt: 'Do I need an umbrella?',
    stopWhen: stepCountIs(4),
    maxRetries: 0,
  }
  const steps =
    how === 'generateText' ? (await generateText(settings)).steps : await streamText(settings).steps
  return {
    inputs,
    texts: steps.map(({ text }) => text.trim()),
    reasons: steps.map(({ finishReason }) => finishReason),
  }
}

/** What stands beside a call of a free format makes it an example. */
function leakOf(protocol: Protocol): { readonly leak: string; readonly text: string } {
  const call = protocol.formatCall({ name: 'get_weather', arguments: ARGUMENTS })
  const text = protocol.free ? '' : 'I will look it up.'
  return { leak: protocol.free ? call : `${text}\n${call}`, text }
}

function healed(model: Model, protocol: Protocol): Model {
  const options = protocol.auto === false ? { protocols: [protocol] } : {}
  return wrapLanguageModel({ model, middleware: toolglotMiddleware(options) })
}

const cases = allProtocols.flatMap((protocol) =>
  (['generateText', 'streamText'] as const).map((how) => ({ protocol, how, id: protocol.id })),
)

test('there are formats enough', () => {
  expect(allProtocols.length).toBeGreaterThanOrEqual(20)
})

test.for(cases)('$how calls the tool of a model that leaks $id', async ({ protocol, how }) => {
  const { leak, text } = leakOf(protocol)
  const model = leakingModel([leak, ANSWER], { pieceLength: 3 })
  const { inputs, texts, reasons } = await run(how, healed(model, protocol))
  expect(inputs).toEqual([ARGUMENTS])
  expect(texts).toEqual([text, ANSWER])
  expect(reasons).toEqual(['tool-calls', 'stop'])
  const result = model.asked[1]?.prompt.at(-1)
  expect(result).toMatchObject({
    role: 'tool',
    content: [{ toolName: 'get_weather', output: { type: 'text', value: FORECAST } }],
  })
})

describe('through a provider of the SDK', () => {
  let upstream: Upstream

  beforeAll(async () => {
    upstream = await startUpstream()
  })
  afterAll(() => upstream.close())

  test.for(cases)('$how heals $id', async ({ protocol, how }) => {
    const { leak, text } = leakOf(protocol)
    const before = upstream.requests.length
    upstream.play({ reply: leak, pieceLength: 4 }, { reply: ANSWER })
    const provider = createOpenAICompatible({ name: 'local', baseURL: `${upstream.url}/v1` })
    const { inputs, texts, reasons } = await run(how, healed(provider('leaky-1'), protocol))
    expect(inputs).toEqual([ARGUMENTS])
    expect(texts).toEqual([text, ANSWER])
    expect(reasons).toEqual(['tool-calls', 'stop'])
    const [first, second] = upstream.requests.slice(before)
    expect(first?.body['tools']).toHaveLength(1)
    expect(second?.body['messages']).toContainEqual(
      expect.objectContaining({ role: 'tool', content: FORECAST }),
    )
  })
})

describe('the tool loop of the SDK', () => {
  const inputs: unknown[] = []
  beforeEach(() => void inputs.splice(0))

  function agentOn(protocol: Protocol): ToolLoopAgent<never, ToolSet> {
    const { leak } = leakOf(protocol)
    const model = healed(leakingModel([leak, leak, ANSWER], { pieceLength: 3 }), protocol)
    return new ToolLoopAgent({ model, tools: weatherTools(inputs) })
  }

  test.for(cases)('runs on $id ($how)', async ({ protocol, how }) => {
    const agent = agentOn(protocol)
    const prompt = 'Do I need an umbrella?'
    const text =
      how === 'generateText'
        ? (await agent.generate({ prompt })).text
        : await (await agent.stream({ prompt })).text
    expect(inputs).toEqual([ARGUMENTS, ARGUMENTS])
    expect(text).toBe(ANSWER)
  })
})
