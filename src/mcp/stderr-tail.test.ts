import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { tailOf } from './stderr-tail.ts'

async function tail(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  const stream = new PassThrough()
  const { lines } = tailOf(stream)
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  await new Promise((resolve) => stream.once('end', resolve))
  return lines()
}

test('lines come in any pieces, characters too', async () => {
  const bytes = new TextEncoder().encode('fjørd\r\nhavn')
  expect(await tail('a\nb', bytes.slice(0, 3), bytes.slice(3))).toEqual(['a', 'bfjørd', 'havn'])
})

test('only the last lines are kept, and no empty ones', async () => {
  const lines = Array.from({ length: 500 }, (_, at) => `line ${at}`)
  const kept = await tail(`${lines.join('\n\n')}\n`)
  expect(kept).toEqual(lines.slice(-20))
})

test('a line without end does not grow', async () => {
  const [line = ''] = await tail(...Array.from({ length: 100 }, () => 'x'.repeat(1000)))
  expect(line.length).toBeLessThanOrEqual(400)
})
