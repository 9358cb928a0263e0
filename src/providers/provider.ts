/**
 * The contract of a service. A provider is data: where it is, how it knows its callers, which dialect it
 * speaks and what it does differently. The client does the rest.
 */
import type { Dialect, Quirks } from '../core/dialect.ts'

export interface Provider<Id extends string = string> extends Route {
  readonly id: Id
  /** As people write it. */
  readonly name: string
  /** The provider that is meant where only a key tells; this one must be asked for by name. */
  readonly alternativeTo?: string
  /** Without a slash at the end; may have settings in it: `https://{region}.example.com`. Empty: the caller
   * must say where it is. */
  readonly baseUrl: string
  /** Environment variables that say another address. */
  readonly baseUrlVariables?: readonly string[]
  /** Ways to prove who is asking, the first for which everything is there. */
  readonly auth: readonly Auth[]
  /** Environment variables that may hold the key, the first that is set. */
  readonly keyVariables: readonly string[]
  /** True: it can be asked without a key, as local servers mostly can. */
  readonly keyOptional?: boolean
  /** What its address or its keys need besides. */
  readonly settings?: Readonly<Record<string, Setting>>
  /** May have settings in them; a header of the caller's takes the place of one of these. */
  readonly headers?: Readonly<Record<string, string>>
  /** Models that are to be found elsewhere or behave differently; the first that fits counts. */
  readonly routes?: readonly ModelRoute[]
  /** Where the body of a refusal has what the model wrote, when the service found that to be no proper call. */
  readonly failedReply?: readonly string[]
  /** A page that tells more. */
  readonly docs: string
}

/** How requests to a service are written and where they go. */
export interface Route {
  /** The id of a dialect, or one that nobody else speaks. */
  readonly dialect: string | ProviderDialect
  /** Behind the base URL, with the name of the model in place of `{model}`. */
  readonly paths: Paths
  readonly capabilities: Capabilities
  readonly quirks?: Quirks
}

export interface ModelRoute extends Partial<Route> {
  readonly models: RegExp
}

export interface Paths {
  readonly chat: string
  /** Where streams have an address of their own. */
  readonly stream?: string
  /** The list of models. */
  readonly models?: string
}

export interface Capabilities {
  /** Whether the service takes tools; some leave it to each model. */
  readonly nativeTools: boolean | 'per-model'
  /** Whether it takes them when the reply is streamed. */
  readonly streamsTools: boolean
  /** False: it has whole replies only. */
  readonly streams?: boolean
}

/** What the client needs of a dialect. */
export type ProviderDialect = Pick<
  Dialect,
  'id' | 'rules' | 'framing' | 'encodeRequest' | 'decodeResponse' | 'createStreamDecoder'
>

export type Auth =
  /** `Authorization: Bearer <key>` */
  | { readonly scheme: 'bearer' }
  /** The key alone, in a header of its own. */
  | { readonly scheme: 'header'; readonly header: string }
  /** The signature of AWS; settings `accessKeyId`, `secretAccessKey`, `region`, perhaps `sessionToken`. */
  | { readonly scheme: 'sigv4'; readonly service: string }
  /** OAuth client credentials; settings `clientId` and `clientSecret`. */
  | { readonly scheme: 'client-credentials'; readonly tokenUrl: string }
  /** The key buys a token that lasts a while. */
  | { readonly scheme: 'exchange'; readonly tokenUrl: string; readonly prefix: string }

export interface Setting {
  /** What it is, for messages and listings. */
  readonly about: string
  readonly variables: readonly string[]
  readonly default?: string
  /** Never shown. */
  readonly secret?: boolean
  /** True: only some of the ways to authenticate need it. */
  readonly optional?: boolean
}
