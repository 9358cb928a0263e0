/**
 * The records of a run, and the state they add up to. Everything that changes a run is a record, and a
 * run that goes on in another process applies the same records; so what is resumed is what was running.
 */
import type { Usage } from '../core/chat.ts'
import { ToolglotError } from '../core/errors.ts'
import type { JsonObject } from '../core/json/value.ts'
import { textOf } from '../core/message.ts'
import type { FinishReason, Message, ToolCall, ToolResult } from '../core/model.ts'
import { turnFingerprint } from './fingerprint.ts'
import { FINISH_CATEGORIES, type Finish } from './finish.ts'
import { areMessages, checkRecords } from './record-check.ts'
import type { Store } from './store.ts'
import { estimateTokens } from './tokens.ts'
import type { RunEnd } from './tool-output.ts'
import { addUsage } from './usage.ts'

/** What somebody says to a call that waits. */
export type Decision =
  | { readonly approved: true; readonly arguments?: JsonObject }
  | { readonly approved: false; readonly reason?: string }
  /** The answer to a call whose tool has no `execute`. */
  | { readonly result: Omit<ToolResult, 'callId' | 'name'> }

export type RunRecord =
  | { readonly type: 'begin'; readonly id: string; readonly messages: readonly Message[] }
  /**
   * A reply of the model. Calls in it are a batch that must be closed; `feedback` is for what could not be
   * read as a call at all.
   */
  | {
      readonly type: 'reply'
      readonly message: Message
      readonly finishReason: FinishReason
      readonly usage: Usage
      readonly costUsd?: number
      readonly feedback?: string
      /** Answers to calls that must not run, by their positions. */
      readonly results?: Readonly<Record<number, ToolResult>>
      /** The run ends with this reply. */
      readonly ending?: Finish
    }
  /** A call is about to run. */
  | { readonly type: 'started'; readonly position: number }
  | {
      readonly type: 'result'
      readonly position: number
      readonly result: ToolResult
      /** The tool, or a hook, ends the run with it. */
      readonly end?: RunEnd
      /** What agents used that the call has run. */
      readonly usage?: Usage
      readonly costUsd?: number
    }
  | { readonly type: 'decided'; readonly decisions: Readonly<Record<number, Decision>> }
  /** All calls of the turn are answered. */
  | { readonly type: 'closed' }
  /** A reply that was no use; what it cost counts, what it said does not. */
  | {
      readonly type: 'discarded'
      readonly usage: Usage
      readonly costUsd?: number
      readonly maxTokens?: number
      /** The run ends with this reply. */
      readonly ending?: Finish
    }
  /** The final answer does not fit its schema. */
  | { readonly type: 'rejected'; readonly feedback: string }
  | { readonly type: 'messages'; readonly messages: readonly Message[] }
  /** The history in a shorter form. */
  | { readonly type: 'compacted'; readonly messages: readonly Message[] }
  /** The run ends so, and what is left to do is to answer the calls of its last turn. */
  | { readonly type: 'ending'; readonly finish: Finish }
  | { readonly type: 'finished'; readonly finish: Finish }
  /** The run goes on after its end, with something new to say or another limit. */
  | { readonly type: 'resumed'; readonly messages: readonly Message[] }

/** What something used; absent where that is not known. */
export type Spending = { readonly usage?: Usage; readonly costUsd?: number }

/** Where a run stands, as plain JSON. */
export interface RunState {
  readonly version: 1
  id: string
  messages: Message[]
  /** Turns with calls that are done. */
  steps: number
  /** The steps that were done when somebody last said something. */
  stepsBefore: number
  toolCalls: number
  usage: Usage
  costUsd?: number
  /** The calls of the last reply, until all are answered. */
  batch?: Batch
  /** Turns in a row in which every call failed. */
  mistakes: number
  /** Turns in a row that were like the one before. */
  unproductive: number
  fingerprint?: string
  /** The last text of the model that is not blank. */
  text: string
  /** Failed calls in a row, for advice that gets clearer. */
  failures: Failure[]
  outputRetries: number
  /** The limit of tokens for a reply, once it had to be raised. */
  maxTokens?: number
  /** Tokens of the history, as far as one can tell without the model's own tokenizer. */
  estimatedTokens: number
  /** What was said while calls waited for their results. */
  unsaid?: Message[]
  /** How the last reply ended, when it called nothing: it may be the answer. */
  answered?: FinishReason
  /** The last turn is closed, and nobody has looked at it yet. */
  isTurnNew?: true
  /** What a hook says before a step was said for the next one. */
  isStepBegun?: true
  /** How the run ends once the calls of its last turn are answered. */
  ending?: Finish
  finish?: Finish
  /** How many records led here. */
  records: number
}

