/** A run that is killed again and again, and goes on each time where it was. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunState } from '../../src/agent/index.ts'
import { openStore } from '../../src/agent/sqlite-store.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** How often each test kills; `TOOLGLOT_KILLS=200` for a thorough one. */
const KILLS = Number(process.env['TOOLGLOT_KILLS'] ?? 20)
const STEPS = 50
/** Enough for several steps, so that every process comes further than the one before. */
const MOST_EVENTS = 60

let folder = ''
let program = ''

// One file, built once: a process that has to compile the sources first takes ten times as long.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolglot-run-'))
  program = join(folder, 'run-process.mjs')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const build = await rolldown({
    input: join(ROOT, 'test', 'agent', 'run-process.ts'),
    platform: 'node',
    external: ['node-sqlite3-wasm', 'eventsource-parser'],
  })
  await build.write({ file: program, format: 'esm', codeSplitting: false })
  await build.close()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Goes on with a run for some events, however long they take; its state when it came to its end. */
function goOn(run: string, begins: boolean, events: number): Promise<RunState | undefined> {
  const args = [program, folder, run, ...(begins ? ['begin'] : [])]
  const child = spawn(process.execPath, ['--no-warnings', ...args])
  let said = ''
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  child.stdout.on('data', (text) => {
    said += text
    // The process goes on meanwhile, so the kill comes at any point behind the event.
    if (said.split('\n').length > events) setTimeout(() => child.kill('SIGKILL'), Math.random() * 5)
  })
  return new Promise((resolve, reject) => {
    child.on('close', () => {
      if (errors !== '') return reject(new Error(errors))
      const state = said.split('\n').find((line) => line.startsWith('{'))
      resolve(state ? JSON.parse(state) : undefined)
    })
  })
}

async function isKnown(run: string): Promise<boolean> {
  const store = await openStore(join(folder, 'runs.db'))
  const records = await store.read(run)
  await store.close()
  return records.length > 0
}

test(`a run of ${STEPS} steps survives ${KILLS} kills`, { timeout: 600_000 }, async () => {
  let kills = 0
  for (let at = 0; kills < KILLS; at++) {
    const run = `run${at}`
    let state: RunState | undefined
    while (!state) {
      state = await goOn(run, !(await isKnown(run)), Math.random() * MOST_EVENTS)
      if (!state) kills++
    }
    expectWhole(state, readFileSync(join(folder, `${run}.ledger`), 'utf8'))
  }
})

/** Runs of the same kind come to the same end; by their names, two kinds. */
const KINDS = ['0', '1'] as const

test(`mixed runs survive ${KILLS} kills and end as if there had been none`, {
  timeout: 1_800_000,
}, async () => {
  const expected: Record<string, unknown> = {}
  for (const kind of KINDS) {
    const run = `mixed-whole-${kind}`
    expected[kind] = essenceOf(run, await goOn(run, true, Number.POSITIVE_INFINITY))
  }
  expect(expected).toMatchObject({
    0: { finish: { reason: 'max-budget' } },
    1: { finish: { reason: 'submitted', deliverable: 'All is booked.' } },
  })
  let kills = 0
  for (let at = 0; kills < KILLS; at++) {
    const kind = KINDS[at % KINDS.length] ?? ''
    const run = `mixed-${at}-${kind}`
    let state: RunState | undefined
    while (!state) {
      state = await goOn(run, !(await isKnown(run)), Math.random() * MOST_EVENTS)
      if (!state) kills++
    }
    expect(essenceOf(run, state)).toEqual(expected[kind])
  }
  const store = await openStore(join(folder, 'runs.db'))
  const runs = await store.list()
  await store.close()
  console.info(`${kills} kills, ${runs.length} runs in the store`)
})

/** What must be the same, whatever the name of the run and the ids of its calls. */
function essenceOf(run: string, state: RunState | undefined): unknown {
  const ledger = readFileSync(join(folder, `${run}.ledger`), 'utf8')
    .trim()
    .split('\n')
  const { messages = [], finish, steps, toolCalls, usage, costUsd } = state ?? {}
  const said = messages.map(({ content, toolResults = [] }) => [
    content,
    toolResults.map((result) => [result.content, result.errorCode]),
  ])
  const done = ledger.map((key) => key.replaceAll(run, 'run')).sort()
  expect(new Set(done).size, 'nothing ran twice').toBe(done.length)
  return { finish, steps, toolCalls, usage, costUsd, said, done }
}

function expectWhole(state: RunState, ledger: string): void {
  const { messages, steps, finish } = state
  expect(finish).toEqual({ reason: 'stop' })
  expect(steps).toBe(STEPS)
  expect(messages.at(-1)?.content).toBe(`All ${STEPS} steps are done.`)
  const ran = ledger.trim().split('\n')
  expect(new Set(ran).size, 'nothing ran twice').toBe(ran.length)
  const results = messages.flatMap(({ toolResults = [] }) => toolResults)
  expect(results).toHaveLength(STEPS)
  for (const [at, { content, errorCode }] of results.entries()) {
    const isPayment = at % 2 === 0
    // A payment that was under way may have been made or not; that is what the model is told.
    if (isPayment && errorCode === 'Interrupted') continue
    expect(content).toBe(`${isPayment ? 'paid' : 'booked'} ${at}`)
    const name = isPayment ? 'pay' : 'book'
    expect(ran.filter((key) => key.includes(`:${at}:0:${name}:`))).toHaveLength(1)
  }
}
