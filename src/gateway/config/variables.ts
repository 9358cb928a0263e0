/** Environment variables in the strings of a configuration: `${NAME}` and `${NAME:-default}`. */
import type { Environment } from '../../client/endpoint.ts'
import type { JsonPath } from '../../core/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { type Finding, pathKey } from './problem.ts'
import { schemasAt } from './schema-at.ts'

export interface FilledIn {
  readonly value: JsonValue
  readonly findings: readonly Finding[]
  /** What the environment said, which is not to be shown. */
  readonly secrets: readonly string[]
  /** Keys of the paths whose strings had variables in them. */
  readonly touched: ReadonlySet<string>
}

/** `$${` is how a string says `${`. */
const REFERENCE = /\$\$\{|\$\{([^}]*)\}/g
const NAME = /^([A-Za-z_]\w*)(?::-([\s\S]*))?$/

/** Where the schema wants a number or a yes or no, a string that is one reference becomes one. */
export function fillInVariables(given: JsonValue, env: Environment, schema: JsonObject): FilledIn {
  const findings: Finding[] = []
  const secrets: string[] = []
  const touched = new Set<string>()

  function fillText(text: string, path: JsonPath): string {
    return text.replace(REFERENCE, (reference, inner: string | undefined) => {
      if (inner === undefined) return '${'
      touched.add(pathKey(path))
      const [, name, usual] = NAME.exec(inner) ?? []
      const value = name === undefined ? undefined : env[name] || usual
      if (value !== undefined) {
        secrets.push(value)
        return value
      }
      findings.push({ path, message: whyEmpty(name) })
      return reference
    })
  }

  function fill(value: JsonValue, path: JsonPath): JsonValue {
    if (typeof value === 'string') {
      const text = fillText(value, path)
      const isReference = /^\$\{[^}]*\}$/.test(value)
      return isReference ? fitted(text, schemasAt(schema, path)) : text
    }
    if (Array.isArray(value)) return value.map((item, at) => fill(item, [...path, at]))
    if (!isJsonObject(value)) return value
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([key, item]) => [key, fill(item, [...path, key])]))
  }

  return { value: fill(given, []), findings, secrets, touched }
}

function whyEmpty(name: string | undefined): string {
  if (name === undefined) return `write \${NAME} or \${NAME:-default}; $\${ stands for \${ itself`
  return `the environment variable ${name} is not set; set it, or write \${${name}:-default}`
}

function fitted(text: string, schemas: readonly JsonObject[]): JsonValue {
  const types = schemas.map(({ type }) => type)
  if (types.includes('string')) return text
  const wantsNumber = types.includes('integer') || types.includes('number')
  if (wantsNumber && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true'
  return text
}
