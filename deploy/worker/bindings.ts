/** What the bindings of a worker say about its gateway. */
import type { Environment } from '../../src/client/endpoint.ts'
import { parseStrict } from '../../src/core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'
import { readEnvironment } from '../../src/gateway/config/environment.ts'
import { ConfigError, type Finding } from '../../src/gateway/config/problem.ts'
import { configSchema } from '../../src/gateway/config/schema.ts'
import { checkShape } from '../../src/gateway/config/shape.ts'
import { fillInVariables } from '../../src/gateway/config/variables.ts'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { providersInEnvironment } from '../../src/gateway/discovery/environment.ts'

/** Holds what else would be a configuration file. */
const CONFIG = 'TOOLGLOT_CONFIG_JSON'

/** @throws ConfigError with everything that is wrong. */
export function readBindings(env: Environment): GatewayConfig {
  const schema = configSchema()
  const filled = fillInVariables(parseStrict(env[CONFIG] ?? '{}') ?? null, env, schema)
  if (!isJsonObject(filled.value)) throw refusal([{ path: [], message: 'must be a JSON object' }])
  const told: JsonObject = { ...filled.value, ...readEnvironment(env).value }
  const findings = [...filled.findings, ...checkShape(told, schema, filled.touched)]
  if (findings.length > 0) throw refusal(findings)
  // The cast: it fits the schema, which says what the type says.
  const config = told as GatewayConfig
  return knowingClients({ ...config, providers: config.providers ?? providersInEnvironment(env) })
}

/** Everybody can reach a worker, and would spend what its owner pays for. */
function knowingClients(config: GatewayConfig): GatewayConfig {
  const hasProviders = Object.keys(config.providers ?? {}).length > 0
  if (!hasProviders || (config.keys ?? []).length > 0) return config
  const message = 'a worker with providers must know its clients; TOOLGLOT_API_KEYS names them'
  throw refusal([{ path: ['keys'], message }])
}

function refusal(findings: readonly Finding[]): ConfigError {
  return new ConfigError(findings.map((finding) => ({ ...finding, where: CONFIG })))
}
