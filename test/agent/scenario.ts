/** What a scenario of the agent loop is, and how it is played in one way of calling tools. */
import { expect } from 'vitest'
import type { AgentFinishReason } from '../../src/agent/finish.ts'
import {
  type AgentEvent,
  type AgentOptions,
  type AgentResult,
  runAgent,
} from '../../src/agent/index.ts'
import type { Message, ToolResult } from '../../src/core/model.ts'
import type { Protocol } from '../../src/core/protocol.ts'
import { allDialects } from '../../src/dialects/registry.ts'
import { encodeHealed } from '../../src/dialects/transcode.ts'
import {
  checkHistory,
  type Script,
  type ScriptedModel,
  scriptedModel,
} from '../../src/testing/index.ts'
import { type RunnableTool, tool } from '../../src/tool.ts'

export interface Scenario {
  /** A sentence. */
  readonly name: string
  readonly script: Script
  /** A function for tools that remember something. */
  readonly tools?: readonly RunnableTool[] | (() => readonly RunnableTool[])
  readonly options?: Partial<AgentOptions>
  readonly finish: AgentFinishReason
  /** What ran, in order: `get_weather {"city":"Oslo"}`. */
  readonly ran?: readonly string[]
  /** What the model was told, in order; an error as `code: text`. A pattern must be found in it. */
  readonly results?: readonly (string | RegExp)[]
  readonly text?: string | RegExp
  readonly steps?: number
  /** More that must hold. */
  check?(played: Played): void | Promise<void>
}

export interface Played {
  readonly result: AgentResult
  readonly events: readonly AgentEvent[]
  readonly model: ScriptedModel
  readonly ran: readonly string[]
}

/** Plays a scenario and checks it; `protocol` for calls in the text. */
export async function play(scenario: Scenario, protocol: Protocol | undefined): Promise<void> {
  const ran: string[] = []
  const model = scriptedModel(scenario.script, { protocol })
  const { tools: given = WEATHER_TOOLS } = scenario
  const tools = (typeof given === 'function' ? given() : given).map((each) => logged(each, ran))
  const run = runAgent({ client: model, tools, prompt: 'Coat or not?', ...scenario.options })
  const events: AgentEvent[] = []
  for await (const event of run) events.push(event)
  const result = await run.result
  expect(result.finishReason, result.message).toBe(scenario.finish)
  if (scenario.ran) expect(ran).toEqual(scenario.ran)
  if (scenario.results) expectResults(result.messages, scenario.results)
  if (typeof scenario.text === 'string') expect(result.text).toBe(scenario.text)
  if (scenario.text instanceof RegExp) expect(result.text).toMatch(scenario.text)
  if (scenario.steps !== undefined) expect(result.steps).toBe(scenario.steps)
  if (result.finishReason !== 'paused') expectValidEverywhere(result.messages)
  expect(events.at(-1)?.type).toBe('done')
  await scenario.check?.({ result, events, model, ran })
}

function logged(each: RunnableTool, ran: string[]): RunnableTool {
  const { execute } = each
  if (!execute) return each
  return {
    ...each,
    execute(input, context) {
      ran.push(`${each.name} ${JSON.stringify(input)}`)
      return execute.call(each, input, context)
    },
  }
}

function expectResults(messages: readonly Message[], wanted: readonly (string | RegExp)[]): void {
  const told = messages.flatMap(({ toolResults = [] }) => toolResults.map(spell))
  expect(told).toHaveLength(wanted.length)
  for (const [at, want] of wanted.entries()) {
    if (typeof want === 'string') expect(told[at]).toBe(want)
    else expect(told[at]).toMatch(want)
  }
}

function spell({ content, isError, errorCode }: ToolResult): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return isError ? `${errorCode}: ${text}` : text
}

/** The history must be such that every provider takes it, in each of the dialects. */
function expectValidEverywhere(messages: readonly Message[]): void {
  const said = [...messages, { role: 'user' as const, content: 'Go on.' }]
  for (const dialect of allDialects) {
    const { body } = encodeHealed({ model: 'm', messages: said }, dialect)
    expect(checkHistory(body, dialect), dialect.id).toEqual([])
  }
  for (const [at, { toolCalls = [] }] of messages.entries()) {
    if (toolCalls.length === 0) continue
    const answered = messages[at + 1]?.toolResults?.map(({ callId }) => callId)
    expect(answered, 'every call is answered in the next message').toEqual(
      toolCalls.map(({ id }) => id),
    )
  }
}

// ── tools that many scenarios use ───────────────────────────────────────────────────────────────

export const getWeather: RunnableTool = tool({
  name: 'get_weather',
  description: 'The weather in a city.',
  annotations: { readOnly: true },
  concurrencySafe: true,
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
    required: ['city'],
    additionalProperties: false,
  },
  execute: ({ city, days }) => `${city}: sunny${days === undefined ? '' : ` for ${days} days`}`,
})

export const sendMail: RunnableTool = tool({
  name: 'send_mail',
  description: 'Sends a mail.',
  inputSchema: {
    type: 'object',
    properties: { to: { type: 'string' }, body: { type: 'string' } },
    required: ['to'],
  },
  execute: ({ to }) => `sent to ${to}`,
})

const WEATHER_TOOLS: readonly RunnableTool[] = [getWeather, sendMail]

export const weatherIn = (city: string): { name: string; arguments: { city: string } } => ({
  name: 'get_weather',
  arguments: { city },
})

export const mailTo = (to: string): { name: string; arguments: { to: string } } => ({
  name: 'send_mail',
  arguments: { to },
})

/** A tool without arguments that does what it is told here. */
export function doing(
  name: string,
  execute: RunnableTool['execute'],
  more: Partial<RunnableTool> = {},
): RunnableTool {
  return {
    ...tool({ name, inputSchema: { type: 'object', properties: {} }, ...(execute && { execute }) }),
    ...more,
  }
}

export const calls = (name: string): { name: string } => ({ name })
