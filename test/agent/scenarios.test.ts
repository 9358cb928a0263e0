/** Every scenario, with native calls and with calls in the text: the same happens. */
import { describe, expect, test } from 'vitest'
import type { Protocol } from '../../src/core/protocol.ts'
import { hermes } from '../../src/protocols/hermes.ts'
import { mistralArray } from '../../src/protocols/mistral-array.ts'
import { textTagged } from '../../src/protocols/text-tagged.ts'
import { play } from './scenario.ts'
import { scenarios } from './scenarios.ts'

const WAYS: readonly (readonly [string, Protocol | undefined])[] = [
  ['native calls', undefined],
  ['text-tagged', textTagged],
  ['hermes', hermes],
  ['mistral-array', mistralArray],
]

test('there are many scenarios, each with a name of its own', () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(60)
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length)
})

describe.for(WAYS)('%s', ([, protocol]) => {
  test.for(scenarios)('$name', (scenario) => play(scenario, protocol))
})
