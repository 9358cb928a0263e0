/**
 * Tests texts against the regular expressions of schemas. Both come from elsewhere, so an expression is never run
 * as a `RegExp`, which can take longer than anybody waits: our own matcher takes time in proportion to the text and
 * to the expression, and what one inspection may spend is limited as well.
 *
 * The answer is undefined where it is not known: for what is no expression, for back references, and for what
 * costs too much. Whoever asks must not hold that against a value.
 */
import { matches } from '../expression/match.ts'
import { type CompiledExpression, compileExpression } from '../expression/program.ts'
import { createRecentMap } from '../recent-map.ts'

export interface Patterns {
  /** Whether the text, or a part of it, matches; undefined when that is not known. */
  match(source: string, text: string): boolean | undefined
  /** The sources of all answers that were not known. */
  readonly unknown: ReadonlySet<string>
  /** Nothing is left to be spent: no answer will be known. */
  readonly isSpent: boolean
}

/** Generous for what people write: the longest expressions of zod have 700 characters. */
const MAX_SOURCE = 10_000

/** Instructions of one expression: room for `.{1,5000}`. */
const MAX_SIZE = 10_000

/** For one inspection, compiling included: a tenth of a second on a slow machine. */
const MAX_STEPS = 2_000_000

/** What compiling costs in steps, for an expression and for each of its characters and instructions; measured. */
const STEPS_TO_COMPILE = 1000
const STEPS_PER_CHARACTER = 10

/** Of all inspections together. */
const MAX_COMPILED = 500
const MAX_COMPILED_BYTES = 4 * 1024 * 1024

/** Three numbers of four bytes. */
const BYTES_PER_INSTRUCTION = 12
/** What V8 keeps for an expression of one class, roughly. */
const BYTES_PER_CLASS = 1024

/** Undefined in the box: what cannot be compiled is remembered, too. */
interface Compiled {
  readonly expression: CompiledExpression | undefined
}

const compiled = createRecentMap<Compiled>({
  maxEntries: MAX_COMPILED,
  maxBytes: MAX_COMPILED_BYTES,
  bytesOf: (source, { expression }) => 2 * source.length + bytesOf(expression),
})

function bytesOf(expression: CompiledExpression | undefined): number {
  if (!expression) return 0
  const { size, program } = expression
  return size * BYTES_PER_INSTRUCTION + program.classes.length * BYTES_PER_CLASS
}

/** For one inspection of a value, however many texts and expressions that takes. */
export function createPatterns(): Patterns {
  const allowance = { steps: MAX_STEPS }
  const paid = new Map<string, CompiledExpression | undefined>()
  const unknown = new Set<string>()

  function expressionOf(source: string): CompiledExpression | undefined {
    if (paid.has(source)) return paid.get(source)
    const expression = compile(source)
    // Paid for also where it was compiled before: an answer must not depend on what others asked.
    const length = source.length + (expression?.size ?? 0)
    allowance.steps -= STEPS_TO_COMPILE + STEPS_PER_CHARACTER * length
    paid.set(source, expression)
    return expression
  }

  function match(source: string, text: string): boolean | undefined {
    if (allowance.steps < 0 || source.length > MAX_SOURCE) return undefined
    const expression = expressionOf(source)
    return expression && matches(expression, text, allowance)
  }

  return {
    unknown,
    get isSpent() {
      return allowance.steps < 0
    },
    match(source, text) {
      const answer = match(source, text)
      if (answer === undefined) unknown.add(source)
      return answer
    },
  }
}

function compile(source: string): CompiledExpression | undefined {
  const known = compiled.get(source)
  if (known) return known.expression
  const expression = compileExpression(source, MAX_SIZE)
  compiled.set(source, { expression })
  return expression
}
