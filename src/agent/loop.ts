/** The steps of a run, one after another, until something ends it. */

import type { ChatResponse } from '../core/chat.ts'
import { textOf } from '../core/message.ts'
import type { FinishReason } from '../core/model.ts'
import { ask, CompactionFailed } from './ask.ts'
import { OUTPUT_RETRIES, outputFeedback, type ParsedOutput, parseOutput } from './final-output.ts'
import { CallbackFailed, calling, haltOf, runHooks } from './hooks.ts'
import type { RunRecord, RunState } from './journal.ts'
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
import { closeBatch, runCalls } from './turn.ts'
import { isUnreadable, readReply } from './unreadable-calls.ts'

/** Whatever ends the run, the calls of its last turn are answered when it does. */
export async function loop(run: Run): Promise<Ending> {
  let ending: MaybeEnding
  try {
    ending = await goOn(run)
    while (!ending) ending = await takeStep(run)
  } catch (error) {
    ending = endingOf(error)
  }
  if (ending.finish.reason !== 'paused') await closeBatch(run, ending.finish.reason)
  return ending
}

/** What a run that was interrupted had not come to yet. */
async function goOn(run: Run): Promise<MaybeEnding> {
  const { batch, answered } = run.journal.state
  if (batch) return finishTurn(run)
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
  await keepReply(run, response)
  const halt = haltOf(halts)
  if (halt !== undefined) return halted(halt)
  const issues = response.issues.filter(isUnreadable)
  if (issues[0] && options.onMalformed === 'halt') {
    return { finish: { reason: 'malformed-call', message: issues[0].message }, issues }
  }
  return journal.state.batch ? finishTurn(run) : finalAnswer(run, response.finishReason)
}

/** The reply becomes part of the run, with answers to the calls in it that could not be read. */
async function keepReply(
  { journal, options, toolset }: Run,
  response: ChatResponse,
): Promise<void> {
  const { message, answers, feedback } = readReply(response, toolset)
  const { finishReason, usage } = response
  const costUsd = await calling('priceOf', () => options.priceOf?.(response))
  const reply: RunRecord = {
    type: 'reply',
    message,
    finishReason,
    usage,
    ...(costUsd !== undefined && { costUsd }),
    ...(feedback !== undefined && { feedback }),
  }
  const results = [...answers].map(([position, answer]): RunRecord => {
    const { id = '', name = '' } = message.toolCalls?.[position] ?? {}
    return { type: 'result', position, result: { callId: id, name, ...answer } }
  })
  await journal.write(reply, ...results)
}

/** Runs the calls of the last reply, and closes the turn. */
async function finishTurn(run: Run): Promise<MaybeEnding> {
  const { journal, options } = run
  const step = journal.state.steps
  const ending = await runCalls(run)
  if (ending?.finish.reason === 'paused') return ending
  if (ending) await closeBatch(run, ending.finish.reason)
  else journal.note({ type: 'closed' })
  await run.emit({ type: 'step-end', step, usage: journal.state.usage })
  if (ending) return ending
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
