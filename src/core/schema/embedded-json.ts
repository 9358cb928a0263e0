/** Objects and arrays that a model wrote as text, once too often encoded. */
import type { Repair } from '../issue.ts'
import { readJson } from '../json/read.ts'
import { parseStrict } from '../json/strict.ts'
import type { JsonValue } from '../json/value.ts'
import { isJsonObject } from '../json/value.ts'

export interface EmbeddedJson {
  /** An object or an array. */
  readonly value: JsonValue
  readonly repairs: readonly Repair[]
}

/** Text that is a JSON string of a JSON string is still read; more is not a model's slip. */
const MAX_LAYERS = 2

/**
 * The object or array that the whole text spells; undefined when it might be anything else.
 * `[label]: see below` is prose and stays so: nothing is guessed, dropped or added.
 */
export function decodeEmbedded(
  text: string,
  layers: number = MAX_LAYERS,
): EmbeddedJson | undefined {
  const source = text.trim()
  if (source.startsWith('"') && layers > 1) {
    const inner = parseStrict(source)
    return typeof inner === 'string' ? decodeEmbedded(inner, layers - 1) : undefined
  }
  return isBracketed(source) ? decodeBracketed(source) : undefined
}

function decodeBracketed(source: string): EmbeddedJson | undefined {
  const { value, complete, repairs } = readJson(source, { repair: 'safe' })
  const isMeant = source.startsWith('[') ? Array.isArray(value) : isJsonObject(value)
  if (value === undefined || !isMeant || !complete) return undefined
  return repairs.every(isHarmless) ? { value, repairs } : undefined
}

function isBracketed(source: string): boolean {
  const ends = `${source.at(0)}${source.at(-1)}`
  return ends === '{}' || ends === '[]'
}

// These change which characters belong to the value, so the text may not have been JSON at all.
function isHarmless({ code }: Repair): boolean {
  return code !== 'dropped-text' && code !== 'quoted-string' && !code.startsWith('added-')
}
