/** The properties of a configuration file as tables, from its schema. */
import type { JsonPath } from '../src/core/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../src/core/json/value.ts'
import { CONFIG_VARIABLES } from '../src/gateway/config/environment.ts'
import { configSchema } from '../src/gateway/config/schema.ts'
import { schemasAt } from '../src/gateway/config/schema-at.ts'

/** Titles and what they are about; `*` and 0 stand for any name and any item. */
const SECTIONS: readonly (readonly [title: string, path: JsonPath])[] = [
  ['The file', []],
  ['`log`', ['log']],
  ['`tls`', ['tls']],
  ['`turns`', ['turns']],
  ['`providers.<name>`', ['providers', '*']],
  ['`providers.<name>.timeouts`', ['providers', '*', 'timeouts']],
  ['`models.<name>`', ['models', '*']],
  ['`models.<name>.chain[]`', ['models', '*', 'chain', 0]],
  ['`keys[]`', ['keys', 0]],
  ['`keys[].budget`', ['keys', 0, 'budget']],
  ['`prices.<model>`', ['prices', '*']],
  ['`limits`', ['limits']],
  ['`rescue`', ['rescue']],
  ['`webSearch`', ['webSearch']],
]

export function configTables(): string {
  const schema = configSchema()
  return SECTIONS.map(([title, path]) => `### ${title}\n\n${tableOf(schema, path)}`).join('\n\n')
}

function tableOf(root: JsonObject, path: JsonPath): string {
  const object = schemasAt(root, path).find(
    ({ properties, additionalProperties }) => properties && additionalProperties === false,
  )
  const required = Array.isArray(object?.['required']) ? object['required'] : []
  const properties = isJsonObject(object?.['properties']) ? Object.keys(object['properties']) : []
  const rows = properties.map((name) =>
    row(root, [...path, name], required.includes(name) ? 'required' : undefined),
  )
  return ['| property | values | default | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

function row(root: JsonObject, path: JsonPath, demand: string | undefined): string {
  const schemas = schemasAt(root, path)
  const read = (keyword: string): JsonValue | undefined =>
    schemas.map((schema) => schema[keyword]).find((value) => value !== undefined)
  const usual = read('default')
  const shown = usual === undefined ? '' : `\`${JSON.stringify(usual)}\``
  const meaning = `${String(read('description'))}${variableFor(path)}`
  const cells = [`\`${path.at(-1)}\``, valuesOf(schemas), demand ?? shown, meaning]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`
}

/** Longer lists have pages of their own. */
const MAX_MEMBERS = 8

function valuesOf(schemas: readonly JsonObject[]): string {
  const choice = schemas.find((schema) => Array.isArray(schema['enum']))
  const members = Array.isArray(choice?.['enum']) ? choice['enum'] : []
  if (members.length > MAX_MEMBERS) return `id of a ${String(choice?.['title'])}`
  if (members.length > 0) return members.map((member) => `\`${String(member)}\``).join(', ')
  const types = schemas.flatMap(({ type }) => (typeof type === 'string' ? [wordFor(type)] : []))
  return [...new Set(types)].join(', ')
}

function wordFor(type: string): string {
  return type === 'array' ? 'list' : type
}

function variableFor(path: JsonPath): string {
  const found = CONFIG_VARIABLES.find((variable) => variable.path.join() === path.join())
  return found ? ` Variable: ${found.names.map((name) => `\`${name}\``).join(', ')}.` : ''
}
