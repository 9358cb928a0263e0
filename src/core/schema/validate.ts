/**
 * Checks a value by its schema before a tool runs: JSON Schema 2020-12, with the older spellings that
 * tools still use. Types are understood as `coerce` understands them, so that what it converts passes.
 *
 * Whether a text matches a `pattern` is not always known (`pattern.ts`); what is not known is no violation, also
 * where it is negated.
 *
 * No schema and no value makes it throw or go on for ever. Each pair of them is looked at once, values
 * nested too deeply are let through, those with too many pairs are refused, and only what does not fit is looked
 * at again to put it into words.
 */
import type { JsonPath } from '../issue.ts'
import { isJsonObject, type JsonValue } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { type Demand, demandsOf, type Inspection } from './demands.ts'
import type { Flaw } from './flaw.ts'
import { formatPath } from './outcome.ts'
import { createPatterns, type Patterns } from './pattern.ts'
import { findDefinition } from './resolve.ts'

/** Something in a value that its schema does not allow. */
export interface Violation {
  readonly path: JsonPath
  readonly message: string
}

const MAX_VIOLATIONS = 20

/** For one of several forms. */
const MAX_EXPLAINED = 4

/** Steps into a value, references and parts of schemas, each inside the one before. */
const MAX_DEPTH = 800

/** Pairs of a value and a schema, and keys: long lists of both have more than anybody waits for. */
const MAX_STEPS = 500_000

/** Places that are looked at to find words. */
const MAX_REPORTS = 5000

/**
 * What the schema does not allow in the value, 20 violations at most; none when it fits.
 *
 * @example
 * validate({ days: 'abc' }, { properties: { days: { type: 'integer' } } })
 * // [{ path: ['days'], message: 'must be integer, got string "abc"' }]
 */
export function validate(
  value: JsonValue,
  schema: JsonSchema,
  patterns: Patterns = createPatterns(),
): Violation[] {
  try {
    const inspection = inspect(schema, patterns)
    if (inspection.holds(value, schema) !== false) return []
    return withoutRepeats(inspection.report(value, schema))
  } catch (error) {
    // Else the stack was almost used up before we were called.
    const isTooMuch = error instanceof TooMuch
    return [{ path: [], message: isTooMuch ? 'is too much to be checked' : 'is nested too deeply' }]
  }
}

/** There is more than is looked at. */
class TooMuch extends Error {}

/** The violations for a model to read, one on each line: `at days: is required`. */
export function formatViolations(violations: readonly Violation[]): string {
  return violations.map(({ path, message }) => `at ${placeOf(path)}: ${message}`).join('\n')
}

function placeOf(path: JsonPath): string {
  return path.length === 0 ? 'the arguments' : formatPath(path).replace(/^\$\.?/, '')
}

interface Report {
  report(value: JsonValue, schema: JsonSchema): readonly Flaw[]
}

function inspect(root: JsonSchema, patterns: Patterns): Inspection & Report {
  const known = new Map<JsonSchema, Map<JsonValue, boolean | undefined>>()
  const definitions = new Map<string, JsonSchema>()
  let depth = 0
  let spent = 0
  let left = MAX_REPORTS

  function spend(steps: number): void {
    spent += steps
    if (spent > MAX_STEPS) throw new TooMuch()
  }

  function definition(reference: string): JsonSchema {
    const known = definitions.get(reference)
    if (known !== undefined) return known
    const found = isJsonObject(root) ? (findDefinition(reference, root) ?? true) : true
    definitions.set(reference, found)
    return found
  }

  function holds(value: JsonValue, schema: JsonSchema): boolean | undefined {
    if (typeof schema === 'boolean') return schema
    spend(1)
    const answers = known.get(schema) ?? new Map<JsonValue, boolean | undefined>()
    known.set(schema, answers)
    if (answers.has(value)) return answers.get(value)
    // Stands in while we look: a schema that leads back to itself asks nothing new.
    answers.set(value, true)
    const answer = depth >= MAX_DEPTH || look(value, schema)
    answers.set(value, answer)
    return answer
  }

  function look(value: JsonValue, schema: JsonSchema): boolean | undefined {
    depth += 1
    let isFit: boolean | undefined = true
    for (const demand of demandsOf(value, schema, inspection)) {
      const answer = meets(demand)
      if (answer !== true) isFit = answer
      if (answer === false) break
    }
    depth -= 1
    return isFit
  }

  function meets(demand: Demand): boolean | undefined {
    if ('schema' in demand) return holds(demand.value, demand.schema)
    return 'flaws' in demand ? false : undefined
  }

  function report(
    value: JsonValue,
    schema: JsonSchema,
    limit: number = MAX_VIOLATIONS,
    path: JsonPath = [],
    found: Flaw[] = [],
  ): readonly Flaw[] {
    left -= 1
    if (left < 0 || depth >= MAX_DEPTH || holds(value, schema) !== false) return found
    depth += 1
    for (const demand of demandsOf(value, schema, inspection)) {
      if (found.length >= limit) break
      if ('flaws' in demand) {
        for (const flaw of demand.flaws()) found.push({ ...flaw, path: [...path, ...flaw.path] })
      } else if ('schema' in demand) {
        const place = demand.step === undefined ? path : [...path, demand.step]
        report(demand.value, demand.schema, limit, place, found)
      }
    }
    depth -= 1
    return found
  }

  function explain(value: JsonValue, schema: JsonSchema): readonly Flaw[] {
    const flaws = report(value, schema, MAX_EXPLAINED)
    return flaws.length > 0 ? flaws : [{ path: [], message: 'does not fit the schema' }]
  }

  const inspection = { definition, holds, explain, spend, patterns }
  return { ...inspection, report: (value, schema) => report(value, schema) }
}

function withoutRepeats(flaws: readonly Flaw[]): Violation[] {
  const different = new Map<string, Violation>()
  for (const { path, message } of flaws) {
    different.set(`${JSON.stringify(path)} ${message}`, { path, message })
  }
  const violations = [...different.values()].slice(0, MAX_VIOLATIONS)
  // Something is wrong, and there were too many places to find out what.
  return violations.length > 0 ? violations : [{ path: [], message: 'does not fit the schema' }]
}
