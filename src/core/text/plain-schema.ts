/** What the schema of a tool says as far as it is written plainly, for calls that leave something out. */
import { parseObject } from '../json/strict.ts'
import { isJsonObject, type JsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import type { ToolTable } from '../protocol.ts'

export interface PlainSchema {
  /** The parameters that are declared. */
  readonly keys: readonly string[]
  readonly required: readonly string[]
  /** True for a parameter that takes text and nothing else. */
  isText(key: string): boolean
}

export function plainSchema(schema: JsonSchema | undefined): PlainSchema {
  const { properties, required }: Partial<JsonObject> = isJsonObject(schema) ? schema : {}
  const declared = isJsonObject(properties) ? properties : {}
  return {
    keys: Object.keys(declared),
    required: Array.isArray(required) ? required.map(String) : [],
    isText(key) {
      const property = declared[key]
      return isJsonObject(property) && property['type'] === 'string'
    },
  }
}

/** The one tool that takes these arguments; undefined when several do, or none. */
export function findFittingTool(tools: ToolTable, json: string): string | undefined {
  const given = Object.keys(parseObject(json) ?? {})
  const fitting = tools.names.filter((name) => {
    const { keys, required } = plainSchema(tools.find(name)?.schema)
    return given.every((key) => keys.includes(key)) && required.every((key) => given.includes(key))
  })
  return fitting.length === 1 ? fitting[0] : undefined
}

/** The parameter of a tool that has no other, or needs no other, if it takes text. */
export function soleTextParameter(schema: JsonSchema | undefined): string | undefined {
  const { keys, required, isText } = plainSchema(schema)
  return onlyText(required.length > 0 ? required : keys, isText)
}

/** The same, also where others may be given that take no text. */
export function mainTextParameter(schema: JsonSchema | undefined): string | undefined {
  const { keys, required, isText } = plainSchema(schema)
  return onlyText(required.length > 0 ? required : keys.filter(isText), isText)
}

function onlyText(keys: readonly string[], isText: PlainSchema['isText']): string | undefined {
  const [only = '', ...others] = keys
  return others.length === 0 && isText(only) ? only : undefined
}
