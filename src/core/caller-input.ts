/** What a caller passed and cannot be meant. Short: this is in every bundle. */
import { InvalidInputError } from './errors.ts'

export function refused(name: string, value: unknown, wanted: string): InvalidInputError {
  return new InvalidInputError(`${name} cannot be ${String(value)}; it takes ${wanted}`)
}

/** @throws InvalidInputError for what is no text. */
export function checkText(name: string, text: unknown, wanted = 'text'): void {
  if (typeof text !== 'string') throw refused(name, text, wanted)
}
