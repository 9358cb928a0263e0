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
  })

  it('is spelled as it was written', async () => {
    const { binaryText, spelledText } = await load()
    expect(spelledText(binaryText(new TextEncoder().encode(TEXT)))).toBe(TEXT)
    expect(spelledText('as it is')).toBe('as it is')
  })

  it('spells what is no text as the decoders of the platform do', async () => {
    const { binaryText, spelledText } = await load()
    const bytes = Uint8Array.from([65, 0xff, 0xc3, 0x28, 0xe6, 0xb0])
    expect(spelledText(binaryText(bytes))).toBe(new TextDecoder().decode(bytes))
  })
})
