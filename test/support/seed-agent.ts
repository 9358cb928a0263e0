/** The recorded scenarios of the seeds' agent loops, played with ours. */
import { expect } from 'vitest'
import { partition, runBatch } from '../../src/agent/batch.ts'
import type { AgentFinishReason } from '../../src/agent/finish.ts'
import {
  type AgentEvent,
  type AgentOptions,
  type AgentResult,
  finishTool,
  type RunnableTool,
  runAgent,
  tool,
} from '../../src/agent/index.ts'
import { exceeds } from '../../src/agent/limits.ts'
import { decide, type Permissions } from '../../src/agent/permissions.ts'
import { detectStarvation } from '../../src/agent/starvation.ts'
import { guidance } from '../../src/agent/tool-guard.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { isJsonObject } from '../../src/core/json/value.ts'
import type { JsonSchema, ToolResult } from '../../src/core/model.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { textTagged } from '../../src/protocols/text-tagged.ts'
import { type Script, type ScriptedModelOptions, scriptedModel } from '../../src/testing/index.ts'

type Vector = Readonly<Record<string, unknown>> & { readonly id: string }

/** What the seeds call the endings. */
const NAMES: Partial<Record<AgentFinishReason, string>> = {
  'max-steps': 'error_max_turns',
  'max-mistakes': 'error_consecutive_mistakes',
  'no-progress': 'error_no_progress',
  'malformed-call': 'error_schema_validation',
  'max-output-retries': 'error_max_structured_output_retries',
  unauthorized: 'error_provider_auth',
}

interface Played {
  readonly result: AgentResult
  readonly events: readonly AgentEvent[]
  readonly systemPrompts: readonly string[]
}

type Plan = Partial<AgentOptions> & {
  readonly script: Script
  readonly model?: ScriptedModelOptions
}

const named = (name: string, execute: () => unknown = () => name): RunnableTool =>
  tool({ name, inputSchema: { type: 'object' }, execute })

const read = tool({
  name: 'read',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  concurrencySafe: true,
  execute: ({ path }) => String(path),
})

const MALFORMED = '~~~tool_call\n{invalid json\n~~~'

const askThenStop = (name: string, args: JsonObject = {}): Script => [
  { calls: [{ name, arguments: args }] },
  { text: 'Done.' },
]

/** How each recorded scenario is set up. */
const PLANS: Readonly<Record<string, readonly Plan[]>> = {
  'EA-L01': [{ script: [{ text: 'Hello.' }] }],
  'EA-L02': [{ script: askThenStop('read', { path: 'a' }) }],
  'EA-L03': [
    {
      script: (_, turn) => ({ calls: [{ name: 'read', arguments: { path: `${turn}` } }] }),
      maxSteps: 3,
    },
  ],
  'EA-L04': [{ script: askThenStop('read'), permissions: { deny: ['read'] } }],
  'EA-L05': [{ script: askThenStop('read_file'), tools: [read, named('glob'), named('grep')] }],
  'EA-L06': [
    {
      script: [{ text: MALFORMED }],
      model: { protocol: textTagged },
      onMalformed: 'halt',
    },
  ],
  'EA-L07': [
    { script: [{ calls: [{ name: 'read', rawArguments: '{broken' }] }, { text: 'Done.' }] },
  ],
  'EA-L08': [
    {
      script: [{ calls: ['x1', 'y1', 'z1'].map((name) => ({ name })) }, { text: 'Done.' }],
      maxMistakes: 3,
    },
  ],
  'EA-L09': [
    {
      script: askThenStop('crash'),
      tools: [
        named('crash', () => {
          throw new Error('boom')
        }),
      ],
    },
  ],
  'EA-L10': [
    {
      script: askThenStop('slow'),
      tools: [
        {
          ...named('slow', () => new Promise((resolve) => setTimeout(resolve, 2000).unref())),
          concurrencySafe: true,
          timeoutMs: 50,
        },
      ],
    },
  ],
  'EA-L11': [
    {
      script: [
        { calls: ['a', 'b', 'c'].map((path) => ({ name: 'read', arguments: { path } })) },
        { text: 'Done.' },
      ],
    },
  ],
  'EA-L12': [
    {
      script: [{ calls: [{ name: 'read' }] }],
      permissions: { deny: ['read'] },
      maxUnproductive: 3,
    },
  ],
  'EA-L13': [finishing({ deliverable: 'Here is the plan.' })],
  'EA-L14': [finishing({ summary: 'Task accomplished.' }), finishing({})],
  'EA-L15': [
    {
      script: [
        { calls: [{ name: 'x1' }] },
        { calls: [{ name: 'read', arguments: { path: 'a' } }] },
        { calls: [{ name: 'x2' }] },
        { text: 'Done.' },
      ],
      maxMistakes: 2,
    },
  ],
  'EA-L16': [
    {
      script: askThenStop('read', { path: 'a' }),
      hooks: [
        { afterTool: () => ({ append: 'first' }) },
        { afterTool: () => ({ append: 'second' }) },
      ],
    },
  ],
  'EA-L17': [
    { script: [{ text: 'Hi.' }] },
    { script: [{ text: 'Hi.' }], model: { protocol: textTagged } },
    { script: [{ text: 'Hi.' }], model: { protocol: textTagged }, tools: [] },
  ],
  'EA-L18': [{ script: [{ status: 401, error: 'invalid api key' }] }],
  'EA-L19': [{ script: askThenStop('read'), permissions: { deny: ['read'] } }],
}

