/**
 * The contract of a wire format. A dialect is a value: how a provider wants tools, results and
 * replies written, and how its replies are read. Pure functions, no transport.
 */

import type {
  ChatEvent,
  ChatRequest,
  ChatResponse,
  ChatSettings,
  ToolChoice,
  Usage,
} from './chat.ts'
import type { IdMintOptions } from './ids.ts'
import type { Issue } from './issue.ts'
import type { JsonObject } from './json/value.ts'
import type { Message, ToolResult } from './model.ts'
import type { OnMalformed } from './options.ts'
import type { Steps } from './steps.ts'

export type { ChatResponse, ToolChoice, Usage } from './chat.ts'

export interface Dialect<Id extends string = string> {
  readonly id: Id
  /** Other names of the format itself; services that speak it are providers. */
  readonly aliases: readonly string[]

  /** Tool definitions in any known spelling, the way a request wants them. */
  formatTools(tools: readonly unknown[], options?: FormatWireToolsOptions): JsonObject[]
  /** The fields of a request that say whether and which tools may be called. */
  formatToolChoice(choice: ToolChoice): JsonObject
  /** The calls of a reply. */
  parseToolCalls(response: unknown, options?: ParseToolCallsOptions): WireToolCall[]
  formatToolResult(result: ToolResult): JsonObject
  /** The results of one turn, in the order of the calls, in as many messages as the API wants. */
  formatToolResults(results: readonly ToolResult[]): JsonObject[]
  /** The reply as a message to send back with the results. */
  formatAssistantMessage(response: unknown, options?: FormatAssistantOptions): JsonObject

  /** The body of a request. What the dialect cannot say is reported and left out. */
  encodeRequest(request: ChatRequest, options?: EncodeOptions): JsonObject
  /** A client's request; throws a TypeError when the body is none. */
  decodeRequest(body: unknown, options?: DecodeRequestOptions): ChatRequest
  /** The same in steps, each of which reads a stretch of the conversation. */
  decodingSteps(body: unknown, options?: DecodeRequestOptions): Steps<ChatRequest>
  /** All definitions of tools in a request, where they may stand elsewhere than in its list. */
  toolsIn?(body: JsonObject): readonly JsonObject[]
  /** The kinds of tools besides functions that a request has. */
  toolKindsIn?(body: JsonObject): readonly ToolKind[]
  encodeResponse(response: ChatResponse, options?: CodecOptions): JsonObject
  decodeResponse(body: unknown, options?: DecodeResponseOptions): ChatResponse
  /** The usage of a reply alone, where it takes far less than to decode all of it; undefined if not sure. */
  usageIn?(body: JsonObject): Usage | undefined
  /** Where a reply, or a chunk of one, has reasoning, in dialects whose servers have different fields for it. */
  reasoningFieldIn?(body: JsonObject): ReasoningField | undefined
  /** What a body is, when it can be of no other dialect but those that this one resembles. */
  shapeOf(body: JsonObject): 'request' | 'response' | undefined
  /** Ids of dialects that take some bodies of this one for theirs: a body is compared with this one first. */
  readonly resembles?: readonly string[]
  /** Where its requests have each setting; one that is not here, the dialect lacks. */
  readonly settings: SettingFields
  /**
   * A client's body for a service that lacks parts of the API, where it need not be decoded for that. The body itself
   * when nothing has to be changed.
   */
  withoutFeatures?(body: JsonObject, lacks: readonly ServiceFeature[]): JsonObject
  /** A turn of the model without the thoughts that a service has signed; what it says otherwise stays. */
  forgetThoughts?(message: Message): Message
  /** The same for all turns of a body that need not be decoded for that. */
  withoutThoughts?(body: JsonObject): JsonObject
  /**
   * A body of this dialect as a service with these quirks takes it; the body itself when nothing has to change.
   * Encoded requests have been fitted already.
   */
  fitRequest?(body: JsonObject, options: EncodeOptions): JsonObject
  /** What its servers demand of a history; {@link heal} sees to it. */
  readonly rules: HistoryRules
  /** How the frames of its streams are told apart on the wire. */
  readonly framing: Framing
  createStreamDecoder(options?: DecodeResponseOptions): StreamDecoder
  createStreamEncoder(options?: StreamEncoderOptions): StreamEncoder
}

