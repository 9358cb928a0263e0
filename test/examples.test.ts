/** The examples, run as their README says, each as a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Expected {
  readonly input?: string
  readonly output: string
}

const EXAMPLES: Readonly<Record<string, readonly Expected[]>> = {
  'weather.ts': [{ output: 'Yes: it rains in Bergen, at 4 degrees.\n' }],
  'coding-helper.ts': [
    {
      input: 'y\n',
      output: `run_tests: ExitCode:1
read_file: done
May I write sum.mjs? (y/n)
write_file: done
run_tests: done
The program subtracted where it should add.
`,
    },
    {
      input: 'n\n',
      output: `run_tests: ExitCode:1
read_file: done
May I write sum.mjs? (y/n)
write_file: Denied
run_tests: ExitCode:1
The program subtracted where it should add.
`,
    },
  ],
  'mcp-files.ts': [
    {
      output: `files__list_directory: [FILE] ferries.txt
files__read_text_file: Bodø – Moskenes: 06:00, 15:30

The last ferry to Moskenes leaves at 15:30.
`,
    },
  ],
  'text-mode.ts': [
    { output: 'tide was called in the text, as hermes\nHigh water in Vardø is at 14:20.\n' },
  ],
  'fallback.ts': [
    { output: 'anthropic failed (overloaded), asking openai\nThere are 12 ropes left.\n' },
  ],
  'resume.ts': [
    {
      output: `the first process ended with SIGKILL
Invoice 7 is paid, and 120 are left.
payments: 1
`,
    },
  ],
}

test('every example is here', () => {
  const files = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.ts'))
  expect(files.filter((name) => name !== 'model.ts').sort()).toEqual(Object.keys(EXAMPLES).sort())
})

describe.for(Object.entries(EXAMPLES))('%s', { timeout: 120_000 }, ([name, rows]) => {
  test.for(rows)('says what it should ($input)', async ({ input = '', output }) => {
    expect(await run(name, input)).toEqual({ stdout: output, code: 0 })
  })
})

async function run(name: string, input: string): Promise<{ stdout: string; code: unknown }> {
  const { TOOLGLOT_MODEL: _, ...env } = process.env
  const child = spawn(process.execPath, ['--import', 'tsx', join('examples', name)], {
    cwd: ROOT,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  // One that does not want its input may have ended before it is written.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { stdout, code }
}
