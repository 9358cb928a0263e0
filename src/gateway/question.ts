/** One request for a reply on its way through the gateway. */
import type { FittedReply } from '../client/reply-limit.ts'
import type { ChatRequest, Usage } from '../core/chat.ts'
import type { ToolKind } from '../core/dialect.ts'
import type { Issue } from '../core/issue.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { ToolCall } from '../core/model.ts'
import { mergeReading, type ReadingOptions } from '../reading-options.ts'
import type { Endpoint, ReplyFacts, Sight } from './endpoints/endpoint.ts'
import type { SearchWeb } from './hosted/search-backends.ts'
import type { ByteSource } from './http.ts'
import type { CallLoop, LoopGuard } from './loop-guard.ts'
import type { Attempt, Observation, Remark, Rescued } from './observer.ts'
import type { Kept } from './state.ts'
import type { Target } from './target.ts'

export interface Question {
  readonly endpoint: Endpoint
  readonly sight: Sight
  readonly body: JsonObject
  /** Kinds of tools besides functions that it has. */
  readonly toolKinds: readonly ToolKind[]
  readonly facts: ReplyFacts
  /** The name of the client's key. */
  readonly key: string | undefined
  /** Who may refer to the reply, which is whoever has the same key. */
  readonly client: string | undefined
  /** Headers of the client that the provider is sent. */
  readonly forwarded: Readonly<Record<string, string>>
  /** Names of further headers of the provider that the client is sent. */
  readonly returned: readonly string[]
  readonly rescue: RescueWish
  /** Searches the web for models that cannot; undefined when nobody does. */
  readonly searchWeb: SearchWeb | undefined
  /** What the key of the client says, or else the configuration for all. */
  readonly loopGuard: { readonly key: LoopGuard | undefined; readonly usual: LoopGuard }
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  readonly maxReplyBytes: number
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number
  /** After each step over all of a long question, others have their turn; a short one goes on at once. */
  pause(): Promise<void>
  readonly report: Report
  readonly watch: Watchers
  /** Notes that a provider keeps the reply of this id. */
  notePassed(id: string, target: Target): Promise<void>
  /** A body in the neutral model, by default its own; rejects with a GatewayError when it is no question. */
  request(body?: JsonObject): Promise<ChatRequest>
}

export interface RescueWish {
  readonly enabled: boolean
  /** How replies are read unless the target says otherwise. */
  readonly usual: ReadingOptions
  /** What this request says about it, which goes before everything else. */
  readonly wished: ReadingOptions
}

/** What a reply of this target is called; the name that the client asked for may be the provider's own. */
export function factsFor({ facts }: Question, { model }: Pick<Target, 'model'>): ReplyFacts {
  return { ...facts, isRenamed: facts.model !== model }
}

/** How the reply of a target to this question is read. */
export function readingFor({ rescue }: Question, { spec }: Target): ReadingOptions {
  return mergeReading(rescue.usual, spec.reading, rescue.wished)
}

/** What comes of a question, gathered on the way. */
export interface Report {
  readonly rescues: Rescued[]
  /** Codes of what was lost or wrong. */
  readonly issues: string[]
  /** The same with the fields that each is about, and what is of less weight. */
  readonly remarks: Remark[]
  usage: Usage | undefined
  /** Which of the two texts is made of tokens, where the provider reports no usage. */
  counted: 'both' | 'request' | 'none'
  /** Who was asked last. */
  target: Pick<Target, 'name' | 'model' | 'price'> | undefined
  fallbacks: number
  /** When a provider was asked, and when it began to answer; milliseconds on the clock of the question. */
  askedAt: number | undefined
  answeredAt: number | undefined
  /** Where the turn is kept that the reply ends; undefined when nothing of it has to be. */
  turn: Kept | undefined
  /** The tokens that were asked for the reply and sent, where the model had no room for as many. */
  fitted: FittedReply | undefined
  /** What the provider asked last has room for, once it has said so. */
  roomForReply: number | undefined
  /** What the agent repeats. */
  loop: CallLoop | undefined
  /** What went wrong after the reply had begun. */
  failure: unknown
  /** The stream had nothing but signs of life in it when it failed. */
  isUnanswered: boolean
}

export function createReport(): Report {
  return {
    rescues: [],
    issues: [],
    remarks: [],
    usage: undefined,
    counted: 'both',
    target: undefined,
    fallbacks: 0,
    askedAt: undefined,
    answeredAt: undefined,
    turn: undefined,
    fitted: undefined,
    roomForReply: undefined,
    loop: undefined,
    failure: undefined,
    isUnanswered: false,
  }
}

/** All who look on, as one. */
export type Watchers = Required<Observation>

/** What a provider's model says to it. */
export interface Answer {
  readonly contentType: string
  /** A sign of life between two frames of a stream; empty where there is none. */
  readonly keepAlive?: string
  /** Headers of the provider that the client gets. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | ByteSource
}

export function noteCall(report: Report, { name, protocol, repairs = [] }: ToolCall): void {
  if (protocol === undefined) return
  const codes = repairs.map(({ code }) => code)
  report.rescues.push({ protocol, tool: name, repairs: [...new Set(codes)] })
}

/** A chain may report the same of each of its members, and a history the same of each message. */
export function noteIssues(report: Report, issues: readonly Issue[]): void {
  for (const { code, fields = [], level } of issues) {
    if (level === undefined) report.issues.push(code)
    if (report.remarks.length < MAX_REMARKS) report.remarks.push({ code, fields, level })
  }
}

const MAX_REMARKS = 1000

/** The least that holds for all that was kept counts. */
export function noteKept(report: Report, kept: readonly (Kept | undefined)[]): void {
  report.turn = LEAST_FIRST.find((where) => kept.includes(where))
}

const LEAST_FIRST: readonly Kept[] = ['nowhere', 'here', 'everywhere']

export function noteAttempt(
  { watch, report, now }: Pick<Question, 'watch' | 'report' | 'now'>,
  attempt: Attempt,
): void {
  report.askedAt ??= now()
  watch.attempt(attempt)
}
