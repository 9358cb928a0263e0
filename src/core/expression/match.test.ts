import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Allowance, matches } from './match.ts'
import { compileExpression } from './program.ts'

const MAX_SIZE = 100_000

/** What the language itself says, in the mode in which it accepts the source. */
function natively(source: string, text: string): boolean {
  const expression = nativeOf(source)
  // Place by place: V8 also finds what matches nothing between the halves of a surrogate pair.
  for (let at = 0; at <= text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    if (!expression.unicode && at > 0) break
    expression.lastIndex = at
    if (expression.test(text)) return true
  }
  return false
}

function nativeOf(source: string): RegExp {
  try {
    return new RegExp(source, 'uy')
  } catch {
    return new RegExp(source)
  }
}

/** The answer, and how many steps it took. */
function tried(source: string, text: string): { answer: boolean | undefined; steps: number } {
  const expression = compileExpression(source, MAX_SIZE)
  if (!expression) return { answer: undefined, steps: 0 }
  const allowance: Allowance = { steps: Number.MAX_SAFE_INTEGER }
  const answer = matches(expression, text, allowance)
  return { answer, steps: Number.MAX_SAFE_INTEGER - allowance.steps }
}

describe('agrees with the language', () => {
  const LETTERS = ['a', 'b', 'A', '_', '1', ' ', '-', '\n', 'é', '😀', '\ud83d', '\ude00', '']
  const texts = fc.array(fc.constantFrom(...LETTERS), { maxLength: 8 }).map((all) => all.join(''))
  const atoms = fc.constantFrom(
    ...['a', 'b', 'A', '1', 'é', '😀', '.', '\\d', '\\W', '\\s', '\\S', '\\n', '\\x61', '\\u0062'],
    ...['[ab]', '[^a]', '[a-z\\d]', '[\\w-]', '[]', '[^]', '[é😀]', '[\\]a]', '[(|]', '\\.', '\\-'],
    ...['\\u{1F600}', '\\ud83d\\ude00', '\\p{L}', '\\P{Lu}', '[\\p{L}\\s]', '\\0', '\\cA', '\\_'],
  )
  const places = fc.constantFrom('^', '$', '\\b', '\\B')
  const quantifiers = fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '{0}', '*?', '{1,2}?')
  const groups = fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!')
  const expressions = fc.letrec<{ whole: string; part: string }>((tie) => ({
    whole: fc.oneof(
      fc.array(tie('part'), { maxLength: 3 }).map((parts) => parts.join('')),
      fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
    ),
    part: fc.oneof(
      { depthSize: 'small' },
      atoms,
      places,
      fc.tuple(atoms, quantifiers).map((both) => both.join('')),
      fc.tuple(groups, tie('whole')).map(([open, inside]) => `${open}${inside})`),
      fc.tuple(tie('whole'), quantifiers).map(([inside, often]) => `(?:${inside})${often}`),
    ),
  })).whole

  test('about any expression and text', () => {
    let compared = 0
    fc.assert(
      fc.property(expressions, fc.array(texts, { minLength: 4, maxLength: 4 }), (source, all) => {
        for (const text of all) {
          const { answer } = tried(source, text)
          if (answer === undefined) continue
          compared += 1
          expect([source, text, answer]).toEqual([source, text, natively(source, text)])
        }
      }),
      { numRuns: 4000 },
    )
    expect(compared).toBeGreaterThan(12_000)
  })

  test.for([
    ['^\\d{4}-\\d{2}-\\d{2}$', ['2026-11-18', '2026-1-18', ' 2026-11-18']],
    [
      '^(?!\\.)(?!.*\\.\\.)[\\w+.-]+@([a-z\\d-]+\\.)+[a-z]{2,}$',
      ['a.b@c.de', 'a..b@c.de', '.a@b.cd'],
    ],
    ['^(?=.*\\d)(?=.*[A-Z]).{8,}$', ['Passw0rd', 'password', 'PASSW0']],
    ['(?<!\\$)\\b\\d+(?= apples)', ['3 apples', '$3 apples', '$33 apples']],
    ['^[\\w.\\-_ ]+$', ['a b', 'a/b']],
    ['(?<year>\\d{4})/(?<month>\\d\\d)', ['1999/12', '199/12']],
    ['a{,5}', ['a{,5}', 'aaa']],
    ['x{', ['x{', 'x']],
    [']}', [']}', '']],
    ['(?=a)*b', ['b', 'c']],
    ['\\c', ['\\c', 'c']],
    ['', ['', 'a']],
    ['(?:)*$', ['', 'a']],
    ['^(?:a?){3}$', ['', 'aaa', 'aaaa']],
    ['^$', ['', '\n']],
    ['^.$', ['\n', '\u2028', '😀', 'é']],
  ] as const)('about %s', ([source, all]) => {
    for (const text of all) {
      const { answer } = tried(source, text)
      if (source === '\\c') expect(answer).toBeUndefined()
      else expect([text, answer]).toEqual([text, natively(source, text)])
    }
  })
})

