/** What YAML stands for, with or without a schema. */
import type { Repair } from '../issue.ts'
import { parseStrict } from '../json/strict.ts'
import type { JsonValue } from '../json/value.ts'
import type { SchemaView } from '../options.ts'
import type { YamlNode } from './node.ts'
import { parseYaml } from './parse.ts'

/** The value that a text spells in YAML; undefined when it is not YAML. */
export function readYaml(source: string): JsonValue | undefined {
  const node = parseYaml(source)
  return node && yamlValue(node, undefined, [])
}

/** The value of a node: a schema says what plain words are; without one they say it themselves. */
export function yamlValue(
  node: YamlNode,
  view: SchemaView | undefined,
  repairs: Repair[],
): JsonValue {
  switch (node.kind) {
    case 'text':
      return node.text
    case 'plain':
      return plainValue(node.text, view, repairs)
    case 'list':
      return node.items.map((item, at) => yamlValue(item, view?.item(at), repairs))
    default:
      // Not by assignment: a key may be `__proto__`.
      return Object.fromEntries(
        node.entries.map(([key, value]) => [key, yamlValue(value, view?.property(key), repairs)]),
      )
  }
}

function plainValue(text: string, view: SchemaView | undefined, repairs: Repair[]): JsonValue {
  // A home directory is a text.
  if (/^(?:null)?$/i.test(text) || (text === '~' && !view?.accepts('string'))) return null
  if (!view) return plainWord(text)
  const typed = view.read(text)
  repairs.push(...typed.repairs)
  return typed.value
}

function plainWord(text: string): JsonValue {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  const number = parseStrict(text)
  return typeof number === 'number' ? number : text
}
