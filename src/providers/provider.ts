/**
 * The contract of a service. A provider is data: where it is, how it knows its callers, which dialect it
 * speaks and what it does differently. The client does the rest.
 */
import type { Dialect, Quirks, ToolKind } from '../core/dialect.ts'
import type { Apis } from './apis.ts'
import type { ModelInfoSource } from './model-info.ts'

export interface Provider<Id extends string = string> extends Route {
  readonly id: Id
  /** As people write it. */
  readonly name: string
  /** Other names that people type for it: of the company, its models, or the id in other systems. */
  readonly aliases?: readonly string[]
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
  /** True: people run it on hardware of their own, where a long prompt may take minutes. */
  readonly selfHosted?: boolean
  /** What its address or its keys need besides. */
  readonly settings?: Readonly<Record<string, Setting>>
  /**
   * May have settings in them; one with an optional setting that is not set is left out. A header of the caller's
   * takes the place of one of these.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Settings that become fields of each request's body, unless the request has the field itself. */
  readonly bodySettings?: readonly BodySetting[]
  /** The setting that holds definitions of tools, as JSON, for requests that bring none. */
  readonly toolsSetting?: string
  /** The setting that chooses another interface of the same service. */
  readonly interfaces?: Interfaces
  /** Models that are to be found elsewhere or behave differently; the first that fits counts. */
  readonly routes?: readonly ModelRoute[]
  /** Where the body of a refusal has what the model wrote, when the service found that to be no proper call. */
  readonly failedReply?: readonly string[]
  /** How it says what its models can do, where it does. */
  readonly modelInfo?: ModelInfoSource
  /** What it serves besides chat. */
  readonly apis?: Apis
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
  /** Kinds of tools besides functions that the service takes; it is sent functions instead of all others. */
  readonly toolKinds?: readonly ToolKind[]
}

/** What the client needs of a dialect. */
export type ProviderDialect = Pick<
  Dialect,
  | 'id'
  | 'rules'
  | 'framing'
  | 'encodeRequest'
  | 'fitRequest'
  | 'decodeResponse'
  | 'reasoningFieldIn'
  | 'createStreamDecoder'
  | 'forgetThoughts'
>

export type Auth =
  /** `Authorization: Bearer <key>` */
  | BearerAuth
  /** The key alone, in a header of its own. */
  | { readonly scheme: 'header'; readonly header: string }
  /** The signature of AWS; settings `accessKeyId`, `secretAccessKey`, `region`, perhaps `sessionToken`. */
  | { readonly scheme: 'sigv4'; readonly service: string }
  /** OAuth client credentials; settings `clientId` and `clientSecret`. */
  | { readonly scheme: 'client-credentials'; readonly tokenUrl: string }
  /** The key buys a token that lasts a while. */
  | { readonly scheme: 'exchange'; readonly tokenUrl: string; readonly prefix: string }

export interface BearerAuth {
  readonly scheme: 'bearer'
  /** The setting that holds the token, where it is not the key. */
  readonly setting?: string
  /** Keys that are such tokens, whatever they were passed as. */
  readonly keys?: RegExp
  /** Headers that go with it; what the caller has under the same name is kept in the same list. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface BodySetting {
  readonly setting: string
  /** Where it goes in the body. */
  readonly path: readonly string[]
  /** `list`: names with commas between them. */
  readonly as: 'text' | 'list'
}

export interface Interfaces {
  readonly setting: string
  /** The value for the provider itself. */
  readonly usual: string
  /** The providers for other values. */
  readonly others: Readonly<Record<string, Provider>>
}

export interface Setting {
  /** What it is, for messages and listings. */
  readonly about: string
  readonly variables: readonly string[]
  readonly default?: string
  /** Never shown. */
  readonly secret?: boolean
  /** True: nothing is wrong when it is not set. */
  readonly optional?: boolean
}
