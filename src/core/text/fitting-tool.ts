/** What the schemas of the tools tell about a call that leaves something out. */
import { parseObject } from '../json/strict.ts'
import { isJsonObject, type JsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import type { ToolTable } from '../protocol.ts'

/** The one tool that takes these arguments; undefined when several do, or none. */
export function findFittingTool(tools: ToolTable, json: string): string | undefined {
  const keys = Object.keys(parseObject(json) ?? {})
  const fitting = tools.names.filter((name) => {
    const schema = tools.find(name)?.schema
    const declared = Object.keys(propertiesOf(schema))
    return keys.every((key) => declared.includes(key)) && requiredOf(schema).every(isAmong(keys))
  })
  return fitting.length === 1 ? fitting[0] : undefined
}

/** The parameter of a tool that has no other, or needs no other, if it takes text. */
export function soleTextParameter(schema: JsonSchema | undefined): string | undefined {
  const properties = propertiesOf(schema)
  const needed = requiredOf(schema)
  const [key = '', ...others] = needed.length > 0 ? needed : Object.keys(properties)
  const property = properties[key]
  const isText = isJsonObject(property) && property['type'] === 'string'
  return isText && others.length === 0 ? key : undefined
}

function propertiesOf(schema: JsonSchema | undefined): JsonObject {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined
  return isJsonObject(properties) ? properties : {}
}

function requiredOf(schema: JsonSchema | undefined): string[] {
  const required = isJsonObject(schema) ? schema['required'] : undefined
  return Array.isArray(required) ? required.map(String) : []
}

function isAmong(keys: readonly string[]): (key: string) => boolean {
  return (key) => keys.includes(key)
}
