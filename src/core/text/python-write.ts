/** Writes calls and values as Python. */
import { toValue } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'
import { writeJson } from '../json/write.ts'
import type { Protocol } from '../protocol.ts'

const IDENTIFIER = /^[A-Za-z_]\w*$/

/** Writes `get_weather(city="Oslo", days=3)` between what is given. */
export function writePythonCall(open: string, close: string, suffix = ''): Protocol['formatCall'] {
  return ({ name, arguments: args }) => `${open}${name}${suffix}(${writeArguments(args)})${close}`
}

/** Names that Python does not allow go into a dict. */
function writeArguments(args: object): string {
  // As JSON has it: what has no place there has none here.
  const entries = Object.entries(toValue(writeJson(args)) ?? {})
  const others = entries.filter(([key]) => !IDENTIFIER.test(key))
  return [
    ...entries
      .filter(([key]) => IDENTIFIER.test(key))
      .map(([key, value]) => `${key}=${writePython(value)}`),
    ...(others.length > 0 ? [`**${writeDict(others)}`] : []),
  ].join(', ')
}

function writePython(value: JsonValue): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(writePython).join(', ')}]`
  if (typeof value === 'object') return writeDict(Object.entries(value))
  // JSON's strings and numbers are Python's as well.
  return JSON.stringify(value)
}

function writeDict(members: readonly (readonly [string, JsonValue])[]): string {
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}: ${writePython(value)}`).join(', ')}}`
}
