/** What a gateway can be told. Everything may be left out. */
import type { ExtraBody } from '../client/extra-body.ts'
import type { Balance } from '../client/fallback/balance.ts'
import type { KeyOrder } from '../client/key-pool.ts'
import type { SendingOptions } from '../client/sending-options.ts'
import type { Timeouts } from '../client/time-limits.ts'
import type { Price } from '../providers/prices.ts'
import type { ReadingOptions } from '../reading-options.ts'
import type { LoopGuard } from './loop-guard.ts'

/** How calls in the text of replies are read; formats are named by their ids. */
export interface ReadingConfig extends Omit<ReadingOptions, 'protocols'> {
  /** The formats to look for. Default: all that need no asking. */
  readonly protocols?: readonly string[] | undefined
}

export interface GatewayConfig {
  /** The services behind the gateway by the name that stands before the slash in `name/model`. */
  readonly providers?: Readonly<Record<string, ProviderConfig>> | undefined
  /**
   * The names that clients may use besides `provider/model`, and who answers to them. A `*` stands for
   * anything, and on the right for what it stood for on the left: `{ "gpt-*": "openai/gpt-*" }`.
   */
  readonly models?: Readonly<Record<string, ModelConfig | string | readonly string[]>> | undefined
  /** The model for requests whose model nobody has; without it they are refused. */
  readonly defaultModel?: string | undefined
  /**
   * The `demo/*` models. False: there are none. True: a few of them are listed also beside other models, `all`: all of
   * them. Default: a few are listed when there is no other model.
   */
  readonly demo?: boolean | 'all' | undefined
  /**
   * What models cost, by `provider/model` with `*`, where that is not their list price or there is none; 0 for a model
   * that costs nothing.
   */
  readonly prices?: Readonly<Record<string, Price | 0>> | undefined
  /** Who may ask. Without any, everybody may. */
  readonly keys?: readonly ClientKey[] | undefined
  readonly limits?: GatewayLimits | undefined
  /**
   * What becomes of agents that make the same call with the same result 4 times: nothing (`off`), a report (`warn`),
   * or a note to the model as well, and an error after 8 times (`stop`). Default `warn`.
   */
  readonly loopGuard?: LoopGuard | undefined
  /** How replies are mended. */
  readonly rescue?: RescueConfig | undefined
  /** Who searches the web for models whose service cannot. */
  readonly webSearch?: WebSearchConfig | undefined
  /** Names of client headers, in lower case, that are passed on besides the usual ones. */
  readonly forwardHeaders?: readonly string[] | undefined
  /** Names of provider headers that are passed back besides the usual ones. */
  readonly returnHeaders?: readonly string[] | undefined
  /** Origins of web pages that may ask, or `*`. Default: none but our own. */
  readonly cors?: readonly string[] | undefined
}

export interface ProviderConfig extends ReadingConfig, SendingOptions, ExtraBody {
  /** The id of a registered provider. Default: the name it is configured under. */
  readonly provider?: string | undefined
  readonly baseUrl?: string | undefined
  /** The key, or several. Default: the provider's environment variable. */
  readonly apiKey?: string | readonly string[] | undefined
  /** Which key of several is used: the first that is not left alone, or each in turn. Default `first`. */
  readonly keyOrder?: KeyOrder | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** What the provider needs besides a key, such as a region. */
  readonly settings?: Readonly<Record<string, string>> | undefined
  readonly toolMode?: ToolMode | undefined
  /** The format for calls in text mode. */
  readonly protocol?: string | undefined
  readonly timeouts?: Timeouts | undefined
  /** What holds for some of its models, by name with `*`; the most exact name counts most. */
  readonly perModel?: Readonly<Record<string, ExtraBody>> | undefined
  /** Models to list. Any other name works as well, unless `onlyListed`. */
  readonly models?: readonly string[] | undefined
  readonly onlyListed?: boolean | undefined
}

export type ToolMode = 'auto' | 'native' | 'text'

/** What it says about requests and replies goes before what the provider says. */
export interface ModelConfig extends ReadingConfig, SendingOptions, ExtraBody {
  /** Who is asked, one after the other: `provider/model`. */
  readonly chain: readonly (string | ChainLink)[]
  readonly toolMode?: ToolMode | undefined
  readonly protocol?: string | undefined
  /** What becomes of models without native tools in a chain. Default `text`. */
  readonly toolFallback?: 'skip' | 'text' | undefined
  /**
   * Which of several members of the same priority is asked first: the first that is listed (`order`), each in
   * turn (`weighted`), the least busy one, or the one whose replies begin soonest. Default `order`.
   */
  readonly balance?: Balance | undefined
  /** True: the requests of one conversation are sent to the same member, which has its beginning in the cache. */
  readonly sticky?: boolean | undefined
  readonly retries?: number | undefined
  readonly cooldownMs?: number | undefined
  readonly maxCooldownMs?: number | undefined
  /** Goes before the one for all models. */
  readonly loopGuard?: LoopGuard | undefined
  /** True: it works, but is not listed. */
  readonly hidden?: boolean | undefined
}

