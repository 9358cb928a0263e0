import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecrets } from './secrets.ts'

const KEY = 'Qz81-proj_aB3dE5fG7hJ9kL1mN3pQ5rS7t'
const encoder = new TextEncoder()

function maskIn(chunks: readonly (string | Uint8Array)[], ...keys: readonly string[]): string {
  const secrets = createSecrets()
  for (const key of keys.length > 0 ? keys : [KEY]) secrets.add(key)
  const mask = secrets.mask()
  const decoder = new TextDecoder()
  const parts = chunks.map((chunk) => {
    return mask.push(typeof chunk === 'string' ? encoder.encode(chunk) : chunk)
  })
  return [...parts, mask.end()].map((part) => decoder.decode(part, { stream: true })).join('')
}

function escaped(text: string, write: (code: string) => string): string {
  return [...text].map((one) => write(one.charCodeAt(0).toString(16).padStart(2, '0'))).join('')
}

test.for([
  ['as it is', KEY],
  ['in upper case', KEY.toUpperCase()],
  ['in lower case', KEY.toLowerCase()],
  ['escaped as in JSON', escaped(KEY, (code) => `\\u00${code}`)],
  ['escaped as in JSON in part', `\\u0051${KEY.slice(1)}`],
  ['escaped twice', escaped(KEY, (code) => `\\\\u00${code}`)],
  ['escaped as in addresses', escaped(KEY, (code) => `%${code}`)],
  ['escaped as in addresses in part', KEY.replaceAll('-', '%2D').replaceAll('_', '%5F')],
  ['in base 64', btoa(KEY)],
  ['in base 64 after a name', btoa(`user:${KEY}`)],
  ['in base 64 after another name', btoa(`me:${KEY}:`)],
  ['without its end', KEY.slice(0, 20)],
])('a key %s is replaced, wherever the text is cut', ([, spelled = '']) => {
  const text = `{"error":{"message":"wrong key ${spelled} given","code":1}}\n`
  const bytes = encoder.encode(text)
  const whole = maskIn([text])
  const about = JSON.parse(whole).error.message
  expect(about).toMatch(/^wrong key .{0,12}\*\*\*.{0,12} given$/)
  expect(about).not.toContain(spelled.slice(8, 20))
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(maskIn([bytes.subarray(0, cut), bytes.subarray(cut)]), `cut at ${cut}`).toBe(whole)
  }
  expect(maskIn(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toBe(whole)
})

test('keys with characters that are escaped are found in every spelling', () => {
  const key = 'p/q"r\\s+t ü=12345'
  for (const spelled of [
    key,
    JSON.stringify(key).slice(1, -1),
    JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/'),
    JSON.stringify(JSON.stringify(key).slice(1, -1)).slice(1, -1),
    encodeURIComponent(key),
    escaped(key.replace('ü', ''), (code) => `\\u00${code}`).replace('\\u003d', '\\u00fc\\u003d'),
    new URLSearchParams({ _: key }).toString().slice(2),
    key.replace('ü', '\\u00fc'),
  ]) {
    expect(maskIn([`a ${spelled} b`], key), spelled).toBe('a *** b')
  }
})

test('what is left is still JSON', () => {
  const key = '/secret/path/0123456789'
  for (const spelled of [key, key.replaceAll('/', '\\/'), escaped(key, (code) => `\\u00${code}`)]) {
    for (const before of ['', 'a', '\\n', '\\\\', '\\"', '\\\\\\"', '\\/']) {
      const text = `{"a":"${before}${spelled}\\n"}`
      expect(() => JSON.parse(text)).not.toThrow()
      expect(Object.values(JSON.parse(maskIn([text], key)))[0]).toMatch(/\*\*\*\n$/)
    }
  }
  expect(maskIn(['"\\name-0123456789"'], 'name-0123456789')).toBe('"\\name-0123456789"')
})

/** The text as a server streams it, each part in a frame of its own. */
function frames(parts: readonly string[], frame: (part: string) => string): string[] {
  return parts.map((part) => `data: ${frame(JSON.stringify(part))}\n\n`)
}

function textOf(stream: string): string {
  return [...stream.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)]
    .map(([, text = '""']) => JSON.parse(text))
    .join('')
}

