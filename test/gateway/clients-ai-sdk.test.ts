/** The AI SDK with the packages of four providers, which runs the loop itself. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  dynamicTool,
  generateText,
  jsonSchema,
  type LanguageModel,
  type StepResult,
  stepCountIs,
  streamText,
  type ToolSet,
} from 'ai'
import { expect } from 'vitest'
import {
  type Ask,
  type Client,
  clientContract,
  DESCRIPTION,
  PARAMETERS,
  runWeather,
  TOOL_NAME,
  type Turn,
} from './client-contract.ts'

const TOOLS: ToolSet = {
  [TOOL_NAME]: dynamicTool({
    description: DESCRIPTION,
    inputSchema: jsonSchema(PARAMETERS),
    execute: async (args) => runWeather(args),
  }),
}
const MAX_STEPS = 5

function turnOf(step: StepResult<ToolSet>): Turn {
  const { text, reasoningText, toolCalls, finishReason, usage } = step
  return {
    text,
    reasoning: reasoningText,
    calls: toolCalls.map(({ toolCallId, toolName, input, invalid }) => {
      expect(invalid).not.toBe(true)
      return { id: toolCallId, name: toolName, arguments: input }
    }),
    finish: finishReason,
    finishes: 1,
    usage: { input: usage.inputTokens, output: usage.outputTokens },
  }
}

function requestOf(ask: Ask, open: (ask: Ask) => LanguageModel) {
  return {
    model: open(ask),
    prompt: ask.question,
    stopWhen: stepCountIs(MAX_STEPS),
    maxRetries: 0,
    ...(ask.withTools && { tools: TOOLS }),
  }
}

/** A stream in which every step has one end, and all of it another. */
async function stream(ask: Ask, open: (ask: Ask) => LanguageModel): Promise<readonly Turn[]> {
  let failure: unknown
  const onError = ({ error }: { error: unknown }): void => {
    failure = error
  }
  const result = streamText({ ...requestOf(ask, open), onError })
  const types: string[] = []
  const deltas: string[] = []
  for await (const part of result.fullStream) {
    types.push(part.type)
    if (part.type === 'tool-input-delta') deltas.push(part.delta)
  }
  if (failure !== undefined) throw failure
  const steps = await result.steps
  expect(types.filter((type) => type === 'finish-step')).toHaveLength(steps.length)
  expect(types.filter((type) => type === 'finish')).toHaveLength(1)
  expectDeltas(deltas, steps)
  return steps.map(turnOf)
}

/** What came in pieces is what was called. */
function expectDeltas(deltas: readonly string[], steps: readonly StepResult<ToolSet>[]): void {
  const inputs = steps.flatMap(({ toolCalls }) => toolCalls.map(({ input }) => input))
  const read: unknown[] = JSON.parse(`[${deltas.join('').replaceAll('}{', '},{')}]`)
  expect(read).toEqual(inputs)
}

function expectStatus(error: unknown, status: number): void {
  expect(APICallError.isInstance(error)).toBe(true)
  expect(error).toMatchObject({ statusCode: status })
}

function client(name: string, lane: Client['lane'], open: (ask: Ask) => LanguageModel): Client {
  return {
    name: `ai, ${name}`,
    lane,
    finish: { calls: 'tool-calls', stop: 'stop', length: 'length' },
    expectNotFound: (error) => expectStatus(error, 404),
    expectUnauthorized: (error) => expectStatus(error, 401),
    async converse(ask) {
      if (ask.streamed) return stream(ask, open)
      const { steps } = await generateText(requestOf(ask, open))
      return steps.map(turnOf)
    },
    async leave(ask) {
      const controller = new AbortController()
      const { signal: abortSignal } = controller
      const { fullStream } = streamText({ ...requestOf(ask, open), abortSignal })
      const types: string[] = []
      for await (const { type } of fullStream) {
        types.push(type)
        if (type === 'text-delta') controller.abort()
      }
      expect(types.at(-1)).toBe('abort')
    },
  }
}

clientContract(
  client('@ai-sdk/openai-compatible', 'pass', ({ url, key, model }) =>
    createOpenAICompatible({
      name: 'gateway',
      baseURL: `${url}/v1`,
      apiKey: key,
      includeUsage: true,
    })(model),
  ),
)

clientContract(
  client('@ai-sdk/openai', 'translate', ({ url, key, model }) =>
    createOpenAI({ baseURL: `${url}/v1`, apiKey: key })(model),
  ),
)

clientContract(
  client('@ai-sdk/anthropic', 'translate', ({ url, key, model }) =>
    createAnthropic({ baseURL: `${url}/v1`, apiKey: key })(model),
  ),
)

clientContract(
  client('@ai-sdk/google', 'translate', ({ url, key, model }) =>
    createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: key })(model),
  ),
)

clientContract(
  client('@ai-sdk/google, interactions', 'translate', ({ url, key, model }) =>
    createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: key }).interactions(model),
  ),
)
