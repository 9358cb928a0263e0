import { expect, test } from 'vitest'
import { doing } from '../../test/agent/scenario.ts'
import { scriptedModel } from '../testing/index.ts'
import type { RunnableTool } from '../tool.ts'
import { checkArguments } from './arguments.ts'
import { type AgentEvent, runAgent } from './index.ts'

const takingText = (pattern: string): RunnableTool => ({
  name: 'save',
  inputSchema: { properties: { text: { pattern } } },
})

test.for([
  ['^(a?){26}a{26}$', 52],
  ['(x?){26}x{26}y|a{40}', 40],
  ['^(a|a)*$', 40],
  ['^(?=(a+)+$)a+$', 40],
] as const)('%s is checked in no time', async ([pattern, length]) => {
  const tool = takingText(pattern)
  expect(await checkArguments(tool, { text: 'a'.repeat(length) })).toMatchObject({ ok: true })
  expect(await checkArguments(tool, { text: `${'a'.repeat(39)}!` })).toMatchObject({ ok: false })
})

test('a pattern that cannot be checked refuses nothing, and that is reported', async () => {
  const events: AgentEvent[] = []
  const run = runAgent({
    client: scriptedModel([
      { calls: [{ name: 'save', arguments: { text: 'b' } }] },
      { text: 'Saved.' },
    ]),
    tools: [{ ...doing('save', () => 'saved'), ...takingText('^(a+)\\1$') }],
    prompt: 'Go.',
  })
  for await (const event of run) events.push(event)
  const results = (await run.result).messages.flatMap(({ toolResults = [] }) => toolResults)
  expect(results).toMatchObject([{ content: 'saved' }])
  expect(events.filter(({ type }) => type === 'issue')).toMatchObject([
    { issue: { code: 'unchecked-pattern', name: 'save', callId: results[0]?.callId } },
  ])
})
