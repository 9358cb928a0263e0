/** An agent that mends a program. It reads and tests as it likes, and asks before it writes. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { runAgent, tool } from 'toolglot/agent'
import { z } from 'zod'
import { model } from './model.ts'

const folder = mkdtempSync(join(tmpdir(), 'coding-helper-'))
writeFileSync(join(folder, 'sum.mjs'), 'export const sum = (a, b) => a - b\n')
writeFileSync(
  join(folder, 'test.mjs'),
  "import { sum } from './sum.mjs'\nif (sum(2, 3) !== 5) throw new Error('2 + 3 is ' + sum(2, 3))\n",
)

/** Only files of the folder itself. */
const pathOf = (name: string): string => join(folder, basename(name))

const readFile = tool({
  name: 'read_file',
  description: 'The text of a file.',
  inputSchema: z.object({ name: z.string() }),
  annotations: { readOnly: true },
  execute: ({ name }) => readFileSync(pathOf(name), 'utf8'),
})

const writeFile = tool({
  name: 'write_file',
  description: 'Replaces the text of a file.',
  inputSchema: z.object({ name: z.string(), text: z.string() }),
  needsApproval: true,
  execute: ({ name, text }) => writeFileSync(pathOf(name), text),
})

const runTests = tool({
  name: 'run_tests',
  description: 'Runs the tests; fails when they do.',
  inputSchema: z.object({}),
  execute: () =>
    execFileSync(process.execPath, ['test.mjs'], { cwd: folder, stdio: 'pipe', encoding: 'utf8' }),
})

const terminal = createInterface({ input: process.stdin })
const lines = terminal[Symbol.asyncIterator]()

async function ask(question: string): Promise<boolean> {
  console.log(`${question} (y/n)`)
  const { value = 'n' } = await lines.next()
  return value.trim().toLowerCase() === 'y'
}

const run = runAgent({
  client: model([
    { calls: [{ name: 'run_tests' }, { name: 'read_file', arguments: { name: 'sum.mjs' } }] },
    {
      calls: [
        {
          name: 'write_file',
          arguments: { name: 'sum.mjs', text: 'export const sum = (a, b) => a + b\n' },
        },
      ],
    },
    { calls: [{ name: 'run_tests' }] },
    { text: 'The program subtracted where it should add.' },
  ]),
  tools: [readFile, writeFile, runTests],
  prompt: 'The tests fail. Mend the program.',
  approve: ({ call }) => ask(`May I write ${call.arguments['name']}?`),
})

for await (const event of run) {
  if (event.type !== 'tool-result') continue
  const { call, result } = event
  console.log(`${call.name}: ${result.isError ? result.errorCode : 'done'}`)
}
console.log((await run.result).text)
terminal.close()
rmSync(folder, { recursive: true })
