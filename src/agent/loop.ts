/** The steps of a run, one after another, until something ends it. */

import type { ChatResponse } from '../core/chat.ts'
import { textOf } from '../core/message.ts'
import type { FinishReason, ToolResult } from '../core/model.ts'
import { ask, CompactionFailed } from './ask.ts'
import { OUTPUT_RETRIES, outputFeedback, type ParsedOutput, parseOutput } from './final-output.ts'
import type { Finish } from './finish.ts'
import { CallbackFailed, calling, haltOf, runHooks } from './hooks.ts'
import type { RunState } from './journal.ts'
import { limitReached } from './limits.ts'
import type { AgentOptions } from './options.ts'
import {
  canceled,
  type Ending,
  halted,
  hooksOf,
  type MaybeEnding,
  type Run,
  stepContext,
} from './run-context.ts'
import { type ReplySpending, spendingOf } from './spending.ts'
import { runCalls } from './turn.ts'
import { isUnreadable, readReply } from './unreadable-calls.ts'

/** Until something ends the run. The calls of its last turn may be open then. */
export async function loop(run: Run): Promise<Ending> {
  let ending: MaybeEnding
  try {
    ending = await goOn(run)
    while (!ending) ending = await takeStep(run)
  } catch (error) {
    ending = endingOf(error)
  }
  return ending
}

/** What a run that was interrupted had not come to yet. */
async function goOn(run: Run): Promise<MaybeEnding> {
  const { batch, answered, ending, isTurnNew } = run.journal.state
  if (ending) return { finish: ending }
  if (batch) return finishTurn(run)
  if (isTurnNew) return afterStep(run)
  return answered && finalAnswer(run, answered)
}

/** What the caller's own code threw ends the run; anything else is a defect, and nobody's result. */
function endingOf(error: unknown): Ending {
  if (error instanceof CallbackFailed) return halted(error.message, error)
  if (!(error instanceof CompactionFailed)) throw error
  return { finish: { reason: 'compaction-failed', message: error.message }, error }
}

async function takeStep(run: Run): Promise<MaybeEnding> {
  const { journal, options, signal } = run
  if (signal.aborted) return canceled()
  const limit = await calling('stopWhen', () => limitReached(journal.state, options))
  if (limit) return { finish: limit }
  await run.emit({ type: 'step-start', step: journal.state.steps })
  const asked = await ask(run)
  if ('finish' in asked) return asked
  const { response } = asked
  const halts = await runHooks(hooksOf(options), 'afterReply', (hook) =>
    hook.afterReply?.(response, stepContext(run)),
  )
  const spent = await spendingOf(response, options)
  const ending = spent.fault ?? endingWith(response, haltOf(halts), options)
  await keepReply(run, response, spent, ending?.finish)
  if (ending) return ending
  return journal.state.batch ? finishTurn(run) : finalAnswer(run, response.finishReason)
}

function endingWith(
  { issues: all }: ChatResponse,
  halt: string | undefined,
  { onMalformed }: AgentOptions,
): MaybeEnding {
  if (halt !== undefined) return halted(halt)
  const issues = all.filter(isUnreadable)
  if (!issues[0] || onMalformed !== 'halt') return undefined
  return { finish: { reason: 'malformed-call', message: issues[0].message }, issues }
}

/** The reply becomes part of the run, with answers to the calls in it that could not be read. */
async function keepReply(
  { journal, toolset }: Run,
  response: ChatResponse,
  { usage, costUsd }: ReplySpending,
  ending: Finish | undefined,
): Promise<void> {
  const { message, answers, feedback } = readReply(response, toolset)
  const results = [...answers].map(([position, answer]): [number, ToolResult] => {
    const { id = '', name = '' } = message.toolCalls?.[position] ?? {}
    return [position, { callId: id, name, ...answer }]
  })
  await journal.write({
    type: 'reply',
    message,
    finishReason: response.finishReason,
    usage,
    ...(costUsd !== undefined && { costUsd }),
    ...(feedback !== undefined && { feedback }),
    ...(results.length > 0 && { results: Object.fromEntries(results) }),
    ...(ending && { ending }),
  })
}

/** Runs the calls of the last reply, and closes the turn. */
async function finishTurn(run: Run): Promise<MaybeEnding> {
  const { journal } = run
  const step = journal.state.steps
  const ending = await runCalls(run)
  if (ending?.finish.reason === 'paused') return ending
  if (!ending) journal.note({ type: 'closed' })
  const { usage, costUsd } = journal.state
  await run.emit({ type: 'step-end', step, usage, ...(costUsd !== undefined && { costUsd }) })
  return ending ?? afterStep(run)
}

/** After a crash, a hook may be asked about a step once more: what it says must not be lost. */
async function afterStep(run: Run): Promise<MaybeEnding> {
  const { options } = run
  const changes = await runHooks(hooksOf(options), 'afterStep', (hook) =>
    hook.afterStep?.(stepContext(run)),
  )
  const halt = haltOf(changes)
  return halt === undefined ? undefined : halted(halt)
}

/** The model called nothing: it has answered, if the answer is what was asked for. */
async function finalAnswer(run: Run, finishReason: FinishReason): Promise<MaybeEnding> {
  const { options, journal } = run
  if (finishReason === 'length' || finishReason === 'content-filter') {
    return { finish: { reason: finishReason } }
  }
  if (finishReason === 'error') {
    const message = 'the provider ended the reply with an error'
    return { finish: { reason: 'provider-error', message } }
  }
  const parsed = await outputOf(journal.state, options)
  if (parsed.ok)
    return { finish: { reason: 'stop' }, ...(options.output && { output: parsed.value }) }
  const { reason } = parsed
  const attempt = journal.state.outputRetries + 1
  if (attempt > (options.output?.maxRetries ?? OUTPUT_RETRIES)) {
    return { finish: { reason: 'max-output-retries', message: reason } }
  }
  await run.emit({ type: 'output-retry', attempt, reason })
  await journal.write({ type: 'rejected', feedback: outputFeedback(reason) })
  return undefined
}

/** The last answer as data, when that is wanted. */
export async function outputOf(
  { messages }: Pick<RunState, 'messages'>,
  { output }: Pick<AgentOptions, 'output'>,
): Promise<ParsedOutput> {
  const answer = messages.at(-1)
  return output && answer ? parseOutput(textOf(answer), output) : { ok: true, value: undefined }
}
