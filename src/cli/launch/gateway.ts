/** The gateway for an agent: one that already runs, or one that `launch` starts for as long as the agent runs. */
import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { thrownMessage } from '../../core/thrown-message.ts'
import { type LoadedConfig, loadConfig } from '../../gateway/config/load.ts'
import type { ResolvedConfig } from '../../gateway/config/server-config.ts'
import { createLogger } from '../../gateway/observe/log.ts'
import { startServer } from '../../gateway/server.ts'
import { UsageError } from '../command.ts'
import { loadOptions, readable } from '../serve/start.ts'
import { readVersion } from '../version.ts'

export interface Gateway {
  /** Without a slash at the end. */
  readonly url: string
  readonly key?: string | undefined
  readonly defaultModel?: string | undefined
  /** True: started by `launch`, for this agent only. */
  readonly isOwn: boolean
  stop(): Promise<void>
}

export interface GatewayWishes {
  /** The address of a running gateway. */
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly configFile?: string | undefined
  /** True: start a gateway even if one runs. */
  readonly own?: boolean | undefined
  /** Where a gateway that `launch` starts writes its log. */
  readonly log?: { write(line: string): unknown } | undefined
}

/** Undefined: no address was named, and nothing runs where the configuration says. */
export async function findGateway(wishes: GatewayWishes): Promise<Gateway | undefined> {
  const { url, own } = wishes
  if (url !== undefined) return named(url, wishes)
  if (own) return undefined
  const { config } = await load(wishes)
  const address = addressOf(config)
  if (!(await isToolglot(address))) return undefined
  const { defaultModel } = config
  return running(address, wishes.key ?? plainKey(config), defaultModel)
}

/** Where a gateway with this configuration listens. */
export async function usualAddress(wishes: GatewayWishes): Promise<string> {
  return addressOf((await load(wishes)).config)
}

/** Starts a gateway at a free port of this machine, with a key that only the agent gets. */
export async function startOwn(wishes: GatewayWishes): Promise<Gateway> {
  const { config } = await load(wishes)
  const key = `toolglot-${randomBytes(24).toString('base64url')}`
  const { log } = wishes
  const logger = createLogger({
    ...config.log,
    ...(log ? { destination: log } : { level: 'silent' }),
  })
  try {
    const server = await startServer(forOneAgent(config, key), {
      env: process.env,
      version: readVersion(),
      logger,
    })
    const { defaultModel } = config
    return { url: server.url, key, defaultModel, isOwn: true, stop: () => server.stop() }
  } catch (error) {
    throw readable(error)
  }
}

/** Reachable from this machine only, and stopped without a delay: no client is left when the agent has ended. */
function forOneAgent(config: ResolvedConfig, key: string): ResolvedConfig {
  return {
    ...config,
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    redisUrl: undefined,
    keys: [{ name: 'launch', key, admin: true }],
    drainMs: 0,
    shutdownMs: 0,
  }
}

async function load({ configFile }: GatewayWishes): Promise<LoadedConfig> {
  return loadConfig(loadOptions({ file: configFile }))
}

async function named(url: string, { key }: GatewayWishes): Promise<Gateway> {
  const address = url.replace(/\/+(?:v1\/?)?$/, '')
  if (!URL.canParse(address))
    throw new UsageError(
      `--gateway cannot be "${url}"; it takes an address such as http://127.0.0.1:4141`,
    )
  if (await isToolglot(address)) return running(address, key)
  throw new UsageError(`no gateway answers at ${address}; "toolglot serve" starts one`)
}

function running(url: string, key?: string, defaultModel?: string): Gateway {
  return { url, key, defaultModel, isOwn: false, stop: async () => {} }
}

/** A gateway that listens on all addresses is asked on this machine. */
function addressOf({ host, port, tls }: ResolvedConfig): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const shown = reachable.includes(':') ? `[${reachable}]` : reachable
  return `${tls ? 'https' : 'http'}://${shown}:${port}`
}

/** A key of the configuration, unless only its digest is there. */
function plainKey({ keys = [] }: ResolvedConfig): string | undefined {
  return keys.map(({ key }) => key).find((key) => !key.startsWith('sha256:'))
}

// ── asking it ───────────────────────────────────────────────────────────────────────────────────

/** A gateway answers at once; what listens at its port instead may never do. */
const VERSION_MS = 2000
/** It may have to ask a server that is busy. */
const MODEL_MS = 30_000

async function isToolglot(url: string): Promise<boolean> {
  try {
    const { body } = await ask(url, '/api/version', { patienceMs: VERSION_MS })
    return 'toolglot' in body
  } catch {
    return false
  }
}

/** A model as the gateway knows it; undefined when it does not. */
export async function askModel(
  { url, key }: Gateway,
  model: string,
): Promise<{ readonly contextLength?: number | undefined } | undefined> {
  const { status, body } = await ask(url, `/v1/models/${encodeURIComponent(model)}`, { key })
  if (status === 404) return undefined
  refuseErrors(status, body, url)
  const { context_length: length } = body
  return typeof length === 'number' ? { contextLength: length } : {}
}

/** The names of the models that are listed. */
export async function askModels({ url, key }: Gateway): Promise<string[]> {
  const { status, body } = await ask(url, '/v1/models', { key })
  refuseErrors(status, body, url)
  const { data } = body
  const ids = Array.isArray(data) ? data.map((model) => isJsonObject(model) && model['id']) : []
  return ids.filter((id) => typeof id === 'string')
}

interface Answer {
  readonly status: number
  readonly body: JsonObject
}

async function ask(
  url: string,
  path: string,
  { key, patienceMs = MODEL_MS }: { key?: string | undefined; patienceMs?: number },
): Promise<Answer> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const response = await fetch(`${url}${path}`, { headers, signal })
    const body = (await response.json()) as JsonValue
    return { status: response.status, body: isJsonObject(body) ? body : {} }
  } catch (error) {
    throw new UsageError(`the gateway at ${url} does not answer: ${thrownMessage(error)}`)
  }
}

function refuseErrors(status: number, { error }: JsonObject, url: string): void {
  if (status < 400) return
  if (status === 401) {
    throw new UsageError(
      `the gateway at ${url} wants a key: --key <key>, or the variable TOOLGLOT_KEY`,
    )
  }
  const said = isJsonObject(error) ? error['message'] : undefined
  throw new UsageError(
    `the gateway at ${url} answers ${status}: ${String(said ?? 'no reason given')}`,
  )
}
