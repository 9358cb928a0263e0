import { parseStrict } from '../core/json/strict.ts'

/** The value of a JSON text; the text itself when it is none, or nests too deeply to be walked. */
export function parsed(text: string): unknown {
  const value = parseStrict(text)
  return value === undefined ? text : value
}
