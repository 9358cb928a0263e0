/** What a store holds after the process that used it was killed, at any moment. */
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeDriver } from '../../src/agent/sqlite/node-driver.ts'
import { wasmDriver } from '../../src/agent/sqlite/wasm-driver.ts'
import { openStore } from '../../src/agent/sqlite-store.ts'
import { fuzzFactor } from '../support/seed.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const KILLS_PER_FILE = 10
const ENDLESS = 1_000_000

/** A process for every change takes long; with TOOLGLOT_FUZZ none is left out. */
const KILLS = fuzzFactor > 0 ? 200 : 25
const STRIDE = fuzzFactor > 0 ? 1 : 8

const LONG = { timeout: 600_000 }

let folder = ''
let program = ''
const children = new Set<ChildProcess>()

// One file, built once: a process that has to compile the sources first takes ten times as long.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolglot-kill-'))
  program = join(folder, 'store-process.mjs')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const build = await rolldown({
    input: fileURLToPath(new URL('./store-process.ts', import.meta.url)),
    platform: 'node',
    external: ['node-sqlite3-wasm'],
  })
  await build.write({ file: program, format: 'esm' })
  await build.close()
})

afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

interface Outcome {
  /** How many records the process was told to be safe. */
  readonly safe: number
  readonly isDone: boolean
  readonly errors: string
}

/** Runs the program until it ends or, when told, kills it some time after its first word. */
function run(args: readonly string[], killAfterMs?: () => number): Promise<Outcome> {
  const child = spawn(process.execPath, ['--no-warnings', program, ...args])
  children.add(child)
  let said = ''
  let errors = ''
  child.stdout.on('data', (text) => {
    if (said === '' && killAfterMs) setTimeout(() => child.kill('SIGKILL'), killAfterMs())
    said += text
  })
  child.stderr.on('data', (text) => {
    errors += text
  })
  return new Promise((resolve) => {
    child.on('close', () => {
      children.delete(child)
      const words = said.trim().split('\n')
      const numbers = words.map(Number).filter((number) => number > 0)
      resolve({ safe: Math.max(0, ...numbers), isDone: words.includes('done'), errors })
    })
  })
}

/** Checks the whole store, and returns how many records a run has. */
async function inspect(path: string, id: string): Promise<number> {
  const store = await openStore(path)
  const records = await store.read(id)
  for (const [at, record] of records.entries()) {
    expect(record).toEqual({
      type: 'rejected',
      feedback: `${at} ${'x'.repeat((at * 977) % 9000)}`,
    })
  }
  await store.close()
  const driver = nodeDriver() ?? (await wasmDriver())
  const database = driver.open(path)
  expect(database.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  database.close()
  return records.length
}

test(`${KILLS} kills lose no append that was acknowledged`, LONG, async () => {
  for (let file = 0; file < KILLS / KILLS_PER_FILE; file++) {
    const path = join(folder, `killed-${file}.db`)
    let found = 0
    for (let kill = 0; kill < KILLS_PER_FILE; kill++) {
      const args = ['append', path, 'a', `${ENDLESS}`]
      const { safe, errors } = await run(args, () => Math.random() * 60)
      expect(errors).toBe('')
      const records = await inspect(path, 'a')
      // The append that was under way may be there, as a whole.
      expect([safe, safe + 2]).toContain(records)
      expect(records).toBeGreaterThan(found)
      found = records
    }
    expect(readdirSync(`${path}-turn`)).toEqual(['free'])
  }
})

describe.for([
  { name: 'a new file', before: 0 },
  { name: 'a file with records', before: 40 },
])('a kill at any change on disk to $name', ({ before }) => {
  test('is survived', LONG, async () => {
    const start = join(folder, `start-${before}.db`)
    if (before > 0) await run(['append', start, 'a', `${before}`])
    let isDone = false
    let at = 1
    for (; !isDone; at += STRIDE) {
      const path = join(folder, `crash-${before}-${at}.db`)
      if (before > 0) copyFileSync(start, path)
      const outcome = await run(['crash', path, 'a', `${at}`])
      expect(outcome.errors).toBe('')
      const records = await inspect(path, 'a')
      expect([Math.max(outcome.safe, before), before + 2]).toContain(records)
      isDone = outcome.isDone
    }
    // Else the changes were not seen. Where Node has SQLite itself they are few.
    expect(at).toBeGreaterThan(nodeDriver() ? 5 : 30)
  })
})

test('processes that write at the same time do not hinder each other', LONG, async () => {
  const path = join(folder, 'shared.db')
  const ids = ['a', 'b', 'c', 'd']
  const outcomes = await Promise.all(ids.map((id) => run(['append', path, id, '40'])))
  expect(outcomes.map(({ errors }) => errors)).toEqual(['', '', '', ''])
  expect(await Promise.all(ids.map((id) => inspect(path, id)))).toEqual([40, 40, 40, 40])
})

test('of processes that go on with the same run, all but one are told', LONG, async () => {
  const path = join(folder, 'fought-over.db')
  const outcomes = await Promise.all([1, 2, 3].map(() => run(['append', path, 'a', '40'])))
  for (const { isDone, errors } of outcomes) {
    if (!isDone) expect(errors).toContain('run_conflict')
  }
  expect(await inspect(path, 'a')).toBe(Math.max(...outcomes.map(({ safe }) => safe)))
})

test('processes that are killed while others write hinder nobody', LONG, async () => {
  const path = join(folder, 'crowd.db')
  const steady = run(['append', path, 'steady', '60'])
  const ids = Array.from({ length: 12 }, (_, at) => `killed-${at}`)
  for (const id of ids) await run(['append', path, id, `${ENDLESS}`], () => Math.random() * 40)
  expect(await steady).toMatchObject({ isDone: true, errors: '' })
  expect(await inspect(path, 'steady')).toBe(60)
})
