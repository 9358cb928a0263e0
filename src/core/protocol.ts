/**
 * The contract of a text format. A protocol is a value: how its calls begin, who reads them, and
 * how they are written. Everything else (streaming, hold-back, limits, code blocks, reasoning) is
 * the engine's business and the same for all.
 */
import type { IssueCode, Repair } from './issue.ts'
import type { JsonObject } from './json/value.ts'
import type { Freeform, JsonSchema, Tool, ToolCall, ToolResult } from './model.ts'
import type { ExtractLimits, Fit, RepairLevel } from './options.ts'

export interface Protocol<Id extends string = string> {
  readonly id: Id
  /** Who writes it: names, separated by commas, for the table in the docs and to break ties. */
  readonly emitters: string
  /**
   * Set for formats without a marker of their own: bare JSON, or text such as `name(…)`. Ordinary
   * text looks like them, so they are read only where nothing else can be meant, and only for
   * declared tools.
   */
  readonly free?: 'json' | 'text'
  /** Ids of protocols that read some of the same texts. Where both could read a call, this one does. */
  readonly before?: readonly string[]
  /** False keeps the protocol out of auto mode; it is read only when asked for by name. */
  readonly auto?: boolean
  /** True when its opener ends a reasoning block that the model forgot to close. */
  readonly endsReasoning?: boolean
  /** True when arguments are written as plain text, so that only the tool's schema tells their types. */
  readonly rawText?: boolean
  /** Names of models that write it, where `emitters` does not say them: they break ties. */
  readonly models?: readonly string[]
  /**
   * How a call can begin. Some formats begin with the tool's name, so the tools come in; only their
   * names count, for the openers are kept for other replies. `isOnly`: no other format is looked for,
   * so that less of a sign is enough.
   */
  openers(tools: ToolTable, isOnly?: boolean): readonly Opener[]
  /** Closing markers that mean nothing alone and are dropped once a call of this protocol was seen. */
  readonly strays?: readonly string[]
  /** Special tokens of the chat template, which nobody writes by hand: they are never text. */
  readonly tokens?: readonly (string | Marker)[]
  /** How the reasoning of these models begins and ends, beside the tags that all share. */
  readonly reasoning?: readonly ReasoningTag[]
  /** Blocks in which a model plays the tool's part and makes a result up. */
  readonly results?: readonly ResultBlock[]

  /** Tells a model which tools there are and how to call them. */
  formatTools(tools: readonly Tool[], options?: FormatToolsOptions): string
  /** Writes a call the way this protocol reads it; with its id, or its place, where the format has room for one. */
  formatCall(call: WrittenCall, place?: CallPlace): string
  /**
   * Writes a result for the model to read, with the name of its tool and the call that it answers.
   * `orphan`: the conversation has no such call.
   */
  formatResult(result: ToolResult, place?: ResultPlace): string
}

export type WrittenCall = Pick<ToolCall, 'name' | 'arguments'> & Partial<Pick<ToolCall, 'id'>>

/** Which of the calls of its turn a call is, counted from 1. */
export interface CallPlace {
  readonly index: number
  readonly of: number
}

/** Which call a result answers, if any. */
export type ResultPlace = CallPlace | 'orphan'

/** What encloses reasoning. */
export interface ReasoningTag {
  readonly open: string | Marker
  /** What ends it and goes with it. */
  readonly close: readonly string[]
  /** What ends it and stands for itself, such as the header of the next message. */
  readonly until?: readonly string[]
  /**
   * True when prompts often end with the opener: the closer alone then says that all text before it
   * was reasoning.
   */
  readonly prompted?: boolean
}

/** A protocol that reads the same as another, under the name of its own models. */
export function variantOf<Id extends string>(
  protocol: Protocol,
  own: { readonly id: Id } & Partial<Protocol>,
): Protocol<Id> {
  return { ...protocol, auto: false, ...own }
}

export interface FormatToolsOptions {
  /** How the tools are listed; by default each with its whole schema. */
  readonly listing?: ToolListing
}

export interface ToolListing {
  /** How to read the list; stands before it. */
  readonly legend?: string
  list(tools: readonly Tool[]): string
}

/** `match` has found that the marker does not stand here. */
export const NO_MATCH = 0
/** `match` cannot tell yet: the text ends inside what may become the marker. */
export const NEED_MORE = -1

