import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { patientFetch } from './patient-fetch.ts'

const DISPATCHER = Symbol.for('undici.globalDispatcher.1')

let server: Server
let url: string

beforeAll(async () => {
  server = createServer((_, response) => response.end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens at a port
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

test('Node waits for headers and chunks without limit, through the dispatcher of the program', async () => {
  await fetch(url).then((response) => response.text())
  const usual = Reflect.get(globalThis, DISPATCHER)
  const seen: object[] = []
  Reflect.set(globalThis, DISPATCHER, {
    dispatch(options: object, handler: unknown) {
      seen.push(options)
      return usual.dispatch(options, handler)
    },
  })
  try {
    const response = await patientFetch(url, { method: 'POST', body: 'x' })
    expect(await response.text()).toBe('hello')
  } finally {
    Reflect.set(globalThis, DISPATCHER, usual)
  }
  expect(seen).toMatchObject([{ method: 'POST', headersTimeout: 0, bodyTimeout: 0 }])
})

test('without a dispatcher the request is sent as usual', async () => {
  const usual = Reflect.get(globalThis, DISPATCHER)
  const seen: unknown[] = []
  const platform = globalThis.fetch
  Reflect.set(globalThis, DISPATCHER, undefined)
  globalThis.fetch = async (...request) => {
    seen.push(request)
    return new Response('plain')
  }
  try {
    await patientFetch(url, { method: 'GET' })
  } finally {
    globalThis.fetch = platform
    Reflect.set(globalThis, DISPATCHER, usual)
  }
  expect(seen).toEqual([[url, { method: 'GET' }]])
})
