/** Calls that need an approval because of how they were found. */
import { expect, test } from 'vitest'
import type { AgentOptions, PendingCall } from '../../src/agent/index.ts'
import { runAgent } from '../../src/agent/index.ts'
import { getProtocol } from '../../src/protocols/registry.ts'
import {
  type ScriptedModelOptions,
  type ScriptedTurn,
  scriptedModel,
} from '../../src/testing/index.ts'
import { tool } from '../../src/tool.ts'

type Confirm = NonNullable<AgentOptions['permissions']>['confirm']

/** What runs, and what somebody is asked about, when the model says this. */
async function play(
  turn: ScriptedTurn,
  confirm: Confirm,
  model: ScriptedModelOptions = {},
  prompt = 'Read it.',
): Promise<{ ran: number; asked: PendingCall[] }> {
  let ran = 0
  const asked: PendingCall[] = []
  const read = tool({
    name: 'read_page',
    description: 'Reads a page',
    inputSchema: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
    execute: () => void ran++,
  })
  await runAgent({
    client: scriptedModel([turn, { text: 'Done.' }], model),
    tools: [read],
    prompt,
    permissions: { phase: 'trusted', ...(confirm && { confirm }) },
    approve(pending) {
      asked.push(pending)
      return false
    },
  }).result
  return { ran, asked }
}

const native = { calls: [{ name: 'read_page', arguments: { url: 'a' } }] }
const json = '{"name": "read_page", "arguments": {"url": "a"}}'

test('a call of the provider is in no doubt', async () => {
  const { ran, asked } = await play(native, ['text', 'unasked', 'free', 'repeated', 'guessed'])
  expect([ran, asked]).toEqual([1, []])
})

test('without `confirm` nobody is asked', async () => {
  expect(await play({ text: json }, undefined)).toMatchObject({ ran: 1, asked: [] })
})

test.for([
  [json, ['text', 'unasked', 'free']],
  [`<tool_call>${json}</tool_call>`, ['text', 'unasked']],
  [`<tool_call>{"name": "read_page", "arguments": {"url": "a" "b"}}</tool_call>`, ['guessed']],
] as const)('a call in text: %s', async ([text, doubts]) => {
  const { ran, asked } = await play({ text }, doubts)
  expect(ran).toBe(0)
  expect(asked).toMatchObject([{ call: { origin: 'text' }, needs: 'approval', doubts }])
})

test('a call in the format that was asked for is in doubt when it was said before', async () => {
  const protocol = getProtocol('hermes')
  const said = `Call ${protocol.formatCall(native.calls[0] ?? { name: '', arguments: {} })}`
  expect(await play(native, ['unasked', 'repeated'], { protocol })).toMatchObject({ ran: 1 })
  const { ran, asked } = await play(native, ['unasked', 'repeated'], { protocol }, said)
  expect(ran).toBe(0)
  expect(asked).toMatchObject([{ call: { repeats: 'user' }, doubts: ['repeated'] }])
})
