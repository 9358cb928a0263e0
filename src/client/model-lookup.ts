/**
 * What a service says about its models. Asked only when somebody wants to know, once for each model, and for a
 * short time; without an answer everything works as it does for services that say nothing.
 */

import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import { createRecentMap } from '../core/recent-map.ts'
import type { ModelFacts } from '../providers/model-info.ts'
import { monotonicNow } from './clock.ts'
import type { Connection } from './connection.ts'
import { classify } from './error-class.ts'
import { ProviderError } from './errors.ts'
import { parsed } from './parsed.ts'
import { sendSmall } from './small-request.ts'

/** A model as its service describes it; what is not known is left out. */
export interface ModelInfo extends ModelFacts {
  readonly id: string
}

export interface ModelLookup {
  /** What the service says about the model. Rejects only with the reason of the signal. */
  info(model: string, signal?: AbortSignal): Promise<ModelInfo>
  /** All models that the service lists. Rejects with a ProviderError when it does not. */
  list(signal?: AbortSignal): Promise<readonly ModelInfo[]>
}

const TIMEOUT_MS = 3000
/** Some services list hundreds of models, with much to say about each. */
const MAX_BYTES = 16 * 1024 * 1024
/** A service that did not answer is left alone for so long. */
const AGAIN_AFTER_MS = 60_000
const MAX_FAILURES = 1000

export function createModelLookup(connection: Connection): ModelLookup {
  const { provider, models: memory } = connection
  const { modelInfo: source } = provider
  const failures = createRecentMap<number>({ maxEntries: MAX_FAILURES })
  const asking = new Map<string, Promise<void>>()
  let listing: Promise<readonly ModelInfo[]> | undefined

  async function readList(): Promise<readonly ModelInfo[]> {
    const path = source?.list.path ?? provider.paths.models
    if (!source || path === undefined) throw unlisted(connection)
    const { id: name, prefix = '' } = source.list
    const entries = entriesIn(await question(connection, { path, method: 'GET' }))
    return entries.flatMap((entry) => {
      const id = entry[name]
      if (typeof id !== 'string') return []
      const facts = source.read(entry)
      const own = id.startsWith(prefix) ? id.slice(prefix.length) : id
      // The answer about one model says more than the list does.
      if (!source.one) memory.learnFacts(own, facts)
      return [{ id: own, ...facts }]
    })
  }

  function listed(): Promise<readonly ModelInfo[]> {
    listing ??= readList().finally(() => {
      listing = undefined
    })
    return listing
  }

  async function lookUp(model: string): Promise<void> {
    if (!source) return
    try {
      if (source.one) {
        const answer = await question(connection, { ...source.one, model })
        memory.learnFacts(model, isJsonObject(answer) ? source.read(answer) : {})
      } else {
        const found = find(await listed(), model)
        memory.learnFacts(model, found ? withoutId(found) : {})
      }
    } catch {
      // It is good to know, but nobody depends on it.
      failures.set(model, monotonicNow())
    }
  }

  function mayAsk(model: string): boolean {
    const failedAt = failures.get(model)
    return failedAt === undefined || monotonicNow() - failedAt >= AGAIN_AFTER_MS
  }

  async function info(model: string, signal?: AbortSignal): Promise<ModelInfo> {
    signal?.throwIfAborted()
    if (memory.factsOf(model) === undefined && mayAsk(model)) {
      const answer = asking.get(model) ?? lookUp(model).finally(() => asking.delete(model))
      asking.set(model, answer)
      await unlessAborted(answer, signal)
    }
    return { id: model, ...memory.factsOf(model) }
  }

  return {
    info,
    async list(signal) {
      signal?.throwIfAborted()
      return unlessAborted(listed(), signal)
    },
  }
}

interface Question {
  /** May have `{model}` in it. */
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly model?: string
}

async function question(
  { provider, endpoint, credentials, keys, secrets, fetch }: Connection,
  { path, method, model = '' }: Question,
): Promise<unknown> {
  const fields = { provider: provider.id, ...(model !== '' && { model }) }
  const url = endpoint.url({ ...provider, paths: { chat: path } }, model, false)
  const body = method === 'POST' ? JSON.stringify({ model }) : undefined
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const plain = { accept: 'application/json', ...type, ...endpoint.headers }
  // A key that may not list models may still ask them: what is said here is no judgement on the key.
  const key = keys.begin().take()
  key.leave()
  const headers = await credentials.sign(
    { method, url, headers: plain, body: body ?? '' },
    key.slot,
  )
  const { status, isOk, text } = await sendSmall(
    url,
    { method, headers, ...(body !== undefined && { body }) },
    { fetch, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, secrets, fields },
  )
  if (isOk) return parsed(text)
  throw classify({ status, body: parsed(text) }, fields)
}

function unlisted({ provider: { id, name } }: Connection): ProviderError {
  return new ProviderError('unsupported', `${name} does not list its models`, { provider: id })
}

/** Most have the list in an object, some have it alone. */
function entriesIn(body: unknown): readonly JsonObject[] {
  const list = isJsonObject(body) ? (body['data'] ?? body['models']) : body
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}

/** Routers take names with a variant behind a colon that their lists do not have. */
function find(models: readonly ModelInfo[], name: string): ModelInfo | undefined {
  const plain = name.replace(/:[\w-]+$/, '')
  return models.find(({ id }) => id === name) ?? models.find(({ id }) => id === plain)
}

function withoutId({ id: _, ...facts }: ModelInfo): ModelFacts {
  return facts
}

/** Whoever gives up does not end the wait of others. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
