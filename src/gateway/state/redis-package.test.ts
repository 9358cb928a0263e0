import { expect, test } from 'vitest'
import { loadRedis } from './redis-package.ts'

function missing(name: string): Error {
  return Object.assign(new Error(`Cannot find package '${name}' imported from here`), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
}

test('whoever has not installed the package is told to', async () => {
  const loading = loadRedis(() => Promise.reject(missing('redis')))
  await expect(loading).rejects.toThrow('npm install redis')
  await expect(loading).rejects.toMatchObject({ code: 'missing_package' })
})

test('what the package itself misses is another matter', async () => {
  const error = missing('@redis/client')
  await expect(loadRedis(() => Promise.reject(error))).rejects.toBe(error)
})
