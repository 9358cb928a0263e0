import { afterEach, describe, expect, it, vi } from 'vitest'

const TEXT = 'plain, Ålesund, 水温, 😀 \u0080\u009f'
const ALL = Uint8Array.from({ length: 256 }, (_, byte) => byte)

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

describe.each([
  ['with buffers', true],
  ['without buffers', false],
])('%s', (_, hasBuffers) => {
  async function load() {
    if (!hasBuffers) vi.stubGlobal('Buffer', undefined)
    return import('./binary-text.ts')
  }

  it('has one character for each byte', async () => {
    const { binaryText } = await load()
    const text = binaryText(ALL)
    expect(text).toHaveLength(256)
    expect(new Set(text).size).toBe(256)
    expect(binaryText(ALL, 65, 68)).toBe('ABC')
  })

  it('is spelled as it was written', async () => {
    const { spelledText } = await load()
    const bytes = new TextEncoder().encode(`{${TEXT}}`)
    expect(spelledText(bytes)).toBe(`{${TEXT}}`)
    expect(spelledText(bytes, 1, bytes.length - 1)).toBe(TEXT)
  })

  it('spells what is no text as the decoders of the platform do', async () => {
    const { spelledText } = await load()
    const bytes = Uint8Array.from([65, 0xff, 0xc3, 0x28, 0xe6, 0xb0])
    expect(spelledText(bytes)).toBe(new TextDecoder().decode(bytes))
  })
})
