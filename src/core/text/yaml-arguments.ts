/** Arguments written as YAML, or as JSON, which is YAML as well. */
import type { Repair } from '../issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import type { SchemaView } from '../options.ts'
import type { ReadContext } from '../protocol.ts'
import { readYaml } from '../yaml/read.ts'

export interface YamlArguments {
  readonly value: JsonObject
  readonly repairs: readonly Repair[]
}

const FENCED = /^\s*```\w*\r?\n([\s\S]*)```\s*$/

/** Undefined: the text is no map, and cannot be taken for one. */
export function readYamlArguments(
  source: string,
  schema: JsonSchema | undefined,
  { fit, repair }: Pick<ReadContext, 'fit' | 'repair'>,
): YamlArguments | undefined {
  const repairs: Repair[] = []
  const body = source.replace(FENCED, '$1')
  const view = schema === undefined ? undefined : fit?.view(schema)
  const read = readYaml(body, view, repairs)
  const canGuess = read === undefined && view && repair === 'guess'
  const value = canGuess ? salvage(body, view, repairs) : read
  if (value === null) return { value: {}, repairs }
  return isJsonObject(value) ? { value, repairs } : undefined
}

const ENTRY = /^[ \t]*(?:"([^"\n]*)"|([\w$.-]+))[ \t]*:(?:[ \t]|\r?$)/
/** Lines that should have been indented. */
const BLOCK_MARK = /^[|>][+-]?[ \t]*\r?\n/

/**
 * Text that should have been quoted or indented: it goes as far as the next line that begins with an
 * argument of the tool.
 */
function salvage(body: string, view: SchemaView, repairs: Repair[]): JsonObject | undefined {
  const values = new Map<string, JsonValue>()
  for (const [key, lines] of chunksOf(body, view)) {
    const [parsed, ...others] = Object.entries(readYaml(lines, view, repairs) ?? {})
    const isWhole = parsed?.[0] === key && others.length === 0
    const text = rawText(lines)
    const isText = view.property(key)?.accepts('string') && !/^[[{]/.test(text)
    if (values.has(key) || !(isWhole || isText)) return undefined
    if (!isWhole) repairs.push({ code: 'quoted-string', path: [key], risk: 'guess' })
    values.set(key, isWhole ? parsed[1] : text)
  }
  return values.size > 0 ? Object.fromEntries(values) : undefined
}

/** The lines of each argument. */
function chunksOf(body: string, view: SchemaView): [key: string, lines: string][] {
  const chunks: [string, string][] = []
  for (const line of body.split(/(?<=\n)/)) {
    const [, quoted, plain] = ENTRY.exec(line) ?? []
    const key = quoted ?? plain
    const last = chunks.at(-1)
    if (key !== undefined && view.property(key)) chunks.push([key, line])
    else if (last) last[1] += line
  }
  return chunks
}

/** All of several lines; one line without its end. */
function rawText(lines: string): string {
  const text = lines.replace(ENTRY, '').replace(BLOCK_MARK, '')
  const isOneLine = !text.trimEnd().includes('\n')
  return isOneLine ? text.trim() : text
}
