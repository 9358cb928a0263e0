/** A folder of recordings, run as a user runs it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { conformance } from '../command.ts'

const WHOLE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'tide', input: { port: 'Tromsø' } }],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 6 },
}

const CHUNKS = [
  { index: 0, delta: { role: 'assistant', content: 'Ebb — ⚓ ' } },
  {
    index: 0,
    delta: {
      tool_calls: [
        { index: 0, id: 'c1', type: 'function', function: { name: 'tide', arguments: '{"port":' } },
      ],
    },
  },
  { index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '"Bodø"}' } }] } },
  { index: 0, delta: {}, finish_reason: 'tool_calls' },
].map((choice) => JSON.stringify({ id: 'x', model: 'm', choices: [choice] }))

const HISTORY = {
  messages: [
    { role: 'user', content: 'Ebb?' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'a:0', type: 'function', function: { name: 'tide', arguments: '{}' } }],
    },
  ],
}

const ENTRIES = [
  {
    id: 'whole',
    provider: 'anthropic',
    dialect: 'anthropic',
    kind: 'response',
    file: 'whole.json',
    tool_calls: [
      {
        segment: 0,
        id: 'toolu_1',
        name: 'tide',
        executed_by: 'client',
        arguments: { port: 'Tromsø' },
      },
      { segment: 0, id: 'srv_1', name: 'search', executed_by: 'server', arguments: {} },
    ],
    finish: ['tool_use'],
    usage: [WHOLE.usage],
  },
  {
    id: 'streamed',
    provider: 'groq',
    dialect: 'openai-chat',
    kind: 'stream',
    file: 'streamed.chunks.txt',
    tool_calls: [
      { segment: 0, id: 'c1', name: 'tide', executed_by: 'client', arguments: { port: 'Bodø' } },
    ],
    finish: ['tool_calls'],
    usage: [null],
  },
  {
    id: 'history',
    provider: 'histories',
    dialect: 'openai-chat-request',
    kind: 'history',
    file: 'history.json',
  },
  {
    id: 'strange',
    provider: 'quay',
    dialect: 'semaphore',
    kind: 'response',
    file: 'whole.json',
  },
]

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolglot-recordings-'))
  write('good', ENTRIES)
  write(
    'bad',
    ENTRIES.map((entry) =>
      entry.id === 'whole' ? { ...entry, finish: ['max_tokens'], tool_calls: [] } : entry,
    ),
  )
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, entries: readonly object[]): void {
  mkdirSync(join(folder, name))
  const put = (file: string, text: string) => writeFileSync(join(folder, name, file), text)
  put('index.json', JSON.stringify({ entries }))
  put('whole.json', JSON.stringify(WHOLE))
  put('streamed.chunks.txt', CHUNKS.join('\n'))
  put('history.json', JSON.stringify(HISTORY))
  put('session.jsonl', '{"this": "is no case"}')
}

function run(...args: string[]): { code: number; printed: string; warned: string } {
  let printed = ''
  let warned = ''
  const code = conformance(['--seed', 'fixed', ...args], {
    print: (text) => {
      printed += `${text}\n`
    },
    warn: (text) => {
      warned += `${text}\n`
    },
  })
  return { code, printed, warned }
}

test('a table for each kind, and what nothing reads', () => {
  const { code, printed } = run(join(folder, 'good'))
  expect(printed).toMatch(/^anthropic +1 +1\/1 +1\/1 +1\/1 +1\/1 +1\/1$/m)
  expect(printed).toMatch(/^openai-chat +1 +1\/1 +1\/1 +1\/1 +1\/1 +1\/1$/m)
  expect(printed).toMatch(/^mistral +1 +1\/1 +1\/1$/m)
  expect(printed).toContain('Not covered, semaphore (1): strange')
  expect(code).toBe(0)
})

test('what differs from the index is listed, and fails', () => {
  const { code, printed } = run(join(folder, 'bad'))
  expect(printed).toMatch(/^whole {2}anthropic: calls, finish$/m)
  expect(printed).toContain('finish reason')
  expect(printed).toMatch(/^FAIL {2}1 recordings are not read/m)
  expect(code).toBe(1)
})

test('as JSON', () => {
  const report = JSON.parse(run(join(folder, 'bad'), '--json').printed)
  expect(report).toMatchObject({
    passed: false,
    recordings: {
      dialects: [
        { dialect: 'anthropic', files: 1, calls: { right: 0, of: 1 }, usage: { right: 1, of: 1 } },
        { dialect: 'openai-chat', files: 1, pieces: { right: 1, of: 1 } },
      ],
      failures: [{ id: 'whole', dialect: 'anthropic' }],
      uncovered: [{ id: 'strange', dialect: 'semaphore' }],
    },
    histories: { failures: [] },
  })
})

test.for([
  [['--format', 'openai-chat'], /^openai-chat +1/m, /^anthropic/m],
  [['--source', 'anthropic'], /^anthropic +1/m, /^openai-chat/m],
  [['--case', 'history'], /^histories/m, /^recordings/m],
] as const)('%j chooses', ([args, there, gone]) => {
  const { printed } = run(join(folder, 'good'), ...args)
  expect(printed).toMatch(there)
  expect(printed).not.toMatch(gone)
})

test('an index that cannot be used', () => {
  write('broken', [{ id: 'x', kind: 'letter' }])
  const { code, warned } = run(join(folder, 'broken'))
  expect(warned).toContain('"kind" must be one of')
  expect(code).toBe(2)
})
