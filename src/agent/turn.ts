/** The calls of one reply: looked at, approved, run in their order, and answered, every one of them. */
import type { ToolCall, ToolResult } from '../core/model.ts'
import { createPatterns } from '../core/schema/pattern.ts'
import type { RunnableTool } from '../tool.ts'
import { checkArguments, uncheckedPatterns } from './arguments.ts'
import { partition, runBatch } from './batch.ts'
import { asDecision } from './decision.ts'
import { doubtsAbout } from './doubt.ts'
import { callKey } from './fingerprint.ts'
import type { AgentFinishReason, Finish, PendingCall } from './finish.ts'
import { calling, haltOf, runHooks } from './hooks.ts'
import type { Batch, Decision, RunRecord, RunState, Spending } from './journal.ts'
import { decide } from './permissions.ts'
import { fitResult, lengthOf } from './result-budget.ts'
import {
  canceled,
  halted,
  hooksOf,
  INNER,
  type InnerRun,
  type MaybeEnding,
  RUN,
  type Run,
  stepContext,
} from './run-context.ts'
import { guidance } from './tool-guard.ts'
import { type Answer, errorAnswer, type RunEnd } from './tool-output.ts'
import { MAY_HAVE_TAKEN_EFFECT, mayRunAgain, runTool } from './tool-run.ts'

const TOOL_TIMEOUT_MS = 60_000
const CONCURRENCY = 4

/** A call that may run. */
interface ReadyCall {
  readonly position: number
  readonly call: ToolCall
  readonly tool: RunnableTool
  readonly input: unknown
}

/** A call that ran before the process ended. */
interface DoneCall {
  readonly position: number
  readonly call: ToolCall
  readonly isDone: true
}

type Prepared =
  | { readonly ready: ReadyCall }
  | { readonly answer: Answer }
  | { readonly pending: PendingCall }
  | { readonly halt: string }

/**
 * Looks at all open calls before the first of them runs: when one has to wait for somebody, all do. An
 * ending leaves calls without a result; `closeBatch` answers them.
 */
export async function runCalls(run: Run): Promise<MaybeEnding> {
  const { batch, steps } = run.journal.state
  if (!batch) return undefined
  const ready: (ReadyCall | DoneCall)[] = []
  const pending: PendingCall[] = []
  for (const [position, call] of batch.calls.entries()) {
    await run.emit({ type: 'tool-call', step: steps, call })
    const known = batch.results[position]
    if (known) {
      await run.emit({ type: 'tool-result', step: steps, call, result: known, durationMs: 0 })
      // Calls that ran keep their place among the others, so that the same ones run beside each other.
      if (batch.started.includes(position)) {
        ready.push({ position, call, isDone: true })
        continue
      }
      const ending = await endingOf(run, position)
      if (ending) return ending
      continue
    }
    const prepared = await prepare(run, batch, position, call)
    if ('halt' in prepared) return halted(prepared.halt)
    if ('answer' in prepared) {
      const { answer } = prepared
      await record(run, { position, call, answer, durationMs: 0 })
      const ending = await endingOf(run, position)
      if (ending) return ending
    }
    if ('ready' in prepared) ready.push(prepared.ready)
    if ('pending' in prepared) pending.push(prepared.pending)
  }
  if (pending.length > 0) {
    await run.emit({ type: 'approval-needed', pending })
    return { finish: { reason: 'paused', pending } }
  }
  return runReady(run, ready)
}

async function runReady(run: Run, ready: readonly (ReadyCall | DoneCall)[]): Promise<MaybeEnding> {
  const { concurrency = CONCURRENCY } = run.options
  const isSafe = ({ call }: ReadyCall | DoneCall): boolean =>
    run.toolset.find(call.name)?.concurrencySafe === true
  for (const batch of partition(ready, isSafe, concurrency)) {
    if (run.signal.aborted) return canceled()
    const endings = await runBatch(batch, (item) =>
      'isDone' in item ? endingOf(run, item.position) : runOne(run, item),
    )
    const ending = endings.find((end) => end !== undefined)
    if (ending) return ending
  }
  return run.signal.aborted ? canceled() : undefined
}

async function runOne(run: Run, { position, call, tool, input }: ReadyCall): Promise<MaybeEnding> {
  const { journal, options, signal } = run
  const { state } = journal
  const wasStarted = state.batch?.started.includes(position) ?? false
  if (!wasStarted) await journal.write({ type: 'started', position })
  const begun = performance.now()
  const inner: InnerRun = { spent: {} }
  const { answer, end } = await runTool({
    tool,
    input,
    wasStarted,
    signal,
    timeoutMs: tool.timeoutMs ?? options.toolTimeoutMs ?? TOOL_TIMEOUT_MS,
    context: {
      call,
      key: callKey(state.id, state.steps, position, call),
      messages: state.messages,
      progress: (value) => void run.emit({ type: 'tool-progress', call, value }),
      [RUN]: run,
      [INNER]: inner,
    },
  })
  const durationMs = performance.now() - begun
  await record(run, { position, call, answer, durationMs, end, spent: inner.spent })
  await inner.forget?.()
  return endingOf(run, position)
}

