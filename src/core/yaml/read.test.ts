import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readYaml } from './read.ts'

const lines = (...all: string[]): string => `${all.join('\n')}\n`

describe('readYaml', () => {
  test.for([
    ['a map', lines('city: Oslo', 'days: 3'), { city: 'Oslo', days: 3 }],
    ['an indented map', lines('    city: Oslo', '    days: 3'), { city: 'Oslo', days: 3 }],
    [
      'maps in maps',
      lines('a:', '  b:', '    c: 1', '  d: 2', 'e: 3'),
      { a: { b: { c: 1 }, d: 2 }, e: 3 },
    ],
    [
      'lists',
      lines('a:', '  - 1', '  - x', 'b:', '- true', '- ~', 'c: 2'),
      { a: [1, 'x'], b: [true, null], c: 2 },
    ],
    ['lists in lists', lines('- - 1', '  - 2', '- - 3', '-', '  - 4'), [[1, 2], [3], [4]]],
    [
      'maps in lists',
      lines('- a: 1', '  b: 2', '- a: 3', '-', '  a: 4'),
      [{ a: 1, b: 2 }, { a: 3 }, { a: 4 }],
    ],
    [
      'brackets',
      'a: {b: 1, "c": [x, "y, z", {}], d: } # end',
      { a: { b: 1, c: ['x', 'y, z', {}], d: null } },
    ],
    ['brackets over lines', lines('a: [', '  1, # one', '  2,', ']', 'b: 3'), { a: [1, 2], b: 3 }],
    ['JSON', '{"a":"b\\n\\u00e9","c":[1.5,null,true]}', { a: 'b\né', c: [1.5, null, true] }],
    [
      'plain words',
      lines('a: true', 'b: False', 'c: null', 'd:', 'e: 1e3', 'f: 007', 'g: 2024-05-06', 'h: yes'),
      { a: true, b: false, c: null, d: null, e: 1000, f: '007', g: '2024-05-06', h: 'yes' },
    ],
    [
      'words that mean something elsewhere',
      lines('a: *.ts', 'b: &x', 'c: !tag v', 'd: @me', 'e: "<<"', '<<: 1'),
      { a: '*.ts', b: '&x', c: '!tag v', d: '@me', e: '<<', '<<': 1 },
    ],
    [
      'colons',
      lines('url: http://a.b/c#d', 'time: 12:30', 'note: remember: milk', '"k: x": 1'),
      { url: 'http://a.b/c#d', time: '12:30', note: 'remember: milk', 'k: x': 1 },
    ],
    ['comments', lines('# first', 'a: 1 # one', '', '  # inside', 'b: x#y'), { a: 1, b: 'x#y' }],
    [
      'quotes',
      lines(`a: 'it''s'`, 'b: "a\\tb \\"c\\" \\\\"', `c: ""`, `d: ''`),
      { a: "it's", b: 'a\tb "c" \\', c: '', d: '' },
    ],
    [
      'quotes over lines',
      lines('a: "one', '  two', '', '  three \\', '  four"', "b: 'x", "  y'"),
      { a: 'one two\nthree four', b: 'x y' },
    ],
    [
      'plain words over lines',
      lines('a: one', '  two', '', '  three', 'b: 1'),
      { a: 'one two\nthree', b: 1 },
    ],
    [
      'lines kept',
      lines('a: |', '  one', '    two', '', '  three # no comment', 'b: 1'),
      { a: 'one\n  two\n\nthree # no comment\n', b: 1 },
    ],
    [
      'lines folded',
      lines('a: >', '  one', '  two', '', '  three', '    four', '  five'),
      { a: 'one two\nthree\n  four\nfive\n' },
    ],
    [
      'line breaks at the end',
      lines('a: |-', '  x', '', 'b: |+', '  x', '', 'c: |', '  x', '', ''),
      { a: 'x', b: 'x\n\n', c: 'x\n' },
    ],
    ['a given indentation', lines('a: |2', '    x', '   y'), { a: '  x\n y\n' }],
    ['lines in a list', lines('- |', '  x', '  y', '- z'), ['x\ny\n', 'z']],
    ['no lines at all', lines('a: |', 'b: >-'), { a: '', b: '' }],
    ['document marks', lines('---', 'a: 1', '...', 'b: ['), { a: 1 }],
    ['line ends of Windows', 'a: |\r\n  x\r\n  y\r\nb: "1"\r\n', { a: 'x\ny\n', b: '1' }],
    ['a key without a value in braces', '{a}', { a: null }],
    ['lines without a key', lines('|-', 'x', 'y'), 'x\ny'],
    ['words alone', 'just words', 'just words'],
    ['nothing', '', null],
  ] as const)('%s', ([, source, value]) => {
    expect(readYaml(source)).toEqual(value)
  })

  test.for([
    ['a key twice', lines('a: 1', 'a: 2')],
    ['a line that is too far in', lines('a: 1', '   b: 2')],
    ['a line that is in between', lines('a:', '    b: 1', '  c: 2')],
    ['brackets left open', 'a: [1, 2'],
    ['quotes left open', 'a: "x'],
    ['words behind quotes', 'a: "x" y'],
    ['words among keys', lines('a: 1', 'word', 'b: 2')],
    ['lines of code behind a key', lines('a: def f():', '    return 1', 'b: 2')],
  ] as const)('is not YAML: %s', ([, source]) => {
    expect(readYaml(source)).toBeUndefined()
  })

  test('keys are keys, whatever their name', () => {
    const value = readYaml(lines('__proto__:', '  on: true', 'constructor: 1'))
    expect(Object.keys(value ?? {})).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  test('JSON is YAML', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), (value) => {
        fc.pre(!JSON.stringify(value).includes('-0'))
        expect(readYaml(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('nothing makes it throw', () => {
    const token = fc.constantFrom(
      ...'{}[]:,#-|>"\'&*!~ \n\t\\',
      ': ',
      '- ',
      '\n  ',
      'a',
      '1',
      '|-\n',
    )
    const texts = fc.array(token, { maxLength: 60 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => void readYaml(text)),
      { numRuns: 5000 },
    )
    for (const hostile of ['[', '{a: ', '- ', 'a:\n ', '"', '{"a":'])
      readYaml(hostile.repeat(20_000))
  })
})