test.for(['(', '[', 'a**', '\\', '(a)\\1', '(?<x>a)\\k<x>', '(?P<x>a)', '(?i)a', '(?i:a)'])(
  '%s is not tried',
  (source) => {
    expect(compileExpression(source, MAX_SIZE)).toBeUndefined()
  },
)

test.for([
  'a{1001}',
  '(a{100}){100}',
  '((a{1000}){1000}){1000}',
  '(?:){1000000000}',
  '((?:){60000}){60000}',
  '(?:(?:(?=a)){100}){100}',
  'a{99999999999999999999999}',
  `${'('.repeat(101)}${')'.repeat(101)}`,
  `${'('.repeat(50_000)}${')'.repeat(50_000)}`,
])('%.40s takes more than is allowed', (source) => {
  expect(compileExpression(source, 1000)).toBeUndefined()
})

describe('linear time', () => {
  const HOSTILE: readonly (readonly [source: string, unit: string, end: string])[] = [
    ['^(a+)+$', 'a', '!'],
    ['^(a|a)*$', 'a', '!'],
    ['^(a|aa)+$', 'a', '!'],
    ['^(a?){26}a{26}$', 'a', '!'],
    ['(x?){26}x{26}y', 'x', ''],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a', ''],
    ['(.*)*(.*)*(.*)*$(?!.)x', 'a', ''],
    ['^(a*)*b$', 'a', ''],
    ['\\s+$', ' ', 'x'],
    ['^(?=(a+)+$)(a|a)*$', 'a', '!'],
    ['(?<=(a|a)*)b', 'a', ''],
    ['^(\\w+\\s?)*$', 'aa ', '!'],
    ['(a*)*(a*)*[^a]{30}', 'a', ''],
  ]

  test.for(HOSTILE)('%s grows with the length of the text', ([source, unit, end]) => {
    const [short, long] = [200, 2000].map((count) => tried(source, unit.repeat(count) + end).steps)
    expect((long ?? 0) / (short ?? 1)).toBeLessThan(11)
  })

  test.for([
    ['optional groups', (count: number) => `^${'(a?)'.repeat(count)}${'a'.repeat(count)}$`],
    ['counted groups', (count: number) => `^(a?){${count}}a{${count}}$`],
    ['loops', (count: number) => `^(?:${'a*|'.repeat(count)}a*)*$`],
    ['nested loops', (count: number) => `${'(?:'.repeat(count)}a${')*'.repeat(count)}b`],
    ['look-aheads', (count: number) => `${'(?=a*)'.repeat(count)}b`],
  ] as const)('%s grow with the length of the expression', ([, sourceOf]) => {
    const text = `${'a'.repeat(300)}!`
    for (const count of [1, 10, 99]) {
      const size = compileExpression(sourceOf(count), MAX_SIZE)?.size ?? 0
      expect(size).toBeLessThan(20 * (count + 1))
      expect(tried(sourceOf(count), text).steps).toBeLessThan(2 * size * (text.length + 1))
    }
  })

  test('the allowance ends it', () => {
    const expression = compileExpression('^(a?){500}a{500}$', MAX_SIZE)
    if (!expression) throw new Error('not compiled')
    const allowance = { steps: 10_000 }
    expect(matches(expression, 'a'.repeat(10_000), allowance)).toBeUndefined()
    expect(allowance.steps).toBeGreaterThan(-5000)
    expect(matches(expression, '', allowance)).toBeUndefined()
  })
})
