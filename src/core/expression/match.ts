/**
 * Tries expressions on texts by following all ways through the program at once (Thompson's simulation): each
 * character costs at most one visit of each instruction, whatever the expression. So the time is bounded by the
 * length of the text times the size of the program, and what is really spent is counted.
 *
 * Look-around costs one more pass over the text for each: first it is found out at which places it succeeds.
 */
import {
  type CharacterClass,
  CLASS,
  type CompiledExpression,
  END,
  JUMP,
  LITERAL,
  PLACE,
  type Program,
  SPLIT,
} from './program.ts'
import { PLACES, type Syntax } from './syntax.ts'

/** Visits of instructions that are left. */
export interface Allowance {
  steps: number
}

interface Input {
  readonly codes: readonly number[]
  /** For each look that was tried, the places at which it succeeds. */
  readonly looks: Uint8Array[]
  readonly allowance: Allowance
}

/** What preparing a text and a scan costs, in visits: one for so many characters or instructions. */
const PREPARED_AT_ONCE = 4

const LAST_CODE_UNIT = 0xffff

/** Undefined when the allowance is used up before that is known. */
export function matches(
  { program, looks, flags, size }: CompiledExpression,
  text: string,
  allowance: Allowance,
): boolean | undefined {
  allowance.steps -= Math.ceil((size + text.length * (looks.length + 1)) / PREPARED_AT_ONCE)
  if (allowance.steps < 0) return undefined
  const input: Input = { codes: codesOf(text, flags), looks: [], allowance }
  for (const { program, negated } of looks) {
    const places = new Uint8Array(input.codes.length + 1).fill(negated ? 1 : 0)
    scan(program, input, (at) => {
      places[at] = negated ? 0 : 1
      return false
    })
    input.looks.push(places)
  }
  const isFound = scan(program, input, () => true)
  return allowance.steps < 0 ? undefined : isFound
}

function codesOf(text: string, flags: Syntax['flags']): number[] {
  const codes: number[] = []
  for (let at = 0; at < text.length; at++) {
    const code = flags === 'u' ? (text.codePointAt(at) ?? 0) : text.charCodeAt(at)
    codes.push(code)
    if (code > LAST_CODE_UNIT) at += 1
  }
  return codes
}

/** Reports every place at which a match ends, until the answer is yes or the allowance is used up. */
function scan(program: Program, input: Input, found: (at: number) => boolean): boolean {
  const { operations, first, second, classes, isBackward } = program
  const { codes, looks, allowance } = input
  const { length } = codes
  const size = operations.length
  /** The number of the place, from 1, at which an instruction was last visited. */
  const visited = new Int32Array(size)
  /** Instructions that are reached at a place and not visited yet; each one puts at most two here. */
  const open = new Int32Array(2 * size + 1)
  /** Instructions that wait for a character. */
  const waiting = new Int32Array(size)

  // The casts below: all numbers are those of instructions and classes that are there.
  for (let passed = 0, reached = 0; passed <= length && allowance.steps >= 0; passed++) {
    const at = isBackward ? length - passed : passed
    const mark = passed + 1
    let isEnd = false
    let waits = 0
    let visits = 0
    // A match may begin anywhere.
    open[reached++] = 0
    while (reached > 0) {
      const next = open[--reached] as number
      if (visited[next] === mark) continue
      visited[next] = mark
      visits += 1
      const operation = operations[next] as number
      const argument = first[next] as number
      if (operation <= CLASS) waiting[waits++] = next
      else if (operation === JUMP) open[reached++] = argument
      else if (operation === SPLIT) {
        open[reached++] = second[next] as number
        open[reached++] = argument
      } else if (operation === END) isEnd = true
      else if (operation === PLACE ? isAt(argument, codes, at) : looks[argument]?.[at] === 1) {
        open[reached++] = next + 1
      }
    }
    allowance.steps -= visits
    if (isEnd && found(at)) return true
    if (passed === length) break
    const code = codes[isBackward ? at - 1 : at] as number
    for (let one = 0; one < waits; one++) {
      const next = waiting[one] as number
      const wanted = first[next] as number
      const isLiteral = operations[next] === LITERAL
      if (isLiteral ? wanted === code : (classes[wanted] as CharacterClass).has(code)) {
        open[reached++] = next + 1
      }
    }
  }
  return false
}

function isAt(place: number, codes: readonly number[], at: number): boolean {
  if (PLACES[place] === '^') return at === 0
  if (PLACES[place] === '$') return at === codes.length
  const isBoundary = isWord(codes[at - 1]) !== isWord(codes[at])
  return isBoundary === (PLACES[place] === '\\b')
}

const WORD = /\w/

function isWord(code: number | undefined): boolean {
  return code !== undefined && WORD.test(String.fromCodePoint(code))
}