export type Setting = keyof ChatSettings

/** Places in a body, with a dot before each inner field: `generationConfig.topK`. */
export type SettingFields = Readonly<Partial<Record<Setting, string>>>

/** Data about the histories that a dialect's servers take. */
export interface HistoryRules {
  /** The field of a request that holds the conversation. */
  readonly field: 'messages' | 'contents' | 'input'
  /** A key that messages have in no other dialect. */
  readonly messageKey?: string
  /** Types that messages have in no other dialect. */
  readonly messageTypes?: readonly string[]
  /** The field that holds the system prompt, where it is no message. */
  readonly systemField?: 'system' | 'systemInstruction' | 'system_instruction' | 'instructions'
  /** Roles besides the neutral ones that messages may keep for the dialect; any when left out. */
  readonly roles?: readonly string[]
  readonly callId?: IdRule
  readonly toolName?: NameRule
  /** Kinds of tools that its requests have besides functions. */
  readonly toolKinds?: readonly ToolKind[]
  /** User and assistant take turns: neighbours of one role are one message. */
  readonly alternates?: boolean
  readonly startsWithUser?: boolean
  /** One system message, before all others: later ones go to the model as text of the user. */
  readonly systemOnTop?: boolean
  /** Results stand in the order of their calls, as where nothing else tells which is which. */
  readonly resultsInOrder?: boolean
  /** A history with calls is refused unless tools are declared. */
  readonly needsTools?: boolean
  /** An assistant must speak between results and the user. */
  readonly bridgeAfterResults?: boolean
}

/**
 * Kinds of tools besides functions, and of places for them, in OpenAI's words. `custom`: tools that take text.
 * `namespace`: groups of tools. `tool_search`: a search for tools that the client runs. `additional_tools`: tools
 * that are declared by an item of the conversation.
 */
export type ToolKind = 'custom' | 'namespace' | 'tool_search' | 'additional_tools'

export interface IdRule {
  readonly pattern: RegExp
  /** Exactly as many characters. */
  readonly length?: number
  readonly maxLength?: number
  /** What ids begin with that are made up. Default `call_`. */
  readonly prefix?: string
}

export interface NameRule {
  readonly pattern: RegExp
  readonly maxLength: number
}

/**
 * `sse`: server-sent events. `ndjson`: one JSON document a line. `aws`: binary frames of AWS, each with
 * a name and JSON.
 */
export type Framing = 'sse' | 'ndjson' | 'aws'

/** One frame of a stream: JSON text, and the name of the event where the wire has one. */
export interface Frame {
  readonly event?: string
  readonly data: string
}

export interface StreamDecoder {
  push(frame: Frame): ChatEvent[]
  /** True once the reply is all there; what may still come are counts. */
  isComplete?(): boolean
  /** True once nothing can follow, whatever the server does with the connection. */
  hasEnded?(): boolean
  /** The stream is over. Without a proper end this is an `error` event that has what came so far. */
  end(): ChatEvent[]
}

export interface StreamEncoder {
  push(event: ChatEvent): Frame[]
}

export interface StreamEncoderOptions extends CodecOptions {
  /** Seconds since 1970 for the formats that tell when a reply was made. Default 0. */
  readonly created?: number
  /** False leaves usage out where clients must ask for it. Default true. */
  readonly usage?: boolean
}

export interface CodecOptions {
  /** Told of everything that is lost or changed because the dialect cannot express it. */
  readonly report?: ((issue: Issue) => void) | undefined
}

export interface DecodeRequestOptions extends CodecOptions {
  /**
   * `keep`: settings stay in `extra` as they are, for a request that is encoded in the same dialect again.
   * Default `translate`: they become settings of the neutral model.
   */
  readonly settings?: 'translate' | 'keep'
}

export interface EncodeOptions extends CodecOptions {
  /** What a service does differently from the dialect it speaks. */
  readonly quirks?: Quirks | undefined
}

