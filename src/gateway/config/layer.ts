/** One of the places a configuration comes from. Later layers count more than earlier ones. */
import type { JsonPath } from '../../core/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Finding } from './problem.ts'
import { valueAt } from './shape.ts'

export type Place = Pick<Finding, 'path' | 'isAboutName'>

export interface Layer {
  readonly value: JsonObject
  /** The file, the variable or the option that says what is at a path. */
  source(path: JsonPath): string
  /** The same with line and column, where there are any. */
  where(finding: Place): string
  /** Orders problems as they stand in the file. */
  order(finding: Place): number
  /** What is wrong with it before anybody asks what it means. */
  readonly findings: readonly Finding[]
  /** Keys of the paths whose values are not to be shown. */
  readonly quiet: ReadonlySet<string>
  readonly secrets: readonly string[]
}

/** Objects are put together, everything else is replaced. */
export function mergeLayers(layers: readonly Layer[]): JsonObject {
  return layers.reduce<JsonObject>((below, { value }) => mergeObjects(below, value), {})
}

function mergeObjects(below: JsonObject, above: JsonObject): JsonObject {
  const entries = Object.entries(above).map(([key, value]): [string, JsonValue] => {
    const under = Object.hasOwn(below, key) ? below[key] : undefined
    return [key, isJsonObject(under) && isJsonObject(value) ? mergeObjects(under, value) : value]
  })
  return { ...below, ...Object.fromEntries(entries) }
}

/** Who said what is at a path, or else what is around it. */
export function layerOf(layers: readonly Layer[], path: JsonPath): Layer | undefined {
  for (let length = path.length; length > 0; length--) {
    const here = path.slice(0, length)
    const layer = layers.findLast(({ value }) => valueAt(value, here) !== undefined)
    if (layer) return layer
  }
  return layers[0]
}

/** A copy with the value at the path; objects on the way are made. */
export function withValueAt(object: JsonObject, path: JsonPath, value: JsonValue): JsonObject {
  const [step, ...rest] = path
  if (step === undefined) return object
  if (rest.length === 0) return { ...object, [step]: value }
  const inner = object[step]
  return { ...object, [step]: withValueAt(isJsonObject(inner) ? inner : {}, rest, value) }
}
