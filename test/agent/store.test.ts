/** One contract for all stores. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { RunRecord } from '../../src/agent/journal.ts'
import { createMemoryStore } from '../../src/agent/memory-store.ts'
import { nodeDriver } from '../../src/agent/sqlite/node-driver.ts'
import { wasmDriver } from '../../src/agent/sqlite/wasm-driver.ts'
import { openStore, openStoreWith } from '../../src/agent/sqlite-store.ts'
import type { Store } from '../../src/agent/store.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolglot-store-'))
let files = 0

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function newPath(): string {
  files += 1
  return join(folder, `runs-${files}.db`)
}

function record(text: string): RunRecord {
  return { type: 'rejected', feedback: text }
}

const wasm = await wasmDriver()
const native = nodeDriver()

const drivers = [{ name: 'WebAssembly', driver: wasm }]
if (native) drivers.push({ name: 'node:sqlite', driver: native })

const stores: { readonly name: string; readonly open: () => Promise<Store> }[] = [
  { name: 'memory', open: async () => createMemoryStore() },
  ...drivers.map(({ name, driver }) => ({ name, open: () => openStoreWith(driver, newPath()) })),
]

describe.for(stores)('the store in $name', ({ open }) => {
  test('gives back what was appended, in order', async () => {
    const store = await open()
    await store.append('a', [record('one'), record('two')], 0)
    await store.append('a', [record('three')], 2)
    await store.append('b', [record('other')], 0)
    expect(await store.read('a')).toEqual([record('one'), record('two'), record('three')])
    expect(await store.read('b')).toEqual([record('other')])
    await store.close()
  })

  test('has no records of a run it does not know', async () => {
    const store = await open()
    expect(await store.read('nobody')).toEqual([])
    expect(await store.list()).toEqual([])
    await store.close()
  })

  test.for([0, 1, 3])('refuses records after %i when there are two', async (after) => {
    const store = await open()
    await store.append('a', [record('one'), record('two')], 0)
    const append = store.append('a', [record('late')], after)
    await expect(append).rejects.toMatchObject({ code: 'run_conflict' })
    expect(await store.read('a')).toHaveLength(2)
    await store.close()
  })

  test('lets one of two win that go on with the same run', async () => {
    const store = await open()
    const both = ['mine', 'yours'].map((text) => store.append('a', [record(text)], 0))
    const outcomes = await Promise.allSettled(both)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(await store.read('a')).toEqual([record('mine')])
    await store.close()
  })

  test('keeps the order of appends that do not wait for each other', async () => {
    const store = await open()
    const texts = ['a', 'b', 'c', 'd', 'e']
    await Promise.all(texts.map((text, at) => store.append('run', [record(text)], at)))
    expect(await store.read('run')).toEqual(texts.map(record))
    await store.close()
  })

  test('checks also an append of nothing, and makes no run of it', async () => {
    const store = await open()
    await store.append('a', [], 0)
    expect(await store.list()).toEqual([])
    await expect(store.append('a', [], 1)).rejects.toMatchObject({ code: 'run_conflict' })
    await store.close()
  })

  test('appends all or nothing', async () => {
    const store = await open()
    const noJson = Object.assign(record('two'), { size: 1n })
    await expect(store.append('a', [record('one'), noJson], 0)).rejects.toThrow(TypeError)
    expect(await store.read('a')).toEqual([])
    await store.close()
  })

  test('does not see what happens to a record later', async () => {
    const store = await open()
    const given = { type: 'rejected', feedback: 'before' } as const
    await store.append('a', [given], 0)
    Object.assign(given, { feedback: 'after' })
    const [first] = await store.read('a')
    expect(first).toEqual(record('before'))
    Object.assign(first ?? {}, { feedback: 'after' })
    expect(await store.read('a')).toEqual([record('before')])
    await store.close()
  })

  test('lists runs with their size, the latest first', async () => {
    const store = await open()
    const start = Date.now()
    await store.append('old', [record('one')], 0)
    await new Promise((resolve) => setTimeout(resolve, 5))
    await store.append('new', [record('one'), record('two')], 0)
    const runs = await store.list()
    expect(runs.map(({ id, records }) => [id, records])).toEqual([
      ['new', 2],
      ['old', 1],
    ])
    expect(runs.every(({ updatedAt }) => updatedAt >= start && updatedAt <= Date.now())).toBe(true)
    await store.close()
  })

  test('forgets a run that is deleted, and nothing else', async () => {
    const store = await open()
    await store.append('a', [record('one')], 0)
    await store.append('b', [record('one')], 0)
    await store.delete('a')
    await store.delete('never was')
    expect(await store.read('a')).toEqual([])
    expect((await store.list()).map(({ id }) => id)).toEqual(['b'])
    await store.append('a', [record('anew')], 0)
    expect(await store.read('a')).toEqual([record('anew')])
    await store.close()
  })

  test('keeps any id and any text as it is', async () => {
    const store = await open()
    const text = fc.string({ unit: 'binary', maxLength: 40 })
    const ids = new Set<string>(['', '\0', 'a\0b', '\ud800', '"', '\\', "'; DROP TABLE runs; --"])
    await fc.assert(
      fc.asyncProperty(text, fc.jsonValue(), async (id, value) => {
        const before = await store.read(id)
        const kept = Object.assign(record(id), { value })
        await store.append(id, [kept], before.length)
        ids.add(id)
        const expected = JSON.parse(JSON.stringify(kept)) as RunRecord
        expect(await store.read(id)).toEqual([...before, expected])
      }),
      { numRuns: 30, examples: [...ids].map((id): [string, fc.JsonValue] => [id, { text: id }]) },
    )
    expect(new Set((await store.list()).map(({ id }) => id))).toEqual(ids)
    await store.close()
  })

  test('is closed once and for all', async () => {
    const store = await open()
    await store.append('a', [record('one')], 0)
    await Promise.all([store.close(), store.close()])
    await store.close()
    await expect(store.read('a')).rejects.toMatchObject({ code: 'store_closed' })
    await expect(store.append('a', [], 1)).rejects.toMatchObject({ code: 'store_closed' })
    await expect(store.list()).rejects.toMatchObject({ code: 'store_closed' })
  })
})

describe.for(drivers)('a file of $name', ({ driver }) => {
  test('is made with the folders on the way to it, and read again', async () => {
    const path = join(newPath(), 'deep', 'down', 'runs.db')
    const store = await openStoreWith(driver, path)
    await store.append('a', [record('one')], 0)
    await store.close()
    const again = await openStoreWith(driver, path)
    expect(await again.read('a')).toEqual([record('one')])
    await again.close()
  })

  test('is one file under all its names', async () => {
    const path = newPath()
    const first = await openStoreWith(driver, path)
    symlinkSync(path, `${path}-link`)
    const second = await openStoreWith(driver, `${path}-link`)
    await first.append('a', [record('one')], 0)
    await second.append('a', [record('two')], 1)
    await expect(first.append('a', [record('late')], 1)).rejects.toMatchObject({
      code: 'run_conflict',
    })
    expect(await first.read('a')).toEqual([record('one'), record('two')])
    await Promise.all([first.close(), second.close()])
  })

  test('that is a link to nowhere is refused, and nothing is put in its place', async () => {
    const path = newPath()
    symlinkSync(`${path}-gone`, path)
    await expect(openStoreWith(driver, path)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining(`it is a link to ${path}-gone, and nothing is there`),
    })
    expect(readdirSync(folder).filter((name) => join(folder, name).startsWith(path))).toEqual([
      basename(path),
    ])
  })

  test('takes the place of an empty file', async () => {
    const path = newPath()
    writeFileSync(path, '')
    const store = await openStoreWith(driver, path)
    await store.append('a', [record('one')], 0)
    expect(await store.read('a')).toHaveLength(1)
    await store.close()
  })

  test('of a newer version is refused', async () => {
    const path = newPath()
    await (await openStoreWith(driver, path)).close()
    const database = driver.open(path)
    database.exec('PRAGMA user_version = 7')
    database.close()
    await expect(openStoreWith(driver, path)).rejects.toMatchObject({
      code: 'store_version',
      message: expect.stringContaining('version 7'),
    })
  })

  test('of another program is refused', async () => {
    const path = newPath()
    const database = driver.open(path)
    database.exec('CREATE TABLE songs (title TEXT)')
    database.close()
    await expect(openStoreWith(driver, path)).rejects.toMatchObject({ code: 'store_invalid' })
  })

  test('that is no database is refused', async () => {
    const path = newPath()
    writeFileSync(path, 'Dear diary, '.repeat(1000))
    await expect(openStoreWith(driver, path)).rejects.toMatchObject({ code: 'store_invalid' })
  })

  test.for(['a file of another kind', 'a folder'])(
    'that is %s has nothing put beside it',
    async (kind) => {
      const path = join(newPath(), 'given-by-mistake')
      mkdirSync(dirname(path), { recursive: true })
      if (kind === 'a folder') mkdirSync(path)
      else writeFileSync(path, 'Dear diary')
      await expect(openStoreWith(driver, path)).rejects.toThrow(path)
      expect(readdirSync(dirname(path))).toEqual(['given-by-mistake'])
    },
  )

  test('that is damaged is refused when it is read', async () => {
    const path = newPath()
    const store = await openStoreWith(driver, path)
    for (let at = 0; at < 40; at++) await store.append('a', [record('x'.repeat(3000))], at)
    await store.close()
    const bytes = await damage(path)
    expect(bytes).toBeGreaterThan(20 * 4096)
    const read = openStoreWith(driver, path).then((again) => again.read('a'))
    await expect(read).rejects.toMatchObject({ code: 'store_invalid' })
  })

  test('that is a folder, or lies in a file, is refused', async () => {
    const path = newPath()
    mkdirSync(path)
    await expect(openStoreWith(driver, path)).rejects.toMatchObject({ code: 'store_unavailable' })
    const file = newPath()
    writeFileSync(file, 'text')
    const inside = openStoreWith(driver, join(file, 'runs.db'))
    await expect(inside).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})

test('a path is enough to open a store', async () => {
  const store = await openStore(newPath())
  await store.append('a', [record('one')], 0)
  expect(await store.read('a')).toEqual([record('one')])
  await store.close()
})

test('without shared locks, a file that another SQLite has open is left alone', async () => {
  const path = newPath()
  const store = await openStoreWith(wasm, path)
  writeFileSync(`${path}-shm`, '')
  await expect(store.read('a')).rejects.toMatchObject({
    code: 'store_busy',
    message: expect.stringContaining('Node 22.13'),
  })
  rmSync(`${path}-shm`)
  expect(await store.read('a')).toEqual([])
  await store.close()
})

test.runIf(native)('processes on older and newer Node follow each other, never mix', async () => {
  const path = newPath()
  const newer = await openStore(path)
  await newer.append('a', [record('one')], 0)
  await expect(openStoreWith(wasm, path)).rejects.toMatchObject({ code: 'store_busy' })
  await newer.append('a', [record('two')], 1)
  await newer.close()
  const older = await openStoreWith(wasm, path)
  await older.append('a', [record('three')], 2)
  const again = await openStore(path)
  await expect(older.read('a')).rejects.toMatchObject({ code: 'store_busy' })
  expect(await again.read('a')).toEqual(['one', 'two', 'three'].map(record))
  await Promise.all([again.close(), older.close()])
})

/** Overwrites all pages but the first ones, and says how long the file is. */
async function damage(path: string): Promise<number> {
  const { open } = await import('node:fs/promises')
  const file = await open(path, 'r+')
  const { size } = await file.stat()
  const noise = Buffer.alloc(size - 3 * 4096, 0x5a)
  await file.write(noise, 0, noise.length, 3 * 4096)
  await file.close()
  return size
}
