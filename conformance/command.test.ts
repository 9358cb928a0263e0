import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { conformance } from './command.ts'

const CALL = '<tool_call>{"name": "tide", "arguments": {"port": "Bergen"}}</tool_call>'
const TIDE = { name: 'tide', arguments: { port: 'Bergen' } }
const TOOLS = [{ name: 'tide', parameters: { properties: { port: { type: 'string' } } } }]

const CASES = [
  {
    id: 'right',
    tools: TOOLS,
    text: `Look.${CALL}`,
    expected: { calls: [TIDE], content: 'Look.' },
  },
  {
    id: 'unknown-tool',
    tools: [{ name: 'wind' }],
    text: `<think>hm</think>${CALL}`,
    expected: { calls: [TIDE], reasoning: 'hm' },
  },
  {
    id: 'streamed',
    tools: TOOLS,
    mode: 'stream',
    text: CALL,
    chunks: [CALL.slice(0, 9), CALL.slice(9)],
    expected: { calls: [TIDE] },
  },
  { id: 'drops', tools: TOOLS, text: `Look.${CALL}`, expected: { calls: [TIDE], content: null } },
  { id: 'wrong', source: 'quay', tools: TOOLS, text: CALL, expected: { calls: [] } },
  { id: 'choice', tools: TOOLS, text: CALL, policy: ['no_calls'], expected: { calls: [] } },
  { id: 'unheard', format: 'semaphore', tools: TOOLS, text: CALL, expected: { calls: [TIDE] } },
].map((one) => ({ format: 'hermes', source: 'own', ...one }))

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolglot-conformance-'))
  mkdirSync(join(folder, 'cases'))
  const lines = CASES.map((one) => JSON.stringify(one)).join('\n')
  writeFileSync(join(folder, 'cases', 'own.jsonl'), lines)
  writeFileSync(join(folder, 'broken.jsonl'), '{"id": "x"\n')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

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
  return { code, printed: printed.replaceAll(/[\d.]+ s$/gm, '0 s'), warned }
}

test('tables, failures and remarks', () => {
  const { code, printed } = run(join(folder, 'cases'))
  expect(code).toBe(0)
  expect(printed).toMatchInlineSnapshot(`
    "strict, no policy  cases  auto: calls  text  reasoning  drops text  pinned: calls  text  reasoning  drops text
    hermes  own            4          4/4   1/1        1/1           1            4/4   1/1        1/1           1
    hermes  quay           1          0/1                                         0/1
    semaphore  own         1          1/1                                         0/1
    all                    6          5/6   1/1        1/1           1            4/6   1/1        1/1           1

    with a policy  cases  auto: calls  text  reasoning  drops text  pinned: calls  text  reasoning  drops text
    no_calls           1          0/1                                         0/1
    all                1          0/1                                         0/1

    Failures, strict, no policy:
    wrong  hermes  auto and pinned: calls
        calls
          - []
          + [{"name":"tide","arguments":{"port":"Bergen"}}]

    Failures, with a policy:
    choice  hermes  auto and pinned: calls
        calls
          - []
          + [{"name":"tide","arguments":{"port":"Bergen"}}]

    The reference drops text that is kept here (1): drops
    No protocol to pin to (1): semaphore

                       cases  auto: calls          text     reasoning  drops text  pinned: calls          text     reasoning  drops text
    strict, no policy      6  5/6 83.33 %  1/1 100.00 %  1/1 100.00 %           1    4/6 66.66 %  1/1 100.00 %  1/1 100.00 %           1
    with a policy          1   0/1 0.00 %                                             0/1 0.00 %
    3 random chunkings of each case, seed fixed, 0 s
    "
  `)
})

test('--json replaces the tables, or goes to a file beside them', () => {
  const printed = JSON.parse(run(join(folder, 'cases'), '--json').printed)
  expect(printed).toMatchObject({ seed: 'fixed', passed: true, shortcomings: [] })
  expect(printed.sections[0]).toMatchObject({
    title: 'strict, no policy',
    all: { cases: 6, modes: { auto: { calls: { right: 5, of: 6 }, dropped: 1 } } },
    failures: [{ id: 'wrong', modes: ['auto', 'pinned'], calls: 'wrong' }],
  })
  const file = join(folder, 'report.json')
  expect(run(join(folder, 'cases'), '--json', file).printed).toContain('strict, no policy')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(printed)
})

test('the minimums decide on the exit code', () => {
  const cases = join(folder, 'cases')
  expect(run(cases, '--quiet', '--min', '83', '--min-pinned', '66', '--min-text', '100').code).toBe(
    0,
  )
  const below = run(cases, '--quiet', '--min', '84')
  expect(below.code).toBe(1)
  expect(below.printed).toContain('FAIL  auto calls: 83.33 % right, below 84 %')
  expect(run(cases, '--quiet', '--mode', 'pinned', '--min', '1').printed).toContain(
    'FAIL  auto calls: nothing was measured',
  )
})

test('the selection narrows what is run', () => {
  const { printed } = run(join(folder, 'cases'), '--quiet', '--source', 'quay', '--mode', 'auto')
  expect(printed).toMatch(/^strict, no policy +1 +0\/1 0\.00 %$/m)
})

test('--case tells everything about a case', () => {
  const { printed } = run(join(folder, 'cases'), '--case', 'wrong', '--mode', 'auto')
  for (const part of ['── text', '── tools', '── expected', '── got, auto', 'calls wrong']) {
    expect(printed).toContain(part)
  }
})

test('what cannot be used is told, with exit code 2', () => {
  for (const [args, message] of [
    [[], 'name at least one file or folder'],
    [[join(folder, 'none')], 'no such file or folder'],
    [[join(folder, 'broken.jsonl')], 'broken.jsonl:1: '],
    [[join(folder, 'cases'), '--format', 'morse'], 'no case is left by the options given'],
  ] as const) {
    const { code, warned } = run(...args)
    expect(code).toBe(2)
    expect(warned).toContain(message)
  }
})

test('--help needs no files', () => {
  expect(run('--help')).toMatchObject({ code: 0, warned: '' })
})
