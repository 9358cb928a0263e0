/** The arguments for a tool: from the words of a step where they say them, made up only where one is required. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { type Given, sampleArguments } from './sample-arguments.ts'
import { wordsOf } from './sample-words.ts'
import type { Step, StepValues } from './steps.ts'
import type { Chosen } from './tool-choice.ts'
import { isCode, type KnownTool, type Role } from './tool-kinds.ts'

export interface Circumstances {
  /** Where the agent works, as its instructions say. */
  readonly folder: string | undefined
  /** 1 for other values than the first time, where there are others. */
  readonly take: 0 | 1
  /** Quoted texts that no argument has used. */
  readonly texts: string[]
}

export function argumentsFor(
  { known, isNamed }: Chosen,
  step: Step,
  { folder, take, texts }: Circumstances,
): JsonObject {
  const values = valuesFor(known, step)
  const used = new Set<Role>()
  const isPlain = known.kind === undefined && !known.isRisky
  const hasOwnValues = Object.keys(step.values).length > 0
  const given: Given = (name, schema, isRequired) => {
    const role = takesText(schema) ? known.roleOf(name) : undefined
    const value = role === undefined || used.has(role) ? undefined : valueFor(role, values, step)
    if (role !== undefined && value !== undefined && (isRequired || isSaid(role, step))) {
      used.add(role)
      return shaped(role, inFolder(role, value, name, schema, folder), schema)
    }
    return (
      namedValue(name, schema, step) ??
      (isRequired ? saidFor(name, schema, step, isNamed) : undefined)
    )
  }
  return sampleArguments(known.tool.inputSchema, {
    take,
    given: take === 0 ? given : onlyNamed,
    // Where the step has said what it wants, or the tool was not named, other texts in quotes are not for it.
    texts: hasOwnValues || !(isNamed || isPlain) ? [] : texts,
    fillsOptional: isPlain,
  })
}

const onlyNamed: Given = () => undefined

function valueFor(role: Role, values: Values, { words }: Step): string | undefined {
  return role === 'words' ? shortened(words) : values[role]
}

/** An optional argument is filled only with what the user has said. */
function isSaid(role: Role, { values }: Step): boolean {
  return role !== 'words' && role !== 'patch' && values[role] !== undefined
}

type Values = { readonly [Name in keyof StepValues | 'patch']?: string | undefined }

/** What the step says, and what follows from it for a tool of another kind. */
function valuesFor({ kind }: KnownTool, { kind: wanted, values }: Step): Values {
  if (kind === 'shell') return { command: commandFor(wanted, values), ...values }
  if (kind === 'patch') return { ...values, patch: patchFor(values) }
  if (kind === 'list' || kind === 'search') return { dir: '.', ...values }
  if (kind === 'glob') return { pattern: '*', ...values }
  return values
}

// ── a step as a command, or as a patch ──────────────────────────────────────────────────────────

/** For agents that have nothing but a shell. Undefined for what cannot be said in a line. */
function commandFor(kind: Step['kind'], values: StepValues): string | undefined {
  const { path = '', dir = '.', pattern = '', query = '', content = '' } = values
  switch (kind) {
    case 'read':
      return `cat ${quote(path)}`
    case 'list':
      return dir === '.' ? 'ls' : `ls ${quote(dir)}`
    case 'find':
      return `find ${quote(dir)} -name ${quote(pattern.split('/').at(-1) ?? pattern)}`
    case 'search':
      return `grep -rn ${quote(query)} ${quote(dir)}`
    case 'write':
      return `printf '%s\\n' ${quote(content)} > ${quote(path)}`
    default:
      return undefined
  }
}

