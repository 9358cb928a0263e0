import { expect, test } from 'vitest'
import type { ByteSink, ByteSource } from '../http.ts'
import { createPacedSource } from './paced-source.ts'

function pieces(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, at) => Uint8Array.of(at % 256))
}

/** A sink that writes down what it is told. */
function listen(source: ByteSource, onData: (count: number) => void = () => {}) {
  const told: (number | string)[] = []
  const sink: ByteSink = {
    data: ([byte = -1]) => {
      told.push(byte)
      onData(told.length)
    },
    end: () => told.push('end'),
    fail: () => told.push('fail'),
  }
  source.start(sink)
  return told
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await wait(1)
}

test('gives everything in order, and nothing before the caller is done', async () => {
  const told = listen(createPacedSource(pieces(40)))
  expect(told).toEqual([])
  await until(() => told.includes('end'))
  expect(told).toEqual([...Array(40).keys(), 'end'])
})

test('others get a turn in between', async () => {
  const told = listen(createPacedSource(pieces(40)))
  await until(() => told.length > 0)
  expect(told.length).toBeLessThan(40)
  await until(() => told.includes('end'))
})

test('stops at once when paused, and goes on', async () => {
  const source = createPacedSource(pieces(5))
  const told = listen(source, (count) => {
    if (count === 2) source.pause()
  })
  await wait(20)
  expect(told).toEqual([0, 1])
  source.resume()
  await until(() => told.includes('end'))
  expect(told).toEqual([0, 1, 2, 3, 4, 'end'])
})

test('a pause before the start counts', async () => {
  const source = createPacedSource(pieces(1))
  source.pause()
  const told = listen(source)
  await wait(20)
  expect(told).toEqual([])
  source.resume()
  await until(() => told.includes('end'))
  expect(told).toEqual([0, 'end'])
})

test('is silent when cancelled', async () => {
  const source = createPacedSource(pieces(5))
  const told = listen(source, (count) => {
    if (count === 2) source.cancel()
  })
  await wait(20)
  expect(told).toEqual([0, 1])
})

test('waits between pieces', async () => {
  const told = listen(createPacedSource(pieces(3), { pauseMs: 5 }))
  await until(() => told.length > 0)
  expect(told).toEqual([0])
  await until(() => told.includes('end'))
  expect(told).toEqual([0, 1, 2, 'end'])
})

test('is told to end only once', async () => {
  const controller = new AbortController()
  const told = listen(createPacedSource(pieces(1), { signal: controller.signal }))
  await until(() => told.includes('end'))
  controller.abort()
  expect(told).toEqual([0, 'end'])
})
