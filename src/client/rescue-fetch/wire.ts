/**
 * The contract of a wire that can be mended: where in the replies of a dialect the text stands, and how
 * a call is written in its place. All that has nothing to do with calls stays as it came.
 */
import type { Dialect, Frame } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { FinishReason, ToolCall } from '../../core/model.ts'
import type { CallIds } from './call-ids.ts'
import type { Op, Piece } from './text-rescue.ts'
import type { Thoughts } from './thoughts.ts'
import type { TurnCalls } from './turn-calls.ts'

export interface Wire {
  readonly dialect: Dialect
  /** Where its API is: the end of a path. */
  readonly path: RegExp
  /** The body with all calls in their place, or the same body when there is nothing to do. */
  mend(body: JsonObject, help: BodyHelp): JsonObject
  /** False where it is plain to see that a body has no calls but those in its text. */
  mayHaveCalls?(body: JsonObject): boolean
  open(help: StreamHelp): WireStream
}

export interface BodyHelp {
  readonly ids: CallIds
  /** What a text is, when there is more in it than text. */
  rescue(text: string, reason: FinishReason | undefined): readonly Op[] | undefined
  readonly reasoned: Reasoned
}

/**
 * The calls that the reasoning of an answer ends with, where the answer has nothing else. The reasoning stays
 * as it is, also because it may be signed.
 */
export type Reasoned = (answer: JsonObject, reason: FinishReason | undefined) => readonly ToolCall[]

export interface StreamHelp {
  readonly ids: CallIds
  /** The calls of one of the answers. */
  callsOf(answer: number): TurnCalls
  /** The reasoning of one of the answers, for wires that tell it piece by piece. */
  thoughtsOf(answer: number): Thoughts
  /** The same for wires that repeat the whole answer at its end. */
  readonly reasoned: Reasoned
}

/** Reads and writes the frames of one reply. */
export interface WireStream {
  /** The texts in a frame. Frames are read long before they are written. */
  read(data: JsonObject, event: string | undefined): readonly TextPiece[]
  /**
   * The frame, once everything about it is known. `isBeginning`: only what is known about its one
   * piece of text so far; the rest will follow.
   */
  write(entry: Entry, isBeginning: boolean): readonly (Frame | Uint8Array)[]
  /** Which of several answers to the same question a text belongs to; there is but one without it. */
  answerOf?(slot: TextPiece['slot']): number
  /** True when frames with nothing but text of this slot pass as they are, and need not be written. */
  passesText(slot: TextPiece['slot']): boolean
  /**
   * The string of a frame that is of no concern, where nothing else in it is either: a piece of
   * reasoning, or of the arguments of a call that has begun.
   */
  idleText?(data: JsonObject, event: string | undefined): string | undefined
  /** So many frames with text, like this one, passed without being read; their texts, joined. */
  noteText?(data: JsonObject, text: string, frames: number): void
  /** The same for frames that are of no concern. */
  noteIdle?(data: JsonObject, text: string, frames: number): void
  /** What was written to it and not passed on when the stream ended. */
  kept(): readonly Uint8Array[]
}

/** A piece of one of the texts of a reply. */
export interface TextPiece {
  /** Which of them. */
  readonly slot: string | number
  readonly text: string
  /** The text is over with this piece. */
  readonly ends?: FinishReason
  /** The frame must not be passed on before the text is over. */
  readonly waits?: boolean
}

/** A frame on its way, with the outcome of its pieces in the order in which they were read. */
export interface Entry {
  readonly bytes: Uint8Array
  readonly event: string | undefined
  readonly data: JsonObject
  readonly pieces: readonly Piece[]
}

/** A frame with other data than it came with. */
export function reframed({ event }: Pick<Entry, 'event'>, data: JsonObject): Frame {
  const json = JSON.stringify(data)
  return event === undefined ? { data: json } : { event, data: json }
}

/** The arguments as JSON text. */
export function argumentsText({ arguments: args }: ToolCall): string {
  return JSON.stringify(args)
}

/** The text that is left, all of it. */
export function textOf(ops: readonly Op[]): string {
  return ops.map((op) => (op.type === 'text' ? op.text : '')).join('')
}

/** The reasoning that was in the text. */
export function reasoningOf(ops: readonly Op[]): string {
  return ops.map((op) => (op.type === 'reasoning' ? op.text : '')).join('')
}

export function callsOf(ops: readonly Op[]): ToolCall[] {
  const calls: ToolCall[] = []
  for (const op of ops) if (op.type === 'call') calls.push(op.call)
  return calls
}
