/** The configuration of programs without types; files are checked, with the places of mistakes, in `config/`. */
import { checkExtraBody, EXTRA_BODY_KEYS } from '../client/extra-body.ts'
import { SENDING_KEYS } from '../client/sending-options.ts'
import { checkObject, refused } from '../core/caller-input.ts'
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import { InvalidInputError } from '../core/errors.ts'
import { MAX_JSON_DEPTH } from '../core/json/depth.ts'
import { isJsonObject } from '../core/json/value.ts'
import { READING_KEYS } from '../reading-options.ts'
import { checkBudget, checkPrice } from './budget.ts'
import { extraBodiesIn } from './config/extra-bodies.ts'
import type { ServerConfig } from './config/server-config.ts'
import type {
  GatewayConfig,
  GatewayLimits,
  ModelConfig,
  ProviderConfig,
  RescueConfig,
} from './config.ts'
import { checkWebSearch } from './hosted/check-web-search.ts'

/** A server hands its configuration on as it is, so its keys are known here as well. */
const KEYS: OptionKeys<ServerConfig> = {
  models: 0,
  providers: 0,
  defaultModel: 0,
  demo: 0,
  prices: 0,
  keys: 0,
  limits: 0,
  rescue: 0,
  webSearch: 0,
  loopGuard: 0,
  forwardHeaders: 0,
  returnHeaders: 0,
  cors: 0,
  host: 0,
  port: 0,
  redisUrl: 0,
  stateSecret: 0,
  turns: 0,
  log: 0,
  traffic: 0,
  playground: 0,
  metrics: 0,
  discover: 0,
  shutdownMs: 0,
  drainMs: 0,
  otel: 0,
  tls: 0,
}

const PROVIDER: OptionKeys<ProviderConfig> = {
  ...READING_KEYS,
  ...EXTRA_BODY_KEYS,
  perModel: 0,
  ...SENDING_KEYS,
  keyOrder: 0,
  provider: 0,
  baseUrl: 0,
  apiKey: 0,
  headers: 0,
  settings: 0,
  toolMode: 0,
  protocol: 0,
  timeouts: 0,
  models: 0,
  onlyListed: 0,
}

const MODEL: OptionKeys<ModelConfig> = {
  ...READING_KEYS,
  ...EXTRA_BODY_KEYS,
  ...SENDING_KEYS,
  chain: 0,
  toolMode: 0,
  protocol: 0,
  toolFallback: 0,
  balance: 0,
  sticky: 0,
  retries: 0,
  cooldownMs: 0,
  maxCooldownMs: 0,
  loopGuard: 0,
  hidden: 0,
}

const LIMITS: OptionKeys<GatewayLimits> = {
  requestBytes: 0,
  uploadBytes: 0,
  blobBytes: 0,
  replyBytes: 0,
  concurrency: 0,
  headerBytes: 0,
  modelNameLength: 0,
  toolNameLength: 0,
  jsonDepth: 0,
  jsonValues: 0,
  messages: 0,
  tools: 0,
  toolBytes: 0,
  toolsBytes: 0,
  stalledClientMs: 0,
  unreadBytes: 0,
  clientHeadersMs: 0,
  clientBodyMs: 0,
  keepAliveMs: 0,
  firstKeepAliveMs: 0,
}

const RESCUE: OptionKeys<RescueConfig> = { ...READING_KEYS, enabled: 0 }

const EXAMPLE = "{ models: { fast: ['groq/llama-3.3-70b'] } }"

/** @throws InvalidInputError */
export function checkConfig(config: GatewayConfig): void {
  checkKeys('createGateway', config, KEYS, EXAMPLE)
  const { providers = {}, models = {}, limits, rescue, webSearch } = config
  checkObject('providers', providers, "providers by name, as in { ollama: { models: ['qwen3'] } }")
  for (const [name, provider] of Object.entries(providers)) {
    checkKeys(`providers.${name}`, provider, PROVIDER, '{ apiKey }')
    for (const [pattern, extra] of Object.entries(provider.perModel ?? {})) {
      checkKeys(`providers.${name}.perModel.${pattern}`, extra, EXTRA_BODY_KEYS, '{ body }')
    }
  }
  checkObject('models', models, `models by name, as in ${EXAMPLE}`)
  for (const [name, model] of Object.entries(models)) checkModel(name, model)
  for (const { path, extra } of extraBodiesIn(config)) checkExtraBody(extra, `${path.join('.')}.`)
  checkSpending(config)
  if (limits) checkLimits(limits)
  if (rescue) checkKeys('rescue', rescue, RESCUE, '{ enabled: false }')
  if (webSearch) checkWebSearch(webSearch)
}

function checkSpending({ prices = {}, keys = [] }: GatewayConfig): void {
  checkObject('prices', prices, "prices by model, as in { 'openai/*': { input: 1, output: 4 } }")
  for (const [pattern, price] of Object.entries(prices)) {
    if (price !== 0) checkPrice(pattern, price)
  }
  // Whether keys are keys at all is checked where they are indexed.
  if (!Array.isArray(keys)) return
  for (const key of keys) if (typeof key === 'object' && key !== null) checkBudget(key)
}

function checkLimits(limits: GatewayLimits): void {
  checkKeys('limits', limits, LIMITS, '{ concurrency: 100 }')
  for (const [name, value] of Object.entries({ ...limits })) {
    const most = name === 'jsonDepth' ? MAX_JSON_DEPTH : Number.MAX_SAFE_INTEGER
    const isCount = Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= most
    if (value === undefined || isCount) continue
    const range =
      name === 'jsonDepth' ? `a whole number from 1 to ${most}` : 'a whole number from 1'
    throw refused(`limits.${name}`, value, range)
  }
}

function checkModel(name: string, model: unknown): void {
  if (typeof model === 'string') return
  const where = `models.${name}`
  if (isJsonObject(model)) checkKeys(where, model, MODEL, "{ chain: ['openai/gpt-5'] }")
  const chain = isJsonObject(model) ? model['chain'] : model
  if (!Array.isArray(chain)) throw refused(where, model, "a list, as in ['openai/gpt-5']")
  if (chain.length > 0) return
  throw new InvalidInputError(`${where} names no model; write ['provider/model']`)
}