/** As one word of a shell. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

function patchFor({ path, content = '' }: StepValues): string | undefined {
  if (path === undefined) return undefined
  const lines = content.split('\n').map((line) => `+${line}`)
  return ['*** Begin Patch', `*** Add File: ${path}`, ...lines, '*** End Patch'].join('\n')
}

// ── values that the words give ──────────────────────────────────────────────────────────────────

/** Tools that want absolute paths say so. */
function inFolder(
  role: Role,
  value: string,
  name: string,
  { description }: JsonObject,
  folder: string | undefined,
): string {
  const isPlace = role === 'path' || role === 'dir'
  const wantsAbsolute = /absolute/i.test(`${name} ${String(description ?? '')}`)
  if (!isPlace || !wantsAbsolute || folder === undefined || /^(?:[\\/~]|[A-Za-z]:)/.test(value))
    return value
  return value === '.' ? folder : `${folder.replace(/\/$/, '')}/${value.replace(/^\.\//, '')}`
}

function takesText({ type }: JsonObject): boolean {
  return type === undefined || type === 'array' || [type].flat().includes('string')
}

function shaped(role: Role, value: string, { type }: JsonObject): JsonValue {
  if (type !== 'array') return value
  return role === 'command' ? ['bash', '-lc', value] : [value]
}

/** `limit 5`, `days: 7`, `recursive=true`, `3 days` */
function namedValue(name: string, schema: JsonObject, step: Step): JsonValue | undefined {
  const words = wordsOf(name).replaceAll(' ', '[\\s_-]?')
  if (words === '' || isCode(name)) return undefined
  const text = step.bare
  const { type } = schema
  if (type === 'integer' || type === 'number') {
    const after = new RegExp(
      `\\b${words}\\s*(?::|=|of|is|to)?\\s*(-?\\d+(?:\\.\\d+)?)\\b`,
      'i',
    ).exec(text)
    const before = new RegExp(`\\b(\\d+(?:\\.\\d+)?)\\s+${words}\\b`, 'i').exec(text)
    const number = after?.[1] ?? before?.[1]
    return number === undefined ? undefined : Number(number)
  }
  const said = new RegExp(`\\b${words}\\s*[:=]\\s*([^\\s,;]+)`, 'i').exec(text)?.[1]
  if (said === undefined) return undefined
  return type === 'boolean' ? /^(?:true|yes|on)$/i.test(said) : said.replace(/[.]$/, '')
}

const CAPITALISED = String.raw`(\p{Lu}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*)*)`

/** By the words in the name of an argument: where in a sentence its value is. */
const SAID: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/\b(?:origin|departure|from|source)\b/, new RegExp(`\\bfrom\\s+${CAPITALISED}`, 'u')],
  [/\b(?:destination|arrival|to)\b/, new RegExp(`\\bto\\s+${CAPITALISED}`, 'u')],
  [
    /\b(?:city|town|location|place|country|region|address|where)\b/,
    new RegExp(`\\b(?:in|at|for|near|of|to)\\s+${CAPITALISED}`, 'u'),
  ],
  [/\b(?:url|uri|link|href|website)\b/, /(https?:\/\/[^\s<>"']+)/],
  [/\b(?:email|mail|recipient)\b/, /([\w.+-]+@[\w-]+(?:\.[\w-]+)+)/],
  [/\b(?:date|day|since|until)\b/, /\b(\d{4}-\d{2}-\d{2})\b/],
  [/\b(?:query|q|search|keywords?|term|topic|subject)\b/, /\b(?:for|about|on|of)\s+(.+?)[.?!]?$/],
  [/\b(?:id|number|order|ticket|issue)\b/, /\b([A-Z]*-?\d[\w-]*)\b/],
]

/** For arguments that are required, and code only if the user named the tool: then the quotes are for it. */
function saidFor(
  name: string,
  { type }: JsonObject,
  step: Step,
  isNamed: boolean,
): JsonValue | undefined {
  if (isCode(name)) return isNamed ? undefined : HARMLESS
  if (step.quoted.length > 0 || (type !== undefined && type !== 'string')) return undefined
  const words = wordsOf(name)
  for (const [expression, value] of SAID) {
    const found = expression.test(words) ? value.exec(step.words)?.[1] : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** A program that does nothing in most languages. */
const HARMLESS = 'true'

const MAX_WORDS = 80

function shortened(words: string): string {
  const line = words.split('\n', 1)[0] ?? ''
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS - 1)}…` : line
}
