/** What a caller can ask of the extractor, and the defaults. */
import type { Heard } from './heard.ts'
import type { Issue, Repair } from './issue.ts'
import type { JsonKind } from './json/reader.ts'
import type { JsonObject, JsonValue } from './json/value.ts'
import type { FinishReason, JsonSchema, Tool } from './model.ts'
import type { Protocol } from './protocol.ts'

/** `off`: strict reading. `safe`: repairs that lose nothing. `guess`: also those that choose. */
export type RepairLevel = 'off' | 'safe' | 'guess'

/** What becomes of a call that cannot be read. */
export type OnMalformed = 'issue' | 'error' | 'sentinel' | 'raw' | 'skip'

export type IdStyle = 'random' | 'sequential' | ((info: { name: string; index: number }) => string)

export interface ExtractLimits {
  /** Calls and failed calls in one reply; what follows is text. */
  readonly maxCalls: number
  /** Characters held back for one undecided or unfinished call. */
  readonly maxBuffer: number
  /** Nesting of arguments. */
  readonly maxDepth: number
}

export const DEFAULT_LIMITS: ExtractLimits = {
  maxCalls: 1000,
  maxBuffer: 16 * 1024 * 1024,
  maxDepth: 512,
}

/**
 * How arguments are made to fit a tool's schema. A value of its own because it is a fifth of the
 * extractor: who needs no conversion does not pay for it.
 */
export interface Fit {
  /** The arguments as the schema wants them, with the repairs they have had already. */
  fit(
    args: JsonObject,
    schema: JsonSchema,
    earlier: readonly Repair[],
  ): {
    readonly value: JsonObject
    readonly repairs: readonly Repair[]
    readonly issues: readonly Issue[]
    /**
     * What is wrong with arguments that were damaged: something is missing although the model may well have
     * written it, because nothing closed the call or what was repaired holds it, or a value does not fit.
     */
    readonly lacks?: (cut: boolean | undefined) => string | undefined
  }
  /** What the schema says, place by place; undefined when it says nothing. */
  view(schema: JsonSchema): SchemaView | undefined
  /** What `fit` makes of one declared property. */
  fitProperty(key: string, value: unknown, schema: JsonSchema): JsonValue
  /** True when `fit` never changes anything under this schema. */
  changesNothing(schema: JsonSchema): boolean
  declares(schema: JsonSchema, key: string): boolean
  /** The arguments as JSON, where they may be among what an object says besides: JSON by key. */
  gather(schema: JsonSchema, said: ReadonlyMap<string, string>): string | undefined
  /** Tells the arguments while they come; undefined when `fit` never changes anything under this schema. */
  stream(schema: JsonSchema, delta: (json: string) => void): ArgumentStream | undefined
  /** True when `fit` keeps every text under this declared key, so that it can be told while it arrives. */
  keepsText(schema: JsonSchema, key: string): boolean
}

/** Gets the structure of the arguments object; depths count from that object, which has depth 0. */
export interface ArgumentStream {
  text(piece: string): void
  key(depth: number, key: string): void
  valueStart(depth: number, kind: JsonKind): void
  valueEnd(depth: number): void
  /** The properties told so far. */
  readonly streamed: ReadonlySet<string>
}

/** What a schema says about one place in the arguments, for formats that write all of them as text. */
export interface SchemaView {
  accepts(type: 'null' | 'string' | 'array' | 'object'): boolean
  /** Undefined where the schema does not say anything. */
  property(key: string): SchemaView | undefined
  item(at: number): SchemaView | undefined
  /** The value that raw text stands for. */
  read(raw: string): { readonly value: JsonValue; readonly repairs: readonly Repair[] }
}

/**
 * Where calls without a marker are read: when the reply, or a code block of its own, is nothing else;
 * also when the reply ends with them, on lines of their own; anywhere.
 */
export type FreeScope = 'message' | 'ending' | 'anywhere'

/** What is looked for in a reply. */
export interface Sought {
  /** The tools a reply may call: definitions, or bare names. */
  readonly tools?: readonly (Tool | string)[] | undefined
  /** Makes arguments fit the schemas of the tools; without it they stay as the model wrote them. */
  readonly fit?: Fit | undefined
  readonly protocols: readonly Protocol[]
  /** Where calls that look like program text are read; a list of protocols means `anywhere`. */
  readonly freeText?: FreeScope | undefined
  /** One of the protocols, which the model was asked to write: it is read as if there were no others. */
  readonly expect?: Protocol | undefined
}

/** Options that do not need the registry; `protocols` are values here. */
export interface CoreOptions extends Sought {
  /** Where bare JSON may be a call, if it may. Default: `ending` with tools, `anywhere` without. */
  readonly rawJson?: FreeScope | 'off'
  readonly onMalformed?: OnMalformed
  readonly dedupe?: false | 'exact' | 'adjacent'
  readonly ids?: IdStyle | undefined
  /** Ids of earlier turns, which must not come again. */
  readonly usedIds?: Iterable<string> | undefined
  /** What others have said in the conversation: a call that repeats it is quoted, unless `expect` has its format. */
  readonly heard?: Heard | undefined
  /** False keeps two calls with the same id as they are. Default true. */
  readonly ensureUniqueIds?: boolean | undefined
  /** Accept calls to tools that were not declared. */
  readonly allowUnknownTools?: boolean
  /** Read calls inside code blocks and inline code as well. */
  readonly scanCode?: boolean
  /**
   * Calls inside reasoning: `ignore` them, `allow` them, or let the `protocol` say whether its marker
   * ends a reasoning block left open. What a server keeps apart as reasoning was left open when the reply
   * has nothing else. Default `protocol`.
   */
  readonly inReasoning?: 'protocol' | 'ignore' | 'allow'
  /** `text` leaves reasoning where it stands in the text, with its tags. Default `split`. */
  readonly reasoning?: 'split' | 'text'
  readonly repair?: RepairLevel | undefined
  readonly finishReason?: FinishReason | undefined
  readonly limits?: Partial<ExtractLimits>
  /** Source of randomness for ids: a number in [0, 1). */
  readonly random?: (() => number) | undefined
  /** Record which characters became what; see {@link Segment}. */
  readonly trace?: boolean
}

/** A stretch of the input and what it became. Segments are contiguous and cover the input. */
export interface Segment {
  readonly kind: 'text' | 'reasoning' | 'call' | 'issue' | 'markup'
  readonly start: number
  readonly end: number
}
