/** What every page works with. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Access } from '../access.ts'
import type { Budgets } from '../budget.ts'
import type { ClientKey } from '../config.ts'
import type { Chain, Directory } from '../directory.ts'
import { errorsFor } from '../endpoints/registry.ts'
import type { ByteSource, GatewayReply, HeaderMap } from '../http.ts'
import { decodedName } from '../model-names.ts'
import type { GatewayState } from '../state.ts'
import type { TurnMemory } from '../turn-memory.ts'
import type { UsageBook } from '../usage-book.ts'

/** What a server shows besides; all of it may be missing. */
export interface PageParts {
  readonly version?: string | undefined
  /** In the format of Prometheus. */
  readonly metrics?: (() => string) | undefined
  readonly traffic?: TrafficPages | undefined
  /** A file of the playground. */
  readonly file?: ((path: string) => Promise<PageFile | undefined>) | undefined
}

export interface PageFile {
  readonly contentType: string
  readonly bytes: Uint8Array
  /** True: its name changes with its content. */
  readonly isLasting: boolean
}

export interface TrafficPages {
  list(): JsonValue
  get(id: string): JsonValue | undefined
  /** Each change as JSON text. */
  follow(): ByteSource
}

export interface PageContext {
  readonly access: Access
  readonly directory: Directory
  readonly state: GatewayState
  readonly pages: PageParts
  readonly isLeaving: boolean
  readonly turns: TurnMemory
}

export type Page = (visit: PageVisit) => GatewayReply | Promise<GatewayReply>

/** What clients have used. */
export interface PageSpending {
  readonly budgets: Budgets
  readonly usage: UsageBook
  readonly keys: readonly ClientKey[]
}

export interface PageVisit extends PageContext {
  readonly spending: PageSpending
  readonly headers: HeaderMap
  readonly signal: AbortSignal
  readonly path: string
  readonly query: URLSearchParams
  readonly match: RegExpExecArray
  readonly key: ClientKey | undefined
  /** Whose the conversations are that are kept: whoever has the same key. */
  readonly client: string | undefined
  /** What was sent along; empty where nothing is. */
  readonly body: JsonObject
}

/** Those who answer to a name. Throws a GatewayError when nobody does, or not to this client. */
export async function chainFor({ path, key, directory }: PageVisit, model: string): Promise<Chain> {
  await directory.ready(model, key)
  return directory.find(model, key, { listedAt: errorsFor(path).listedAt })
}

/** The name in the path. */
export function modelIn({ match }: PageVisit): string {
  return decodedName(match[1] ?? '')
}

export function json(body: JsonValue, status = 200): GatewayReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
