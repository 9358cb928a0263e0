import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'

test('the defaults', () => {
  const { seed, ...settings } = readSettings(['cases.jsonl', 'more'])
  expect(seed).toMatch(/^\d+$/)
  expect(settings).toEqual({
    help: false,
    paths: ['cases.jsonl', 'more'],
    modes: ['auto', 'pinned'],
    strength: 'all',
    formats: undefined,
    sources: undefined,
    ids: undefined,
    chunkings: 3,
    failures: 20,
    quiet: false,
    json: undefined,
    minimums: { calls: undefined, pinned: undefined, text: undefined },
  })
})

test('what is given is taken', () => {
  const line = 'x --mode pinned --format a,b --chunkings 20 --min 99.5 --min-text 97% --seed s'
  expect(readSettings(line.split(' '))).toMatchObject({
    modes: ['pinned'],
    formats: ['a', 'b'],
    chunkings: 20,
    seed: 's',
    minimums: { calls: 99.5, pinned: undefined, text: 97 },
  })
})

test.for([
  [['--json', 'cases.jsonl'], { json: { file: undefined }, paths: ['cases.jsonl'] }],
  [['--json', 'out.json', 'cases.jsonl'], { json: { file: 'out.json' }, paths: ['cases.jsonl'] }],
  [['cases', '--json'], { json: { file: undefined }, paths: ['cases'] }],
  [['cases', '--json=out.txt'], { json: { file: 'out.txt' }, paths: ['cases'] }],
] as const)('%j', ([args, settings]) => {
  expect(readSettings(args)).toMatchObject(settings)
})

test.for([
  [['--min', 'most'], '--min takes a percentage, not "most"'],
  [['--min', '101'], '--min takes a percentage, not "101"'],
  [['--chunkings', '-1x'], '--chunkings'],
  [['--mode', 'pined'], '--mode cannot be "pined" (did you mean pinned?)'],
  [['--fromat', 'x'], 'unknown option --fromat (did you mean --format?)'],
] as const)('%j is refused', ([args, message]) => {
  expect(() => readSettings(args)).toThrow(message)
})
