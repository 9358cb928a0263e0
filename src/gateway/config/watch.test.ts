/** A real file in a real folder, changed as editors do it. */
import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError } from './problem.ts'
import { type ConfigWatch, watchConfig } from './watch.ts'

let cwd = ''
let file = ''
let told: string[] = []
let watch: ConfigWatch | undefined

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'toolglot-watch-'))
  file = join(cwd, 'toolglot.config.json')
  told = []
  writeFileSync(file, '{ "port": 1 }')
})

afterEach(() => {
  watch?.close()
  rmSync(cwd, { recursive: true, force: true })
})

function start(signal?: AbortSignal, content = readFileSync(file, 'utf8')): void {
  watch = watchConfig(
    { cwd, file, content, env: {}, signal, quietMs: 20 },
    {
      changed: ({ config }) => told.push(`port ${config.port}`),
      failed: (error) => told.push(error instanceof ConfigError ? error.message : String(error)),
    },
  )
}

async function untilTold(count: number): Promise<string[]> {
  for (let tries = 0; told.length < count && tries < 500; tries++) await sleep(10)
  return told
}

test('a file that is written anew', async () => {
  start()
  writeFileSync(file, '{ "port": 2 }')
  expect(await untilTold(1)).toEqual(['port 2'])
})

test('a file that changed after it was loaded and before the watch', async () => {
  writeFileSync(file, '{ "port": 2 }')
  start(undefined, '{ "port": 1 }')
  expect(await untilTold(1)).toEqual(['port 2'])
})

test('a new file in the place of the old one, again and again', async () => {
  start()
  for (const port of [2, 3, 4]) {
    writeFileSync(`${file}.tmp`, `{ "port": ${port} }`)
    renameSync(`${file}.tmp`, file)
    await untilTold(port - 1)
  }
  expect(told).toEqual(['port 2', 'port 3', 'port 4'])
})

test('a link that leads to another folder', async () => {
  rmSync(file)
  for (const port of [1, 2]) writeFileSync(join(cwd, `${port}.json`), `{ "port": ${port} }`)
  symlinkSync('1.json', file)
  start()
  symlinkSync('2.json', join(cwd, 'next'))
  renameSync(join(cwd, 'next'), file)
  expect(await untilTold(1)).toEqual(['port 2'])
})

test('a broken file is told, and mended later', async () => {
  start()
  writeFileSync(file, '{ "prot": 2 }')
  await untilTold(1)
  writeFileSync(file, '{ "port": 3 }')
  expect(await untilTold(2)).toEqual([
    `toolglot.config.json:1:3: prot: there is no such property; did you mean "port"?`,
    'port 3',
  ])
})

test('a file that is gone for good is told', async () => {
  start()
  rmSync(file)
  expect(await untilTold(1)).toEqual(['toolglot.config.json: no such file'])
})

test('many changes are one, and none is none', async () => {
  start()
  for (const port of [2, 3, 4, 5]) writeFileSync(file, `{ "port": ${port} }`)
  writeFileSync(join(cwd, 'other.txt'), 'x')
  await untilTold(1)
  writeFileSync(file, '{ "port": 5 }')
  await sleep(200)
  expect(told.at(-1)).toBe('port 5')
  expect(told.length).toBeLessThan(3)
})

test('reload reads it whether it changed or not', async () => {
  start()
  await watch?.reload()
  await watch?.reload()
  expect(told).toEqual(['port 1', 'port 1'])
})

test('after the end nobody is told anything', async () => {
  const controller = new AbortController()
  start(controller.signal)
  const reload = watch?.reload()
  controller.abort()
  await reload
  writeFileSync(file, '{ "port": 2 }')
  await sleep(200)
  expect(told).toEqual([])
})

test('one that is over before it begins does not begin', async () => {
  start(AbortSignal.abort())
  writeFileSync(file, '{ "port": 2 }')
  await sleep(200)
  expect(told).toEqual([])
})
