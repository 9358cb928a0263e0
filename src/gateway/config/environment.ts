/** What environment variables say about the configuration. */
import { type Environment, firstSet } from '../../client/endpoint.ts'
import type { JsonPath } from '../../core/issue.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { withValueAt } from './layer.ts'

export interface ConfigVariable {
  /** The first that is set counts. */
  readonly names: readonly string[]
  readonly path: JsonPath
  read(text: string): JsonValue
}

export const CONFIG_VARIABLES: readonly ConfigVariable[] = [
  { names: ['TOOLGLOT_HOST'], path: ['host'], read: asText },
  { names: ['TOOLGLOT_PORT', 'PORT'], path: ['port'], read: asNumber },
  { names: ['TOOLGLOT_REDIS_URL'], path: ['redisUrl'], read: asText },
  { names: ['TOOLGLOT_STATE_SECRET'], path: ['stateSecret'], read: asList },
  { names: ['TOOLGLOT_API_KEYS'], path: ['keys'], read: asKeys },
  { names: ['TOOLGLOT_DRAIN_MS'], path: ['drainMs'], read: asNumber },
  { names: ['TOOLGLOT_LOG_LEVEL'], path: ['log', 'level'], read: asText },
  { names: ['TOOLGLOT_DEFAULT_MODEL'], path: ['defaultModel'], read: asText },
  { names: ['TOOLGLOT_WEB_SEARCH'], path: ['webSearch', 'provider'], read: asText },
  { names: ['TOOLGLOT_WEB_SEARCH_URL'], path: ['webSearch', 'url'], read: asText },
  { names: ['TOOLGLOT_WEB_SEARCH_KEY'], path: ['webSearch', 'apiKey'], read: asText },
  { names: ['TOOLGLOT_TRAFFIC'], path: ['traffic'], read: asBoolean },
]

export interface EnvironmentConfig {
  readonly value: JsonObject
  /** The variable that says what is at a path, or inside it. */
  variableAt(path: JsonPath): string | undefined
}

export function readEnvironment(env: Environment): EnvironmentConfig {
  const set = CONFIG_VARIABLES.flatMap(({ names, path, read }) => {
    const variable = names.find((name) => firstSet([name], env) !== undefined)
    return variable === undefined ? [] : [{ variable, path, value: read(env[variable] ?? '') }]
  })
  return {
    value: set.reduce<JsonObject>((all, { path, value }) => withValueAt(all, path, value), {}),
    variableAt: (path) =>
      set.find((one) => one.path.every((step, at) => step === path[at]))?.variable,
  }
}

function asText(text: string): string {
  return text
}

/** Several between commas; a single one stays a text. */
function asList(text: string): JsonValue {
  const [first = '', ...others] = text.split(',').map((item) => item.trim())
  return others.length === 0 ? first : [first, ...others]
}

// What cannot be read stays a text, which the schema does not allow there.
function asNumber(text: string): JsonValue {
  return /^\d+$/.test(text.trim()) ? Number(text) : text
}

function asBoolean(text: string): JsonValue {
  if (/^(?:1|true|yes|on)$/i.test(text.trim())) return true
  return /^(?:0|false|no|off)$/i.test(text.trim()) ? false : text
}

// Commas alone are variables that were not set where the keys were put together: no keys would let
// everybody in.
function asKeys(text: string): JsonValue {
  const keys = text.split(',').map((key) => key.trim())
  const given = keys.filter((key) => key !== '')
  return given.length === 0 ? text : given.map((key, at) => ({ name: `key-${at + 1}`, key }))
}
