import { expect, test } from 'vitest'
import { loadSdk } from './sdk.ts'

function missing(name: string): Error {
  const message = `Cannot find package '${name}' imported from index.js`
  return Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' })
}

test('without the SDK, the error says how to get it', async () => {
  const load = (): Promise<never> => Promise.reject(missing('@modelcontextprotocol/sdk'))
  await expect(loadSdk(load)).rejects.toMatchObject({
    code: 'missing_package',
    message: expect.stringContaining('npm install @modelcontextprotocol/sdk'),
  })
})

test('what the SDK itself misses is another error', async () => {
  const error = missing('zod')
  await expect(loadSdk(() => Promise.reject(error))).rejects.toBe(error)
})
