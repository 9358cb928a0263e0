/** Damage to JSON and to bytes, from one wrong value to a hundred thousand brackets. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/json/value.ts'
import type { Dice } from './dice.ts'

/** Values that a reader of JSON may not expect where they occur. */
const ODD_VALUES: readonly [JsonValue, ...JsonValue[]] = [
  null,
  true,
  0,
  -1,
  1e308,
  Number.MAX_SAFE_INTEGER + 1,
  '',
  ' ',
  'null',
  '\u0000',
  '\ud800',
  '../..',
  '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>',
  '<think>',
  'data: [DONE]\n\n',
  '{"a": 1',
  [],
  [[]],
  [null],
  {},
  { type: 'function' },
  { type: 'no_such_type' },
  { text: null },
]

/** Names that have a meaning for objects, for us or for a provider. */
const ODD_KEYS = [
  '__proto__',
  'constructor',
  'toString',
  '',
  'type',
  'content',
  'tool_calls',
  'error',
] as const

/** Deeper than any request of a person, and no deeper than `JSON.stringify` can write three times over. */
const DEEP = 1000

/** A copy with up to three random changes. */
export function mutatedJson(value: JsonValue, dice: Dice): JsonValue {
  let next = value
  for (let count = 1 + dice.below(3); count > 0; count--) next = changedSomewhere(next, dice)
  return next
}

function changedSomewhere(value: JsonValue, dice: Dice): JsonValue {
  if (Array.isArray(value) && value.length > 0 && dice.chance(0.85)) {
    const at = dice.below(value.length)
    // A member of a list that is not empty.
    return value.with(at, changedSomewhere(value[at] as JsonValue, dice))
  }
  if (isJsonObject(value) && dice.chance(0.85)) {
    const keys = Object.keys(value)
    const key = keys[dice.below(keys.length)]
    if (key !== undefined) {
      return withEntry(value, key, changedSomewhere(value[key] as JsonValue, dice))
    }
  }
  return replaced(value, dice)
}

function withEntry(object: JsonObject, key: string, value: JsonValue): JsonObject {
  return Object.fromEntries([...Object.entries(object), [key, value]])
}

function replaced(value: JsonValue, dice: Dice): JsonValue {
  switch (dice.below(8)) {
    case 0:
      return Array.from({ length: 1 + dice.below(dice.chance(0.02) ? 5000 : 4) }, () => value)
    case 1:
      return nested(value, dice.chance(0.05) ? DEEP : 1 + dice.below(40), dice)
    case 2:
      return isJsonObject(value) ? withEntry(value, dice.pick(ODD_KEYS), odd(dice)) : odd(dice)
    case 3:
      return isJsonObject(value) ? withoutEntry(value, dice) : odd(dice)
    case 4:
      return typeof value === 'string' ? longer(value, dice) : odd(dice)
    case 5:
      return JSON.stringify(value)
    default:
      return odd(dice)
  }
}

function odd(dice: Dice): JsonValue {
  return dice.pick(ODD_VALUES)
}

function withoutEntry(object: JsonObject, dice: Dice): JsonObject {
  const entries = Object.entries(object)
  return Object.fromEntries(entries.toSpliced(dice.below(entries.length), 1))
}

function longer(text: string, dice: Dice): string {
  const unit = text === '' ? 'a' : text.slice(0, 64)
  return unit.repeat(1 + dice.below(dice.chance(0.02) ? 20_000 : 20))
}

function nested(value: JsonValue, depth: number, dice: Dice): JsonValue {
  let next = value
  const isList = dice.chance(0.5)
  for (let level = 0; level < depth; level++) next = isList ? [next] : { a: next }
  return next
}

/** JSON of a depth that overflows the stack of whoever follows it by recursion. */
export function deepText(dice: Dice): string {
  const depth = dice.pick([10_000, 100_000])
  const [open, close] = dice.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ])
  return `${open.repeat(depth)}1${close.repeat(depth)}`
}

const MARKS = ['\n', '\r\n', '\n\n', '\ufeff', 'data: ', '{', '}', '[', '"', '\\', '\u0000']

/** A copy with up to three random changes. */
export function mutatedBytes(bytes: Uint8Array, dice: Dice): Uint8Array {
  let next: Buffer = Buffer.from(bytes)
  for (let count = 1 + dice.below(3); count > 0; count--) next = changedBytes(next, dice)
  return next
}

function changedBytes(bytes: Buffer, dice: Dice): Buffer {
  const at = dice.below(bytes.length + 1)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (dice.below(6)) {
    case 0:
      return before
    case 1:
      return after
    case 2: {
      const length = 1 + dice.below(16)
      return Buffer.concat([before, after.subarray(length)])
    }
    case 3: {
      const again = after.subarray(0, 1 + dice.below(200))
      return Buffer.concat([before, again, after])
    }
    case 4: {
      const mark = Buffer.from(MARKS[dice.below(MARKS.length)] ?? '')
      return Buffer.concat([before, mark, after])
    }
    default: {
      const noise = Buffer.from(Array.from({ length: 1 + dice.below(8) }, () => dice.below(256)))
      return Buffer.concat([before, noise, after.subarray(noise.length)])
    }
  }
}