export interface Batch {
  readonly calls: readonly ToolCall[]
  results: Record<number, ToolResult>
  started: number[]
  decisions: Record<number, Decision>
  /** Results that end the run. Absent in states of older versions. */
  ends?: Record<number, RunEnd>
  readonly feedback?: string
}

export interface Failure {
  readonly name: string
  readonly arguments: string
}

export function createState(): RunState {
  return {
    version: 1,
    id: '',
    messages: [],
    steps: 0,
    stepsBefore: 0,
    toolCalls: 0,
    usage: {},
    mistakes: 0,
    unproductive: 0,
    text: '',
    failures: [],
    outputRetries: 0,
    estimatedTokens: 0,
    records: 0,
  }
}

/** Applies a record. The state changes in place: a long history is not copied for every step. */
function applyRecord(state: RunState, record: RunRecord): void {
  state.records++
  if (record.type !== 'closed') delete state.isTurnNew
  switch (record.type) {
    case 'begin':
      state.id = record.id
      return say(state, record.messages)
    case 'reply':
      return applyReply(state, record)
    case 'started':
      state.batch?.started.push(record.position)
      return
    case 'result':
      return applyResult(state, record)
    case 'decided':
      delete state.finish
      if (state.batch) Object.assign(state.batch.decisions, record.decisions)
      return
    case 'closed':
      return closeTurn(state)
    case 'discarded':
      spend(state, record)
      if (record.maxTokens !== undefined) state.maxTokens = record.maxTokens
      if (record.ending) state.ending = record.ending
      return
    case 'rejected':
      state.outputRetries++
      return say(state, [{ role: 'user', content: record.feedback }])
    case 'messages':
      state.isStepBegun = true
      return say(state, record.messages)
    case 'compacted':
      state.messages = []
      state.estimatedTokens = 0
      return say(state, record.messages)
    case 'ending':
      state.ending = record.finish
      return
    case 'finished':
      delete state.ending
      state.finish = record.finish
      return
    case 'resumed':
      return resume(state, record.messages)
  }
}

function say(state: RunState, messages: readonly Message[]): void {
  delete state.answered
  for (const message of messages) {
    state.messages.push(message)
    state.estimatedTokens += estimateTokens(message)
  }
}

function spend(state: RunState, { usage, costUsd }: Spending): void {
  if (usage) state.usage = addUsage(state.usage, usage)
  if (costUsd !== undefined) state.costUsd = (state.costUsd ?? 0) + costUsd
}

function applyReply(state: RunState, reply: RunRecord & { readonly type: 'reply' }): void {
  const { message, finishReason, feedback, results = {}, ending } = reply
  delete state.isStepBegun
  spend(state, reply)
  say(state, [message])
  const { toolCalls: calls = [] } = message
  if (ending) state.ending = ending
  if (calls.length === 0 && feedback === undefined) {
    state.answered = finishReason
    return
  }
  const open = { calls, results: { ...results }, started: [], decisions: {} }
  state.batch = feedback === undefined ? open : { ...open, feedback }
}

function applyResult(state: RunState, record: RunRecord & { readonly type: 'result' }): void {
  spend(state, record)
  const { batch } = state
  if (!batch) return
  const { position, result, end } = record
  batch.results[position] = result
  if (end) batch.ends = { ...batch.ends, [position]: end }
}

function closeTurn(state: RunState): void {
  const { batch } = state
  const { calls = [], feedback } = batch ?? {}
  const results = calls.flatMap((_, position) => batch?.results[position] ?? [])
  delete state.batch
  if (results.length > 0) say(state, [{ role: 'tool', content: '', toolResults: results }])
  if (feedback !== undefined) say(state, [{ role: 'user', content: feedback }])
  say(state, state.unsaid ?? [])
  delete state.unsaid
  state.isTurnNew = true
  state.steps++
  state.toolCalls += calls.length
  countMistakes(state, calls, results)
  countProgress(state, turnFingerprint(calls, results))
}

