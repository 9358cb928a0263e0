/**
 * Calls with one character deleted, or cut off: a call only if it is the one that was written or its repair is
 * listed, otherwise an issue that covers what is left. `docs/guides/repairs-and-issues.md` names the classes
 * that are left.
 *
 * The ceilings are what was reached. A change that gets below one lowers it.
 */
import { describe, expect, test } from 'vitest'
import { extract } from '../src/index.ts'
import { allProtocols } from '../src/protocols/registry.ts'
import type { ProtocolCase } from './contract/protocol.ts'
import {
  type Damage,
  damageTools,
  deletions,
  type Outcome,
  outcomeOf,
  prefixes,
  type WrittenText,
  writtenTexts,
} from './support/damage.ts'
import { fuzzFactor } from './support/seed.ts'
import { soupTools } from './support/soup.ts'

type Counts = Partial<Record<Outcome | 'content' | 'content-silent', number>>

function count(into: Counts, { outcome, inContent }: Damage): void {
  const content = outcome === 'silent' ? 'content-silent' : 'content'
  const kind = inContent ? content : outcome
  into[kind] = (into[kind] ?? 0) + 1
}

/** Fails with the counts when one is above its ceiling. */
function expectAtMost(counts: Counts, ceilings: Counts): void {
  const above = Object.entries(ceilings).filter(
    ([kind, ceiling]) => (counts[kind as keyof Counts] ?? 0) > ceiling,
  )
  expect(above, JSON.stringify(counts)).toEqual([])
}

const CEILINGS = {
  auto: {
    'two arguments': { wrong: 86, silent: 20, partial: 446, 'content-silent': 154 },
    'two calls': { wrong: 181, silent: 42, partial: 1145, 'content-silent': 251 },
    'nested arguments': { wrong: 516, silent: 20, partial: 469, 'content-silent': 154 },
  },
  pinned: {
    'two arguments': { wrong: 84, silent: 24, partial: 584, 'content-silent': 154 },
    'two calls': { wrong: 179, silent: 51, partial: 1242, 'content-silent': 278 },
    'nested arguments': { wrong: 514, silent: 24, partial: 606, 'content-silent': 154 },
  },
} as const satisfies Record<string, Record<string, Counts>>

describe.for(['auto', 'pinned'] as const)(
  'a character deleted from what is written, %s',
  (mode) => {
    test.for(['two arguments', 'two calls', 'nested arguments'] as const)('%s', (name) => {
      const counts: Counts = {}
      for (const protocol of allProtocols) {
        const options = { tools: damageTools, ...(mode === 'pinned' && { protocols: [protocol] }) }
        const written = writtenTexts(protocol).find((text) => text.name === name)
        if (!written) throw new Error(`there is no text named ${name}`)
        const whole = outcomeOf(written.calls, written.text, extract(written.text, options))
        expect(['same', 'repaired'], protocol.id).toContain(whole)
        for (const damage of deletions(written, (text) => extract(text, options)))
          count(counts, damage)
      }
      expectAtMost(counts, CEILINGS[mode][name])
    })
  },
)

// A call cut off between two arguments is one with fewer. It lists `missing-closer`, which is no guess about an
// argument, so that it counts as wrong here; L8 holds it to less.
test('what is written, cut off anywhere', () => {
  const counts: Counts = {}
  for (const protocol of allProtocols) {
    for (const written of writtenTexts(protocol)) {
      for (const damage of prefixes(written, (text) => extract(text, { tools: damageTools }))) {
        count(counts, damage)
      }
    }
  }
  expectAtMost(counts, { wrong: 672, silent: 161, partial: 690 })
})

/** So many characters apart; `npm run fuzz` deletes each of them. */
const STEP = fuzzFactor > 0 ? 1 : 5

test('a character deleted from a fixture', async () => {
  const counts: Counts = {}
  for (const protocol of allProtocols) {
    const { cases }: { cases: readonly ProtocolCase[] } = await import(
      `./fixtures/protocols/${protocol.id}.ts`
    )
    const options = { tools: soupTools, protocols: [protocol] }
    for (const written of cases.flatMap((row) => writtenOf(row))) {
      const whole = outcomeOf(written.calls, written.text, extract(written.text, options))
      if (whole !== 'same' && whole !== 'repaired') continue
      for (const damage of deletions(written, (text) => extract(text, options), STEP)) {
        count(counts, damage)
      }
    }
  }
  if (STEP > 1)
    expectAtMost(counts, { wrong: 314, silent: 269, partial: 296, 'content-silent': 275 })
})

/** A fixture that holds nothing but calls of the usual tools. */
function writtenOf({ name, input, output, tools, issues, options }: ProtocolCase): WrittenText[] {
  const calls = output.filter((part) => typeof part !== 'string')
  const isUsual = tools === soupTools && issues === undefined && options === undefined
  return isUsual && calls.length > 0 && input.length < 600 ? [{ name, text: input, calls }] : []
}