const chatFrame = (text: string): string =>
  `{"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":${text}},"finish_reason":null}]}`

test.for([1, 2, 3, 5, 8, 13, 21])('a key in a streamed text, %i characters a frame', (size) => {
  const text = `It is ${KEY}, and "that" is it.`
  const parts = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
  const stream = frames(parts, chatFrame)
  const clean = maskIn(stream)
  expect(clean.split('\n\n')).toHaveLength(parts.length + 1)
  const left = textOf(clean)
  // Less than eight characters may be out before it is clear what they are.
  expect(left).toMatch(/^It is .{0,7}\*\*\*, and "that" is it\.$/)
  const bytes = encoder.encode(stream.join(''))
  for (let cut = 0; cut < bytes.length; cut += 7) {
    const again = maskIn([bytes.subarray(0, cut), bytes.subarray(cut)])
    expect(textOf(again), `cut at ${cut}`).toMatch(/^It is .{0,7}\*\*\*, and "that" is it\.$/)
  }
})

test('a key over several strings of a whole reply', () => {
  const reply = { parts: [{ text: `a ${KEY.slice(0, 9)}` }, { text: KEY.slice(9) }, { text: 'b' }] }
  expect(JSON.parse(maskIn([JSON.stringify(reply)]))).toEqual({
    parts: [{ text: 'a ***' }, { text: '' }, { text: 'b' }],
  })
})

test('ordinary frames pass as the bytes they are, and at once', () => {
  const secrets = createSecrets()
  secrets.add(KEY)
  secrets.add('sk-ant-api03-0123456789abcdef')
  const mask = secrets.mask()
  // Each text ends as one of the keys begins.
  for (const part of ['Qz81', 's', 'tasks', 'Q', '\\', '%', '100%', 'sk-ant-', 'q', '\n', '"']) {
    const bytes = encoder.encode(frames([part], chatFrame)[0])
    expect(mask.push(bytes)).toBe(bytes)
  }
  expect(mask.end()).toHaveLength(0)
})

test('no more is held back than may be the beginning of a key', () => {
  const secrets = createSecrets()
  secrets.add(KEY)
  const mask = secrets.mask()
  const push = (text: string): string => new TextDecoder().decode(mask.push(encoder.encode(text)))
  expect(push(`plain ${KEY.slice(0, 5)}`)).toBe('plain ')
  expect(push(KEY.slice(5, 9))).toBe('')
  expect(push('! more Q')).toBe(`${KEY.slice(0, 9)}! more `)
  expect(push('uick\\')).toBe('Quick')
  expect(push('u00')).toBe('')
  expect(push('41')).toBe('\\u0041')
  expect(mask.end()).toHaveLength(0)
})

test('a text without the key is not changed, however it is cut', () => {
  const piece = fc.constantFrom(
    'Q',
    'z',
    '8',
    '"',
    '\\',
    'u0051',
    '%51',
    ':',
    'a',
    '\n',
    '{',
    KEY.slice(0, 7),
    'ü',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      expect(maskIn(pieces)).toBe(pieces.join(''))
    }),
  )
})

test('a key that comes while a text is read is hidden from then on', () => {
  const secrets = createSecrets()
  const mask = secrets.mask()
  const push = (text: string): string => new TextDecoder().decode(mask.push(encoder.encode(text)))
  expect(push(`${KEY} `)).toBe(`${KEY} `)
  secrets.addPassing(KEY)
  expect(push(`${KEY} `)).toBe('*** ')
})

test('time grows with the length, also for keys that repeat themselves', () => {
  const secrets = createSecrets()
  secrets.add('ab'.repeat(2000))
  const text = encoder.encode('ab'.repeat(1999).concat('c').repeat(100))
  const mask = secrets.mask()
  const begun = performance.now()
  mask.push(text)
  mask.end()
  // 400 KB: a search from each place anew would take minutes.
  expect(performance.now() - begun).toBeLessThan(10_000)
})

test.for(['none', 'x', 'EMPTY', 'ollama', 'test', 'lm-studio', 'sk-no-key-required', 'not-needed'])(
  'a placeholder is not hidden: %s',
  (placeholder) => {
    expect(maskIn([`a ${placeholder} b`], placeholder)).toBe(`a ${placeholder} b`)
  },
)