function countMistakes(
  state: RunState,
  calls: readonly ToolCall[],
  results: readonly ToolResult[],
): void {
  // A denial is no mistake: the model could not know.
  const counted = results.filter(({ errorCode }) => errorCode !== 'Denied')
  if (counted.length === 0 && results.length > 0) return
  state.mistakes = counted.every(({ isError }) => isError) ? state.mistakes + 1 : 0
  for (const [at, { isError }] of results.entries()) {
    const call = calls[at]
    if (!call) continue
    const failure = { name: call.name, arguments: JSON.stringify(call.arguments) }
    const ofOthers = state.failures.filter(({ name }) => name !== call.name)
    state.failures = isError ? [...state.failures, failure].slice(-MAX_FAILURES) : ofOthers
  }
}

const MAX_FAILURES = 16

function countProgress(state: RunState, fingerprint: string): void {
  const text = lastText(state)
  const isNew = fingerprint !== state.fingerprint || (text !== '' && text !== state.text)
  state.unproductive = isNew ? 0 : state.unproductive + 1
  state.fingerprint = fingerprint
  if (text !== '') state.text = text
}

/** What the model said in the turn at hand, or an empty text. */
function lastText({ messages }: RunState): string {
  const reply = messages.findLast(({ role }) => role === 'assistant')
  return reply ? textOf(reply).trim() : ''
}

function resume(state: RunState, messages: readonly Message[]): void {
  delete state.finish
  delete state.isStepBegun
  state.mistakes = state.unproductive = state.outputRetries = 0
  state.stepsBefore = state.steps
  state.failures = []
  delete state.fingerprint
  // Nothing may stand between calls and their results.
  if (state.batch) state.unsaid = [...(state.unsaid ?? []), ...messages]
  else say(state, messages)
}

// ── keeping them ────────────────────────────────────────────────────────────────────────────────

export interface Journal {
  readonly state: RunState
  /** Keeps the records, then applies them. */
  write(...records: readonly RunRecord[]): Promise<void>
  /** Applies a record that follows from those before it; it is kept with the next ones. */
  note(record: RunRecord): void
}

/** Records go to the store one write after another, also when tools end at the same time. */
export function createJournal(state: RunState, store: Store | undefined): Journal {
  let last: Promise<unknown> = Promise.resolve()
  let kept = state.records
  let noted: RunRecord[] = []

  async function keep(records: readonly RunRecord[]): Promise<void> {
    const all = [...noted, ...records]
    noted = []
    await store?.append(state.id, all, kept)
    kept += all.length
    for (const record of records) applyRecord(state, record)
  }

  return {
    state,
    write(...records) {
      const [first] = records
      if (first?.type === 'begin') state.id = first.id
      const written = last.then(() => keep(records))
      // A store that failed has told so to whoever wrote; the next write is tried all the same.
      last = written.catch(() => {})
      return written
    },
    note(record) {
      applyRecord(state, record)
      if (store) noted.push(record)
    },
  }
}

/**
 * The state of a run from all of its records.
 *
 * @throws ToolglotError `store_invalid` for what is no record, or not of this version.
 */
export function replay(records: readonly RunRecord[]): RunState {
  checkRecords(records)
  const state = createState()
  for (const record of records) applyRecord(state, record)
  return state
}

/** A state that was kept as JSON, checked as far as a mistake is likely. */
export function asState(value: unknown): RunState {
  const state = value as Partial<RunState> | null
  if (state?.version === 1 && areMessages(state.messages) && typeof state.id === 'string') {
    // A copy: the run goes on in it, and the caller's own stays what it was.
    return { ...createState(), ...structuredClone(state) } as RunState
  }
  throw new ToolglotError(
    'invalid_state',
    'this is not the state of a run of this version; pass what `result.state` gave, or start anew',
  )
}

/** True when there is nothing to go on with. */
export function isOver({ finish }: RunState): boolean {
  return finish !== undefined && FINISH_CATEGORIES[finish.reason] === 'success'
}