function finishing(args: JsonObject): Plan {
  return { script: [{ calls: [{ name: 'finish', arguments: args }] }], tools: [finishTool()] }
}

/** Runs a scenario and compares it with everything that is recorded of it. */
export async function checkScenario(vector: Vector): Promise<void> {
  const plans = PLANS[vector.id]
  expect(plans, `nothing plays ${vector.id}`).toBeDefined()
  const played = await Promise.all((plans ?? []).map(playPlan))
  const [first] = played
  if (!first) return
  checkResult(first, asFields(vector['result']))
  checkToolResult(first, asFields(vector['toolResult']))
  checkOthers(vector, played, first)
}

function checkResult({ result }: Played, wanted: Readonly<Record<string, unknown>>): void {
  const { finishReason, steps, category, deliverable, messages, message, issues = [] } = result
  const ours: Record<string, unknown> = {
    finish_reason: NAMES[finishReason] ?? finishReason,
    iterations: steps,
    roles: messages.map(({ role }) => role),
    category,
    deliverable,
    halted_reason: null,
    diagnosticReceivedEqualsText: issues[0]?.raw === MALFORMED,
    violationsNonEmpty: message !== undefined && message !== '',
    snapshotNonEmpty: messages.length > 0,
  }
  for (const [key, value] of Object.entries(wanted)) expect(ours[key], key).toEqual(value)
}

function checkToolResult({ result }: Played, wanted: Readonly<Record<string, unknown>>): void {
  const [told] = result.messages.flatMap(({ toolResults = [] }) => toolResults)
  if (wanted['is_error'] !== undefined) expect(told?.isError).toBe(wanted['is_error'])
  for (const part of (wanted['contains'] ?? []) as string[]) expect(told?.content).toContain(part)
}

function checkOthers(vector: Vector, played: readonly Played[], first: Played): void {
  const results = first.result.messages.flatMap(({ toolResults = [] }) => toolResults)
  const { resultOrder, deliverables, toolResultSuffix, promptAugmented, eventOrder } = vector
  if (resultOrder) expect(results.map(({ content }) => content)).toEqual(resultOrder)
  if (deliverables) expect(played.map(({ result }) => result.deliverable)).toEqual(deliverables)
  if (toolResultSuffix) expect(results[0]?.content).toMatch(new RegExp(`${toolResultSuffix}$`))
  if (promptAugmented) {
    expect(played.map(({ systemPrompts }) => systemPrompts.length > 0)).toEqual(promptAugmented)
  }
  if (eventOrder) checkEvents(first, eventOrder as string[])
}