/** How the run ends with the result of a call, if it does. */
async function endingOf({ journal, emit }: Run, position: number): Promise<MaybeEnding> {
  const end = journal.state.batch?.ends?.[position]
  if (end?.reason === 'halted') return halted(end.message)
  if (!end) return undefined
  const { deliverable } = end
  await emit({ type: 'submitted', deliverable })
  return { finish: { reason: 'submitted', deliverable } }
}

// ── before a call runs ──────────────────────────────────────────────────────────────────────────

async function prepare(
  run: Run,
  batch: Batch,
  position: number,
  call: ToolCall,
): Promise<Prepared> {
  const tool = run.toolset.find(call.name)
  if (!tool) return { answer: errorAnswer(run.toolset.unknown(call.name), 'UnknownTool') }
  const changed = await applyHooks(run, call)
  if ('halt' in changed) return changed
  if ('deny' in changed) return { answer: refusal(batch, position, tool, changed.deny) }
  const decision = batch.decisions[position]
  const asked = withDecision(changed.call, decision)
  const checked = await checkCall(run, tool, asked)
  if (!checked.ok) return { answer: errorAnswer(checked.message, 'InvalidArgs') }
  const verdict = await calling('canUse', () => decide(asked, tool, run.options.permissions))
  if ('halt' in verdict) return { halt: verdict.halt }
  if (!verdict.allow) return { answer: refusal(batch, position, tool, verdict.reason) }
  const ready = { position, call: asked, tool, input: checked.input }
  // Whoever had to agree has agreed.
  return batch.started.includes(position) ? { ready } : approve(run, ready, decision)
}

/** Why a call is not run; one that was begun before the process ended may have taken effect all the same. */
function refusal(batch: Batch, position: number, tool: RunnableTool, reason: string): Answer {
  const isBegun = batch.started.includes(position) && !mayRunAgain(tool)
  if (!isBegun) return errorAnswer(reason, 'Denied')
  return errorAnswer(
    `${reason}; before that it was begun, and ${MAY_HAVE_TAKEN_EFFECT}`,
    'Interrupted',
  )
}

type Changed = { readonly call: ToolCall } | { readonly deny: string } | { readonly halt: string }

async function applyHooks(run: Run, call: ToolCall): Promise<Changed> {
  const changes = await runHooks(hooksOf(run.options), 'beforeTool', (hook) =>
    hook.beforeTool?.(call, stepContext(run)),
  )
  const halt = haltOf(changes)
  if (halt !== undefined) return { halt }
  const reason = changes.find(({ deny }) => deny !== undefined)?.deny
  if (reason !== undefined) return { deny: reason }
  const args = changes.findLast((change) => change.arguments)?.arguments
  return { call: args ? { ...call, arguments: args } : call }
}

function withDecision(call: ToolCall, decision: Decision | undefined): ToolCall {
  const args =
    decision && 'approved' in decision && decision.approved ? decision.arguments : undefined
  return args ? { ...call, arguments: args } : call
}

/** Asks whoever has to agree, unless that is done. */
async function approve(run: Run, ready: ReadyCall, known: Decision | undefined): Promise<Prepared> {
  const { call, tool } = ready
  const doubts = doubtsAbout(call, run.options.permissions?.confirm)
  const needs = (await needOf(run, ready)) ?? (doubts.length > 0 ? 'approval' : undefined)
  if (needs === undefined) return { ready }
  const pending: PendingCall = { call, needs, ...(doubts.length > 0 && { doubts }) }
  const said = known ?? (await calling('approve', () => run.options.approve?.(pending)))
  if (said === undefined || said === null) return { pending }
  const decision = asDecision(said)
  if (!decision) return { answer: errorAnswer(unclear(call.name), 'Denied') }
  // Nobody is asked twice about one call.
  if (!known)
    await run.journal.write({ type: 'decided', decisions: { [ready.position]: decision } })
  if ('result' in decision) return { answer: decision.result }
  if (!decision.approved) {
    return { answer: errorAnswer(decision.reason ?? `${call.name} was not approved`, 'Denied') }
  }
  if (needs === 'result') return { pending }
  if (!decision.arguments || decision === known) return { ready }
  const changed = { ...call, arguments: decision.arguments }
  const checked = await checkCall(run, tool, changed)
  if (!checked.ok) return { answer: errorAnswer(checked.message, 'InvalidArgs') }
  return { ready: { ...ready, call: changed, input: checked.input } }
}

