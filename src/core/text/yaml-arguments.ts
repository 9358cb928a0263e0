/** Arguments written as YAML, or as JSON, which is YAML as well. */
import type { Repair } from '../issue.ts'
import { readJson } from '../json/read.ts'
import { isJsonObject, type JsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import type { Fit, RepairLevel, SchemaView } from '../options.ts'
import type { YamlNode } from '../yaml/node.ts'
import { parseYaml } from '../yaml/parse.ts'
import { yamlValue } from '../yaml/value.ts'

export interface YamlArguments {
  readonly value: JsonObject
  readonly repairs: readonly Repair[]
  /** True when the last key has no value yet. */
  readonly isOpen: boolean
}

interface Reading {
  readonly fit: Fit | undefined
  readonly repair: RepairLevel
}

type Entries = (YamlNode & { kind: 'map' })['entries']

/** Undefined: the text is no map, and cannot be taken for one. */
export function readYamlArguments(
  body: string,
  schema: JsonSchema | undefined,
  { fit, repair }: Reading,
): YamlArguments | undefined {
  const repairs: Repair[] = []
  if (/^\s*\{/.test(body)) {
    const json = readJson(body, { repair })
    const isWhole = json.complete && isJsonObject(json.value)
    if (isWhole) return { value: json.value, repairs: json.repairs, isOpen: false }
  }
  const view = schema === undefined ? undefined : fit?.view(schema)
  const entries = entriesOf(parseYaml(body)) ?? salvage(body, view, repair, repairs)
  if (!entries) return undefined
  const last = entries.at(-1)?.[1]
  const value = yamlValue({ kind: 'map', entries }, view, repairs)
  const isOpen = last?.kind === 'plain' && last.text === ''
  return isJsonObject(value) ? { value, repairs, isOpen } : undefined
}

function entriesOf(node: YamlNode | undefined): Entries | undefined {
  if (node?.kind === 'plain' && node.text === '') return []
  return node?.kind === 'map' ? node.entries : undefined
}

/** Lines that should have been indented. */
const BLOCK_MARK = /^[|>][+-]?[ \t]*\r?\n/
const ENTRY = /^[ \t]*(?:"([^"\n]*)"|([\w$.-]+))[ \t]*:(?:[ \t]|\r?$)/

/**
 * Text that should have been quoted or indented: it goes as far as the next line that begins with an
 * argument of the tool.
 */
function salvage(
  body: string,
  view: SchemaView | undefined,
  level: RepairLevel,
  repairs: Repair[],
): Entries | undefined {
  if (!view || level !== 'guess') return undefined
  const entries = new Map<string, YamlNode>()
  for (const [key, lines] of chunksOf(body, view)) {
    const [parsed, ...others] = entriesOf(parseYaml(lines)) ?? []
    const isWhole = parsed?.[0] === key && others.length === 0
    const text = rawText(lines)
    const isText = view.property(key)?.accepts('string') && !/^[[{]/.test(text)
    if (entries.has(key) || !(isWhole || isText)) return undefined
    if (!isWhole) repairs.push({ code: 'quoted-string', path: [key], risk: 'guess' })
    entries.set(key, isWhole ? parsed[1] : { kind: 'text', text })
  }
  return entries.size > 0 ? [...entries] : undefined
}

/** The lines of each argument. */
function chunksOf(body: string, view: SchemaView): [key: string, lines: string][] {
  const chunks: [string, string[]][] = []
  const known = new Map<string, boolean>()
  for (const line of body.split(/(?<=\n)/)) {
    const [, quoted, plain] = ENTRY.exec(line) ?? []
    const key = quoted ?? plain
    if (key !== undefined) {
      const isArgument = known.get(key) ?? view.property(key) !== undefined
      known.set(key, isArgument)
      if (isArgument) chunks.push([key, []])
    }
    chunks.at(-1)?.[1].push(line)
  }
  return chunks.map(([key, lines]) => [key, lines.join('')])
}

/** All of several lines; one line without its end. */
function rawText(lines: string): string {
  const text = lines.replace(ENTRY, '').replace(BLOCK_MARK, '')
  const isOneLine = !text.trimEnd().includes('\n')
  return isOneLine ? text.trim() : text
}
