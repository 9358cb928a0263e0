import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { HangUp } from './hang-up.ts'

function close(socket: Socket): void {
  socket.emit('close')
}

test('all requests of a connection are told', () => {
  const socket = new Socket()
  const hangUp = new HangUp(socket)
  const signals = [hangUp.enter(), hangUp.enter()]
  expect(signals.some(({ aborted }) => aborted)).toBe(false)
  close(socket)
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
  expect(signals[0]?.reason).toMatchObject({ name: 'AbortError' })
})

test('a signal does not serve a connection for ever', () => {
  const socket = new Socket()
  const hangUp = new HangUp(socket)
  const signals = new Set<AbortSignal>()
  for (let request = 0; request < 1000; request++) {
    signals.add(hangUp.enter())
    hangUp.leave()
  }
  expect(signals.size).toBe(10)
  close(socket)
  expect([...signals].at(-1)?.aborted).toBe(true)
})

test('as long as a request is under way there is no other signal than its own', () => {
  const socket = new Socket()
  const hangUp = new HangUp(socket)
  const first = hangUp.enter()
  for (let request = 0; request < 1000; request++) {
    expect(hangUp.enter()).toBe(first)
    hangUp.leave()
  }
  close(socket)
  expect(first.aborted).toBe(true)
})

test('a connection that is closed already tells its requests as well', () => {
  const socket = new Socket()
  socket.destroy()
  expect(new HangUp(socket).enter().aborted).toBe(true)
})

test('the requests of a client that is given up learn why', () => {
  const socket = new Socket()
  const hangUp = new HangUp(socket)
  const signal = hangUp.enter()
  const reason = new Error('enough')
  hangUp.giveUp(reason)
  expect([signal.reason, socket.destroyed]).toEqual([reason, true])
})
