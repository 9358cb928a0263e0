import { expect, test, vi } from 'vitest'

test('without the package, the error says what to install', async () => {
  vi.doMock('node-sqlite3-wasm', () => {
    throw new Error('not found')
  })
  const { wasmDriver } = await import('./wasm-driver.ts')
  await expect(wasmDriver()).rejects.toMatchObject({
    code: 'missing_package',
    message: expect.stringContaining('npm install node-sqlite3-wasm'),
  })
})