async function checkCall(
  run: Run,
  tool: RunnableTool,
  call: ToolCall,
): ReturnType<typeof checkArguments> {
  const patterns = createPatterns()
  const checked = await checkArguments(tool, call.arguments, patterns)
  for (const issue of uncheckedPatterns(patterns, call)) await run.emit({ type: 'issue', issue })
  return checked
}

function unclear(name: string): string {
  return `${name} was not approved: the approval callback gave no clear answer`
}

/** What a call has to wait for. */
async function needOf(
  { journal }: Run,
  { call, tool, input }: ReadyCall,
): Promise<PendingCall['needs'] | undefined> {
  if (!tool.execute) return 'result'
  const { messages } = journal.state
  const asks = await calling('needsApproval', () => tool.needsApproval?.(input, { call, messages }))
  return asks ? 'approval' : undefined
}

// ── after a call ran ────────────────────────────────────────────────────────────────────────────

interface AnsweredCall {
  readonly position: number
  readonly call: ToolCall
  readonly answer: Answer
  readonly durationMs: number
  readonly end?: RunEnd | undefined
  readonly spent?: Spending
}

/** Keeps a result, with the end of the run if the tool or a hook wants it, and tells of it. */
async function record(run: Run, answered: AnsweredCall): Promise<void> {
  const { journal, options } = run
  const { position, call, answer, durationMs, end, spent } = answered
  const { batch, failures, steps } = journal.state
  const advice = answer.isError ? adviceFor(call, answer, failures) : undefined
  let result = withText({ callId: call.id, name: call.name, ...answer }, advice)
  const changes = await runHooks(hooksOf(options), 'afterTool', (hook) =>
    hook.afterTool?.(call, result, stepContext(run)),
  )
  const replaced = changes.findLast((change) => change.result)?.result
  if (replaced) result = { callId: call.id, name: call.name, ...replaced }
  const added = changes.map(({ append = '' }) => append).filter((text) => text !== '')
  result = withText(result, added.length > 0 ? added.join('\n') : undefined)
  const used = Object.values(batch?.results ?? {}).reduce((sum, each) => sum + lengthOf(each), 0)
  result = fitResult(result, options.resultBudget ?? {}, used)
  const halt = haltOf(changes)
  const ends: RunEnd | undefined = halt === undefined ? end : { reason: 'halted', message: halt }
  await journal.write({ type: 'result', position, result, ...(ends && { end: ends }), ...spent })
  await run.emit({ type: 'tool-result', step: steps, call, result, durationMs })
}

function adviceFor(
  { name, arguments: args }: ToolCall,
  { errorCode }: Answer,
  failures: RunState['failures'],
): string | undefined {
  if (errorCode === 'Denied' || errorCode === 'Canceled') return undefined
  return guidance(failures, { name, arguments: JSON.stringify(args) })
}

function withText(result: ToolResult, text: string | undefined): ToolResult {
  if (text === undefined) return result
  const { content } = result
  if (typeof content === 'string') return { ...result, content: `${content}\n\n${text}` }
  return { ...result, content: [...content, { type: 'text', text }] }
}

/**
 * The records that close a turn in which the run ends: what was not run is answered, so that the history can be sent
 * to any provider as it is. The end comes first: should the process end before all are kept, no other call runs.
 */
export function closeBatch(run: Run, finish: Finish): readonly RunRecord[] {
  const { batch, ending } = run.journal.state
  if (!batch) return []
  const { reason } = finish
  const open = batch.calls.flatMap((call, position) =>
    batch.results[position] ? [] : [{ call, position }],
  )
  const records = open.map(({ call, position }): RunRecord => {
    const answer = batch.started.includes(position)
      ? unknownOutcome(run.toolset.find(call.name), call.name, reason)
      : notExecuted(call.name, reason)
    return { type: 'result', position, result: { callId: call.id, name: call.name, ...answer } }
  })
  return [...(ending ? [] : [{ type: 'ending', finish } as const]), ...records, { type: 'closed' }]
}

/** For a call that was begun and of whose end nothing was kept: a hook threw, or the process ended. */
function unknownOutcome(
  tool: RunnableTool | undefined,
  name: string,
  reason: AgentFinishReason,
): Answer {
  if (tool && mayRunAgain(tool)) return notExecuted(name, reason)
  const what = `${name} was begun, and what came of it was not kept (${reason})`
  return errorAnswer(`${what}: ${MAY_HAVE_TAKEN_EFFECT}`, 'Interrupted')
}

function notExecuted(name: string, reason: AgentFinishReason): Answer {
  const message =
    reason === 'submitted'
      ? `${name} was not executed: the work was handed in before it.`
      : `${name} was not executed: the run ended before it (${reason}). Call it again if it is still needed.`
  return errorAnswer(message, 'not_executed')
}
