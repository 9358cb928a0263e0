import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { newHolder, standingOf } from './holder.ts'
import { takeTurn } from './turn.ts'

let parent = ''
let folder = ''

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'toolglot-turn-'))
  folder = join(parent, 'turn')
})

afterEach(() => rmSync(parent, { recursive: true, force: true }))

/** Puts the token into the hands of somebody else. */
function hold(name: string): void {
  mkdirSync(folder)
  writeFileSync(join(folder, name), '')
}

/** The name of a process that has come to its end. */
function goneHolder(): string {
  const { pid } = spawnSync(process.execPath, ['--version'])
  return newHolder().replace(/^\d+/, String(pid))
}

test('the token shows whose turn it is', async () => {
  const turn = await takeTurn(folder, 1000)
  const [name = ''] = readdirSync(folder)
  expect(standingOf(name)).toBe('running')
  turn.end()
  expect(readdirSync(folder)).toEqual(['free'])
  expect(readdirSync(parent)).toEqual(['turn'])
})

test('who comes second waits for the first', async () => {
  const first = await takeTurn(folder, 1000)
  const order: string[] = []
  const second = takeTurn(folder, 5000).then((turn) => {
    order.push('second')
    turn.end()
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  order.push('first')
  first.end()
  await second
  expect(order).toEqual(['first', 'second'])
})

test('waiting has an end, and the error names the process', async () => {
  const turn = await takeTurn(folder, 1000)
  await expect(takeTurn(folder, 30)).rejects.toMatchObject({
    code: 'store_busy',
    message: expect.stringContaining(`process ${process.pid} `),
  })
  turn.end()
})

test('a holder that is gone is replaced at once', async () => {
  hold(goneHolder())
  const turn = await takeTurn(folder, 0)
  turn.end()
  expect(readdirSync(folder)).toEqual(['free'])
})

test.runIf(process.platform === 'linux')(
  'a number that went to another process is no alibi',
  () => {
    const [pid, started, ...rest] = newHolder().split('-')
    expect(standingOf([pid, Number(started) - 1, ...rest].join('-'))).toBe('gone')
  },
)

test('a holder on another machine is replaced when it does not move for long', async () => {
  const stranger = newHolder().replace(/^(\d+-\d*)-[0-9a-f]+/, '$1-0123456789abcdef')
  expect(standingOf(stranger)).toBe('unknown')
  hold(stranger)
  await expect(takeTurn(folder, 20)).rejects.toMatchObject({ code: 'store_busy' })
  const now = vi.spyOn(performance, 'now')
  let time = 0
  now.mockImplementation(() => {
    time += 3000
    return time
  })
  const turn = await takeTurn(folder, 60_000)
  now.mockRestore()
  turn.end()
})

test('of many who find the same holder gone, one at a time gets the turn', async () => {
  hold(goneHolder())
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const turn = await takeTurn(folder, 20_000)
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setTimeout(resolve, 1))
      inside -= 1
      turn.end()
    }),
  )
  expect(most).toBe(1)
  expect(readdirSync(folder)).toEqual(['free'])
})

test('a folder that lost its token gets a new one', async () => {
  mkdirSync(folder)
  const turn = await takeTurn(folder, 1000)
  expect(readdirSync(folder)).toHaveLength(1)
  turn.end()
})

test('who lost the turn does not end that of the next', async () => {
  const turn = await takeTurn(folder, 1000)
  const [name = ''] = readdirSync(folder)
  const next = newHolder()
  renameSync(join(folder, name), join(folder, next))
  turn.end()
  expect(readdirSync(folder)).toEqual([next])
})
