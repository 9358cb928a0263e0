/** What callers pass by mistake is told before anything runs, in words that say what to do. */
import { expect, test } from 'vitest'
import { type AgentOptions, runAgent } from '../../src/agent/index.ts'
import { isToolglotError } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing/index.ts'
import { sendMail } from './scenario.ts'

const client = scriptedModel([{ text: 'Ok.' }])

function mistake(options: unknown): string {
  try {
    // As a caller without types passes it.
    runAgent(options as never)
    return 'nothing was refused'
  } catch (error) {
    expect(isToolglotError(error)).toBe(true)
    return (error as Error).message // it is one
  }
}

test.for<[unknown, string]>([
  [
    undefined,
    'the options of runAgent cannot be undefined; it takes an object, as in { client, prompt }',
  ],
  [null, 'the options of runAgent cannot be null'],
  [{ prompt: 'Go.' }, '`client` must be a client'],
  [{ client, maxStep: 3 }, 'runAgent: unknown option "maxStep"; did you mean "maxSteps"?'],
])('%j', ([options, message]) => {
  expect(mistake(options)).toContain(message)
})

test.for<[object, string]>([
  [{ prompt: 5 }, '`prompt` must be text, not number'],
  [{ system: [] }, '`system` must be text, not object'],
  [{ messages: 'Hello' }, '`messages` must be a list of messages'],
  [{ messages: [5] }, '`messages` must be a list of messages'],
  [{ tools: { send_mail: sendMail } }, '`tools` must be a list'],
  [{ tools: ['send_mail'] }, 'tools[0] is no tool; define it with tool('],
  [{ tools: [sendMail, null] }, 'tools[1] is no tool'],
  [{ tools: [{ type: 'function', function: {} }] }, 'tools[0] is no tool'],
  [{ maxSteps: '5' }, '`maxSteps` cannot be 5; it takes a number from 0 on'],
  [{ maxSteps: Number.NaN }, '`maxSteps` cannot be NaN'],
  [{ toolTimeoutMs: -1 }, '`toolTimeoutMs` cannot be -1'],
  [{ onMalformed: 'skip' }, '`onMalformed` cannot be skip; it takes repair or halt'],
  [{ permissions: 'plan' }, '`permissions` must be an object'],
  [
    { permissions: { phase: 'read-only' } },
    '`permissions.phase` cannot be read-only; it takes plan,',
  ],
  [{ permissions: { deny: 'send_*' } }, '`permissions.deny` must be a list of names, not string'],
  [
    { permissions: { confirm: ['odd'] } },
    '`permissions.confirm` cannot hold odd; it takes text, unasked,',
  ],
  [{ permissions: { confirm: 'text' } }, '`permissions.confirm` must be a list of text,'],
  [{ permissions: { canUse: true } }, '`permissions.canUse` must be a function'],
  [{ decisions: {} }, '`decisions` need the run they belong to'],
])('%j', ([options, message]) => {
  expect(mistake({ client, prompt: 'Go.', ...options })).toContain(message)
})

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const execute = (input: unknown): string => `Sunny: ${JSON.stringify(input)}`

test.for<[string, NonNullable<AgentOptions['tools']>]>([
  ['OpenAI', [{ type: 'function', function: { name: 'get_weather', parameters }, execute }]],
  ['Anthropic', [{ name: 'get_weather', input_schema: parameters, execute }]],
  ['a schema', [{ name: 'get_weather', description: 'Weather', schema: parameters, execute }]],
  ['MCP', [{ name: 'get_weather', inputSchema: parameters, annotations: {}, execute }]],
])('tools in the spelling of %s run', async ([, tools]) => {
  const asked = scriptedModel([
    { calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
    { text: 'Sunny.' },
  ])
  const { messages } = await runAgent({ client: asked, tools, prompt: 'Coat or not?' }).result
  expect(JSON.stringify(messages)).toContain(String.raw`Sunny: {\"city\":\"Oslo\"}`)
})

test('tools of a group of Gemini are answered by the program', async () => {
  const asked = scriptedModel([{ calls: [{ name: 'get_weather', arguments: {} }] }])
  const tools = [{ functionDeclarations: [{ name: 'get_weather', parameters }, { name: 'b' }] }]
  const { finishReason, pending } = await runAgent({ client: asked, tools, prompt: 'Go.' }).result
  expect(finishReason).toBe('paused')
  expect(pending).toMatchObject([{ call: { name: 'get_weather' } }])
})
