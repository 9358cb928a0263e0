/** What a caller passed and cannot be used. Short: this is in every bundle. */
import { InvalidInputError } from './errors.ts'

export function refused(name: string, value: unknown, wanted: string): InvalidInputError {
  return new InvalidInputError(`${name} cannot be ${shown(value)}; it takes ${wanted}`)
}

/** @throws InvalidInputError for what is not text. */
export function checkText(name: string, text: unknown, wanted = 'text'): void {
  if (typeof text !== 'string') throw refused(name, text, wanted)
}

/** @throws InvalidInputError for what is not an object with fields. */
export function checkObject(name: string, value: unknown, wanted: string): void {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject || isPending(value) || isResponse(value)) throw refused(name, value, wanted)
}

/** @throws InvalidInputError for what is not a list. */
export function checkList(name: string, value: unknown, wanted: string): void {
  if (!Array.isArray(value)) throw refused(name, value, wanted)
}

/** @throws InvalidInputError for what cannot be called. */
export function checkFunction(name: string, value: unknown, wanted = 'a function'): void {
  if (typeof value !== 'function') throw refused(name, value, wanted)
}

/** @throws InvalidInputError for what is not the table that `openers` of a protocol is given. */
export function checkTable(tools: unknown): void {
  checkObject('tools', tools, 'the table that openers(tools) is given')
}

/** A promise that somebody forgot to await. */
export function isPending(value: unknown): boolean {
  return typeof fieldsOf(value)['then'] === 'function'
}

/** What `fetch` gives, before its body was read. */
export function isResponse(value: unknown): boolean {
  const { json, text, headers } = fieldsOf(value)
  return typeof json === 'function' && typeof text === 'function' && headers !== undefined
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  // The cast: whatever it is, its fields are looked at one by one.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

const MAX_SHOWN = 40

/** A value in an error message: text as it is, and of the rest what it is. */
function shown(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value)
  }
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  if (isPending(value)) return 'a Promise (await it)'
  if (isResponse(value)) return 'a Response (pass await response.json())'
  return Object(value) === value ? 'an object' : String(value)
}