/** Data that providers give about the dialect they speak; a dialect reads those that concern it. */
export interface Quirks {
  /** The field that limits the tokens of a reply. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens'
  /** Settings that the service has under another name or in addition; false: it lacks them. */
  readonly settings?: Readonly<Partial<Record<Exclude<Setting, 'reasoning'>, string | false>>>
  /**
   * How the service wants to be asked for reasoning, where it speaks OpenAI's chat dialect: by an
   * `effort` (default); by OpenRouter's object `reasoning`; by `thinking: { type }`; by
   * `enable_thinking`; by an argument of the chat template; or not at all.
   */
  readonly reasoning?: ReasoningStyle
  /**
   * Kinds of tools besides functions that the service takes; it is sent functions instead of all others. Default:
   * those of its dialect.
   */
  readonly toolKinds?: readonly ToolKind[]
  /** Tool choices that the service takes; others are left out. */
  readonly toolChoices?: readonly ('auto' | 'none' | 'required' | 'named')[]
  /** False: no `strict` on tools. */
  readonly strict?: boolean
  /** False: no switch for parallel calls. */
  readonly parallel?: boolean
  /** False: no `stream_options`, and so no usage in streams. */
  readonly streamUsage?: boolean
  /** True: places for the cache are marked as in Anthropic's requests, by `cache_control` on parts. */
  readonly cacheControl?: boolean
  /** Contents must be text, even where parts are allowed. */
  readonly textContent?: boolean
  /** True: schemas go as JSON Schema where the dialect also has a narrower form of its own. */
  readonly jsonSchema?: boolean
  /** Keys that schemas must not have. */
  readonly schemaWithout?: readonly string[]
  /**
   * `first`: the service, or the template of a model on it, takes one system message before all others; later
   * ones become text of the user. `anywhere`: any number, at any place. Default: what the dialect says.
   */
  readonly systemMessages?: SystemMessages
  /** False: the role `developer` is unknown, and its messages go as those of the system. */
  readonly developerRole?: boolean
  /** The field in which reasoning goes back (false: not at all), and whether turns with calls must have it. */
  readonly reasoningField?: ReasoningField | false
  readonly reasoningRequired?: boolean
  /** True: the service has OpenRouter's plugins, and repairs replies itself. */
  readonly plugins?: boolean
  /** Fields of its own that each request needs, such as one that switches on streamed arguments. */
  readonly fields?: JsonObject
  /** What only the maker of the API has. */
  readonly lacks?: readonly ServiceFeature[]
}

/**
 * Parts of an API that compatible services mostly lack. `tool-search`: tools that the model learns of by searching,
 * and references to them. `web-search`: the service searches the web itself. `attribution`: the service removes what
 * clients say about themselves in the system prompt.
 */
export type ServiceFeature = 'tool-search' | 'web-search' | 'attribution'
export type SystemMessages = 'first' | 'anywhere'

/** Fields of an assistant message that may hold its reasoning, in OpenAI's chat dialect. */
export type ReasoningField = 'reasoning_content' | 'reasoning' | 'reasoning_details'

export type ReasoningStyle =
  | 'effort'
  | 'reasoning'
  | 'thinking'
  | 'enable_thinking'
  | 'chat_template_kwargs'
  | 'none'

export interface FormatWireToolsOptions {
  /** Shorten descriptions, for models with little room. */
  readonly compact?: boolean
  /** Ask the provider to cache the request up to and including the tools, where it can. */
  readonly cache?: boolean
}

/** A call as the arguments travel in most dialects: as JSON text. */
export interface WireToolCall {
  readonly id: string
  readonly name: string
  /** The provider's own text, byte for byte, when it sent text; compact JSON otherwise. */
  readonly arguments: string
}

export interface ParseToolCallsOptions extends Pick<IdMintOptions, 'ids' | 'random'> {
  /** Ids of earlier turns, which must not come again. */
  readonly usedIds?: Iterable<string>
}

export interface FormatAssistantOptions {
  /**
   * `openai`: the message every OpenAI-compatible server takes, whatever the dialect. `native`: what
   * the dialect's own API wants back. Default `openai`.
   */
  readonly shape?: 'openai' | 'native'
  /** What stands between two blocks of text. Default: nothing. */
  readonly textJoiner?: string
}

export interface DecodeResponseOptions extends ParseToolCallsOptions, CodecOptions {
  /** Names of tools that take text and were declared as functions: a model may send the text alone. */
  readonly freeform?: ReadonlySet<string> | undefined
  readonly onMalformed?: OnMalformed
  /** What stands between two blocks of text. Default: a line break. */
  readonly textJoiner?: string
}
