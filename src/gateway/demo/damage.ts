/** What goes wrong with calls on their way from a model to a client. Each of these is mended. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { SampledCall } from './asked.ts'

export interface Damage {
  /** Completes "a call with …". */
  readonly about: string
  /** True: only a message that holds nothing else can still be understood. */
  readonly alone?: boolean
  /** The text as it is when there is nothing in it to damage. */
  apply(text: string, call: SampledCall): string
}

/** The arguments as Python prints them. */
export const singleQuotes: Damage = {
  about: 'single quotes and the literals of Python',
  apply: (text, call) => damageJson(text, call, () => writePython(call.arguments)),
}

export const trailingComma: Damage = {
  about: 'a comma too many',
  apply: (text, call) => damageJson(text, call, (json) => `${json.slice(0, -1)},}`),
}

export const missingBracket: Damage = {
  about: 'a bracket too few',
  apply: (text, call) => damageJson(text, call, (json) => json.slice(0, -1)),
}

const LAST_MARKER = /\s*(?:<[^<>]*>|```|~~~)$/
const FIRST_MARKER = /^(?:<[^<>]*>|\[\w+\])\s*/

export const missingCloser: Damage = {
  about: 'no closing marker',
  apply: (text) => text.replace(LAST_MARKER, ''),
}

export const missingClosers: Damage = {
  about: 'no closing markers',
  apply: (text) => text.replace(LAST_MARKER, '').replace(LAST_MARKER, ''),
}

export const missingOpener: Damage = {
  about: 'no opening marker around it',
  apply: (text) => text.replace(FIRST_MARKER, ''),
}

/** Servers leave special tokens out, and with them what says that it is a call. */
export const strippedTokens: Damage = {
  about: 'no special tokens any more',
  alone: true,
  apply: (text) => text.replace(/<[|｜][^<>]*[|｜]>|^\[[A-Z_]+\]\s*/g, ''),
}

/** Without the last `marker`. */
export function without(marker: string, about: string): Damage {
  return { about, apply: (text) => replaceLast(text, marker, '') }
}

/** For formats whose arguments are not plain JSON. */
export function commaBefore(bracket: string): Damage {
  return { about: 'a comma too many', apply: (text) => replaceLast(text, bracket, `,${bracket}`) }
}

function replaceLast(text: string, part: string, by: string): string {
  const at = text.lastIndexOf(part)
  return at === -1 ? text : text.slice(0, at) + by + text.slice(at + part.length)
}

function damageJson(
  text: string,
  { arguments: args }: SampledCall,
  rewrite: (json: string) => string,
): string {
  const json = JSON.stringify(args)
  return text.replace(json, () => rewrite(json))
}

function writePython(value: JsonValue): string {
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[${value.map(writePython).join(', ')}]`
  if (typeof value === 'object' && value !== null) return `{${writeEntries(value)}}`
  return LITERALS[String(value)] ?? String(value)
}

const LITERALS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }

function writeEntries(object: JsonObject): string {
  return Object.entries(object)
    .map(([key, value]) => `${quote(key)}: ${writePython(value)}`)
    .join(', ')
}

function quote(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inside}'`
}
