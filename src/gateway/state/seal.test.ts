import { expect, test } from 'vitest'
import { createSeal } from './seal.ts'

const OLD = 'an-old-secret-that-is-long-enough-1'
const NEW = 'a-new-secret-that-is-long-enough-22'
const TEXT = '{"said":"ünï\u0000code 🙂"}'

test('what is sealed is not readable, differs each time, and can be opened', async () => {
  const { seal, open } = await createSeal([OLD])
  const [one, other] = [await seal(TEXT, 'turn:a'), await seal(TEXT, 'turn:a')]
  expect(one).not.toContain('said')
  expect(one).not.toBe(other)
  expect(await open(one, 'turn:a')).toBe(TEXT)
  expect(await open(other, 'turn:a')).toBe(TEXT)
})

test('long texts and empty ones as well', async () => {
  const { seal, open } = await createSeal([OLD])
  for (const text of ['', 'x'.repeat(1_000_000)]) {
    expect((await open(await seal(text, 'n'), 'n')) === text).toBe(true)
  }
})

test('another name, another secret, or another text opens nothing', async () => {
  const { seal, open } = await createSeal([OLD])
  const sealed = await seal(TEXT, 'turn:a')
  expect(await open(sealed, 'turn:b')).toBeUndefined()
  expect(await (await createSeal([NEW])).open(sealed, 'turn:a')).toBeUndefined()
  const parts = sealed.split('.')
  for (const [at, part] of parts.entries()) {
    const changed = (part.startsWith('A') ? 'B' : 'A') + part.slice(1)
    expect(await open(parts.with(at, changed).join('.'), 'turn:a'), `part ${at}`).toBeUndefined()
    expect(await open(parts.with(at, part.slice(4)).join('.'), 'turn:a')).toBeUndefined()
    expect(await open(parts.toSpliced(at, 1).join('.'), 'turn:a')).toBeUndefined()
  }
  for (const none of ['', 'x', TEXT, 'sealed1', 'sealed1...', `sealed1.${'%'.repeat(9)}`]) {
    expect(await open(none, 'turn:a')).toBeUndefined()
  }
})

test('a secret is replaced while what it sealed is still read', async () => {
  const before = await createSeal([OLD])
  const between = await createSeal([NEW, OLD])
  const after = await createSeal([NEW])
  const [first, second] = [await before.seal(TEXT, 'n'), await between.seal(TEXT, 'n')]
  expect(await between.open(first, 'n')).toBe(TEXT)
  expect(await after.open(second, 'n')).toBe(TEXT)
  expect(await after.open(first, 'n')).toBeUndefined()
})

test.for([[[]], [['short']], [[NEW, 'x'.repeat(31)]]])(
  '%j are no secrets',
  async ([secrets = []]) => {
    await expect(createSeal(secrets)).rejects.toThrow('at least 32 characters')
  },
)