function checkEvents({ events }: Played, order: readonly string[]): void {
  const ours = order.map((name) => name.replace(/\(.*/, '').replace('_', '-'))
  const seen = events.map(({ type }) => type).filter((type) => ours.includes(type))
  expect(seen).toEqual(ours)
}

async function playPlan({ script, model, ...options }: Plan): Promise<Played> {
  const client = scriptedModel(script, model)
  const run = runAgent({ client, tools: [read], prompt: 'Go.', ...options })
  const events: AgentEvent[] = []
  for await (const event of run) events.push(event)
  const systemPrompts = client.requests.flatMap(({ messages }) =>
    messages.flatMap(({ role, content }) => (role === 'system' ? [String(content)] : [])),
  )
  return { result: await run.result, events, systemPrompts }
}

function asFields(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {}
}

// ── single functions ────────────────────────────────────────────────────────────────────────────

export function checkBudget({ cost, caps, out }: Vector): void {
  const ours = (caps as (number | null)[]).map((cap) =>
    exceeds({ usage: {}, costUsd: cost as number }, cap === null ? {} : { costUsd: cap }),
  )
  expect(ours).toEqual(out)
}

export function checkStarvation({ in: given, out }: Vector): void {
  const [text, , reason, usage, cap] = given as [
    string,
    unknown[],
    string | null,
    JsonObject | null,
    number,
  ]
  const found = detectStarvation(
    {
      message: { role: 'assistant', content: text },
      finishReason: reason === 'length' ? 'length' : 'stop',
      usage: {
        ...(typeof usage?.['output_tokens'] === 'number' && {
          outputTokens: usage['output_tokens'],
        }),
        ...(typeof usage?.['reasoning_tokens'] === 'number' && {
          reasoningTokens: usage['reasoning_tokens'],
        }),
      },
      issues: [],
    },
    cap,
  )
  const ours = found && {
    completion_cap: found.maxTokens,
    output_tokens: found.outputTokens,
    reasoning_tokens: found.reasoningTokens ?? null,
  }
  expect(ours ?? null).toEqual(out)
}

export async function checkStructured(vector: Vector): Promise<void> {
  const responses = vector['responses'] as string[]
  const { result, model } = await answerFor(
    responses,
    (vector['schema'] as JsonSchema | undefined) ?? {},
  )
  if (vector['out']) expect(result.output).toEqual(vector['out'])
  if (vector['calls']) expect(model.requests).toHaveLength(vector['calls'] as number)
  const error = vector['error'] as [string, [string, string[]]] | undefined
  if (!error) return
  expect(NAMES[result.finishReason]).toBe(error[0])
  for (const key of error[1][1]) expect(result.message).toContain(key)
}

export async function checkStrict({ cases }: Vector): Promise<void> {
  for (const [text, wanted] of cases as [string | null, unknown][]) {
    const { result } = await answerFor([text ?? ''], { type: 'object' }, 0)
    const ours = result.finishReason === 'stop' ? result.output : 'invalid_json'
    expect(ours).toEqual(wanted)
  }
}

async function answerFor(responses: readonly string[], schema: JsonSchema, maxRetries = 2) {
  const model = scriptedModel(responses.map((text) => ({ text })))
  const { result } = runAgent({ client: model, prompt: 'Go.', output: { schema, maxRetries } })
  return { result: await result, model }
}

export function checkReplay({ in: given, out }: Vector): void {
  const {
    id,
    name,
    arguments: args,
  } = given as { id: string; name: string; arguments: JsonObject | null }
  const body = getDialect('openai-chat').encodeRequest({
    model: 'm',
    messages: [
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id, name, arguments: args ?? {}, origin: 'native' }],
      },
    ],
  })
  const [message] = body['messages'] as { tool_calls?: unknown[] }[]
  expect(message?.tool_calls?.[0]).toEqual(out)
}

export async function checkPermissions({
  call,
  phase,
  disallowed,
  allowed,
  out,
}: Vector): Promise<void> {
  const name = String(call)
  const phases: Readonly<Record<string, Permissions['phase']>> = {
    bypass_permissions: 'bypass',
    plan: 'plan',
    default: 'default',
  }
  const own = phases[String(phase)]
  const verdict = await decide({ id: '1', name, arguments: {}, origin: 'native' }, named(name), {
    ...(own && { phase: own }),
    ...(disallowed ? { deny: disallowed as string[] } : {}),
    ...(allowed ? { allow: allowed as string[] } : {}),
  })
  const denied = 'allow' in verdict && !verdict.allow ? { deny: verdict.code } : 'allow'
  expect(denied).toEqual(out)
}

export function checkPartition(vector: Vector): void {
  const { safe, count, max, noPolicy, out } = vector
  const names = (safe as string[] | undefined) ?? Array.from({ length: count as number }, () => 's')
  const isSafe = noPolicy ? undefined : (name: string): boolean => name.startsWith('s')
  const ours = partition(names, isSafe, (max as number | undefined) ?? 10).map((batch) => [
    batch.isParallel ? 'P' : 'S',
    batch.items.length,
  ])
  expect(ours).toEqual(out)
}

export async function checkRunBatch(): Promise<void> {
  const items = [30, 1, 10]
  const ended: number[] = []
  const results = await runBatch({ isParallel: true, items }, async (delay) => {
    await new Promise((resolve) => setTimeout(resolve, delay))
    ended.push(delay)
    return delay
  })
  expect(results).toEqual(items)
  expect(ended).toEqual([1, 10, 30])
}

export async function checkBatchResults({ out }: Vector): Promise<void> {
  const { result } = await playPlan({
    script: [{ calls: [{ name: 'one' }, { name: 'two' }, { name: 'three' }] }],
    tools: [
      named('one', () => 'ok'),
      named('two', () => {
        throw Object.assign(new Error('boom'), { errorCode: 'network' })
      }),
      named('three'),
    ],
    hooks: { afterTool: ({ name }) => (name === 'two' ? { halt: 'enough' } : {}) },
  })
  const told = result.messages.flatMap(({ toolResults = [] }) => toolResults).map(spell)
  expect(told).toEqual(out)
}

function spell({ content, isError = false, errorCode = '' }: ToolResult): unknown[] {
  const text = errorCode === 'not_executed' ? '<not executed>' : content
  return [text, isError, errorCode]
}

export function checkGuard({ sequence, guidance: wanted, contains }: Vector): void {
  const failures: { name: string; arguments: string }[] = []
  const said = (sequence as string[]).map((entry) => {
    const failed = { name: 'fetch', arguments: entry }
    const advice = guidance(failures, failed)
    failures.push(failed)
    return advice
  })
  expect(said.map((advice) => advice !== undefined)).toEqual(wanted)
  for (const part of contains as string[]) expect(said.at(-1)).toContain(part)
}