export interface ChainLink extends ReadingConfig, SendingOptions, ExtraBody {
  readonly model: string
  readonly toolMode?: ToolMode | undefined
  readonly protocol?: string | undefined
  readonly priority?: number | undefined
  /** How many requests it gets in proportion to others of its priority, where they are balanced. Default 1. */
  readonly weight?: number | undefined
  readonly contextWindow?: number | undefined
}

export interface ClientKey {
  /** For logs and metrics. */
  readonly name: string
  /** The key itself, or `sha256:` and its digest in hex. */
  readonly key: string
  /** Names of models, with `*`; default all. */
  readonly models?: readonly string[] | undefined
  readonly requestsPerMinute?: number | undefined
  readonly concurrency?: number | undefined
  /** What it may spend. Requests after that are refused until the next period begins. */
  readonly budget?: KeyBudget | undefined
  /** Goes before those of models. */
  readonly loopGuard?: LoopGuard | undefined
  /** May also see traffic, metrics and usage. */
  readonly admin?: boolean | undefined
  /** May also change which models an Ollama server has: pull, create, copy, push and delete them. */
  readonly manage?: boolean | undefined
}

/** With both, the one that is used up first counts. */
export interface KeyBudget {
  /** US dollars; every model that the key asks must have a price. */
  readonly usd?: number | undefined
  /** Input and output together. */
  readonly tokens?: number | undefined
  /** The calendar's, in UTC. Default `month`. */
  readonly per?: BudgetPeriod | undefined
}

export type BudgetPeriod = 'hour' | 'day' | 'month'

export interface GatewayLimits {
  /** The longest request. Default 32 MiB. */
  readonly requestBytes?: number | undefined
  /** The longest form with files, such as audio to transcribe. Default 64 MiB. */
  readonly uploadBytes?: number | undefined
  /** The longest file of a model that is sent to an Ollama server. Default 1 TiB. */
  readonly blobBytes?: number | undefined
  /** The longest reply. Default 64 MiB. */
  readonly replyBytes?: number | undefined
  /** Requests at a time, of all clients together; more are refused. Default 10,000. */
  readonly concurrency?: number | undefined
  /** Address and headers of a request together. Default 16 KiB. */
  readonly headerBytes?: number | undefined
  /** Characters in the name of a model. Default 1024. */
  readonly modelNameLength?: number | undefined
  /** Characters in the name of a tool. Default 256. */
  readonly toolNameLength?: number | undefined
  /** Levels of nesting in a body. Default and most: 640. */
  readonly jsonDepth?: number | undefined
  /** Objects, lists, texts, numbers and so on in a body. Default 1,250,000. */
  readonly jsonValues?: number | undefined
  /** Messages of a conversation. Default 250,000. */
  readonly messages?: number | undefined
  /** Tools that a request offers. Default 1024. */
  readonly tools?: number | undefined
  /** The definition of one tool, and of all together. Default 256 KiB and 4 MiB. */
  readonly toolBytes?: number | undefined
  readonly toolsBytes?: number | undefined
  /** Until a client that takes nothing of its reply is given up. Default 60 s. */
  readonly stalledClientMs?: number | undefined
  /**
   * Memory of whole replies that their clients have yet to take, of all together. When it is used up, the
   * clients that have taken nothing for the longest are given up. Default 256 MiB.
   */
  readonly unreadBytes?: number | undefined
  /** Until a client has sent its headers, and its body. Default 10 s and 60 s. */
  readonly clientHeadersMs?: number | undefined
  readonly clientBodyMs?: number | undefined
  /** Silence in a stream after which a sign of life is sent. Default 15 s. */
  readonly keepAliveMs?: number | undefined
  /**
   * The same before a stream has begun: from then on its status is 200, and errors are a part of it. Default 10 s.
   */
  readonly firstKeepAliveMs?: number | undefined
}

/** What it says about reading holds for all that say nothing themselves. */
export interface RescueConfig extends ReadingConfig {
  /** False: replies pass as they are. Default true. */
  readonly enabled?: boolean | undefined
}

export interface WebSearchConfig {
  readonly provider: 'searxng' | 'brave' | 'tavily'
  /** The address, which SearXNG needs. Default: the provider's own. */
  readonly url?: string | undefined
  /** Brave and Tavily need one. */
  readonly apiKey?: string | undefined
  /** Most results of a search. Default 8. */
  readonly maxResults?: number | undefined
  /** How long a search may take. Default 10 s. */
  readonly timeoutMs?: number | undefined
}
