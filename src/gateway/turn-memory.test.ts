/** What a reply is referred to by is known before its end is read. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { createGateway } from './gateway.ts'

const { digest } = crypto.subtle

/** As on a machine with all its threads busy. Returns how it ends. */
function slowDigests(): () => void {
  const slow = vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (...hashed) => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return digest.apply(crypto.subtle, hashed)
  })
  onTestFinished(() => slow.mockRestore())
  return () => slow.mockRestore()
}

test.for([false, true])('a client that asks on at once, streamed: %s', async (stream) => {
  const beQuick = slowDigests()
  const gateway = createGateway({ demo: true })
  const ask = (body: object): Promise<Response> =>
    gateway.fetch(
      new Request('http://gateway/v1/responses', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo/echo', stream, ...body }),
      }),
    )
  const reply = await (await ask({ input: 'One' })).text()
  beQuick()
  const [id] = /\bresp_\w+/.exec(reply) ?? []
  const next = await ask({ input: 'Two', previous_response_id: id })
  expect({ status: next.status, text: await next.text() }).toMatchObject({ status: 200 })
})