/** How a marker is found. */
export interface Marker {
  /**
   * The characters that may stand first, second and so on: what the scanner stops at, and what rules
   * most stops out. Longer ones cost nothing; `match` decides.
   */
  readonly prefix: readonly string[]
  /** `line`: only indentation may stand before it. `word`: no letter, digit, `.`, `-`, `$` may.
   * `start`: no text may, only reasoning. */
  readonly boundary?: 'line' | 'word' | 'start'
  /**
   * Length of the marker at `at`, {@link NO_MATCH} or {@link NEED_MORE}. Must not look at or behind
   * `end`; when `last` is true nothing will ever stand there, so the answer is final.
   */
  match(text: string, at: number, end: number, last: boolean): number
}

export interface Opener extends Marker {
  /** Which of several openers that match at one place is tried first; higher goes first. */
  readonly priority?: number
  /** True when the reader wants to see the marker itself: it begins at `at`, not behind it. */
  readonly keep?: boolean
  /** True when the reader may pass text on as data, so that nothing in it is a call. */
  readonly passes?: boolean
  /** Reads what stands behind the marker; called once for each marker found. */
  open(context: ReadContext): Reader
  /**
   * A quicker way over what a whole text shows to be complete and in order; the reader would find the
   * same. Returns the index behind it, or -1.
   */
  readComplete?(context: ReadContext, text: string, at: number): number
}

export interface Reader {
  /**
   * Reads on from `at` and returns the index up to which it is done with the text. What it leaves
   * is presented again, with more behind it or with `last` set.
   */
  read(text: string, at: number, last: boolean): number
  /**
   * `open`: undecided or inside a call; the text is held. `passing`: what is consumed is plain text,
   * but no call can begin in it. `done`: the text up to the returned index belongs to the calls.
   * `declined`: the text up to the returned index is plain text.
   */
  readonly state: 'open' | 'passing' | 'done' | 'declined'
}

/** The next place at or behind `at`, or -1. */
export type Search = (text: string, at: number) => number

/** What a reader may ask and tell. */
export interface ReadContext {
  readonly tools: ToolTable
  readonly repair: RepairLevel
  readonly fit: Fit | undefined
  readonly limits: ExtractLimits
  /** False when nobody listens: readers need not produce argument deltas. */
  readonly deltas: boolean
  /** True when a call counts only if nothing else stands beside it. */
  readonly alone: boolean
  /** Absolute position of the first character of the text being read. */
  base(): number
  /** Like `indexOf`, but asking again from further on costs nothing until the place is passed. */
  find(text: string, sought: string | Search, at: number): number
  /** The name is certain. Undefined: this tool may not be called from this format. */
  begin(name: string, id?: string): CallDraft | undefined
  /** What stands before `end` is markup that belongs to no call. */
  skip(end: number): void
  /** Something is wrong between the end of the last call (or the marker) and `end`. */
  issue(code: IssueCode, message: string, end: number, name?: string): void
}

/** A call under way. Indexes are those of the text being read; before its start they are negative. */
export interface CallDraft {
  readonly name: string
  readonly schema: JsonSchema | undefined
  /** A piece of the coerced arguments as JSON. */
  delta(json: string): void
  /** The call is complete: `json` spells its arguments, an object. */
  end(ending: CallEnding): void
  /** The call began but cannot be made. */
  fail(code: IssueCode, message: string, end: number): void
  /** The call was not meant as one: its text, which ends at `end`, stays text. */
  retract(message: string, end: number): void
}

export interface CallEnding {
  /** The arguments as JSON: an object, before coercion. */
  readonly json: string
  /** The same, parsed, when that was done anyway. */
  readonly value?: JsonObject | undefined
  readonly repairs: readonly Repair[]
  readonly end: number
  /** The arguments as the model wrote them, when that is not `json`. */
  readonly raw?: string | undefined
  /** True when nothing but the end of the reply ended the call: it may have been cut off. */
  readonly cut?: boolean | undefined
  /** The properties already told by `delta`, when not all of them were. */
  readonly streamed?: ReadonlySet<string> | undefined
}

export interface ResultBlock {
  readonly open: Marker
  /** How far the block reaches from `at`: to its end, or to where its end may begin. */
  findEnd(
    text: string,
    at: number,
    last: boolean,
  ): { readonly end: number; readonly closed: boolean }
}

/** The tools a reply may call, by name. */
export interface ToolTable {
  /** False when the caller gave no tools: then any name will do. */
  readonly known: boolean
  /** The names that formats look for: all but those of absurd length. */
  readonly names: readonly string[]
  /** The same for tables with the same names. */
  readonly key: string
  /** The tool a model means by `name`, also in another spelling. */
  find(name: string): FoundTool | undefined
}

export interface FoundTool {
  readonly name: string
  readonly schema: JsonSchema | undefined
  /** Present for a tool that takes text, which is its argument `input`. */
  readonly freeform?: Freeform
  /** Present when the model spelled the name differently. */
  readonly repair?: Repair
}
