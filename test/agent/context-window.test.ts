/** How long a history may become when only the service knows. */
import { expect, test } from 'vitest'
import { runAgent } from '../../src/agent/run.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'

const WORDS = 'word '.repeat(900)

async function compactions(contextWindow: number | undefined, given?: number): Promise<number> {
  let asked = 0
  const client = Object.assign(
    scriptedModel((_, turn) =>
      turn < 6 ? { calls: [{ name: 'read', arguments: { turn } }] } : { text: 'Done.' },
    ),
    {
      modelInfo: async () => {
        asked++
        return { id: 'scripted', ...(contextWindow !== undefined && { contextWindow }) }
      },
    },
  )
  const read = {
    name: 'read',
    inputSchema: { type: 'object', properties: { turn: { type: 'integer' } } },
    execute: async () => WORDS,
  } as const
  const run = runAgent({
    client,
    tools: [read],
    prompt: 'Read everything.',
    compaction: {
      keepLast: 4,
      summarize: async () => 'read some files',
      ...(given !== undefined && { contextWindow: given }),
    },
  })
  let count = 0
  for await (const { type } of run) if (type === 'compacted') count++
  expect((await run.result).finishReason).toBe('stop')
  expect(asked > 0).toBe(given === undefined)
  return count
}

test('the window that the service names is kept to', async () => {
  expect(await compactions(6000)).toBeGreaterThan(0)
  expect(await compactions(1_000_000)).toBe(0)
  expect(await compactions(undefined)).toBe(0)
})

test('the window that the options name comes first, and nobody is asked', async () => {
  expect(await compactions(1_000_000, 6000)).toBeGreaterThan(0)
})
