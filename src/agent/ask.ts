/** Asks the model, with the two mishaps that another attempt can mend: an overflow, and a reply of nothing. */

import type { ClientRequest } from '../client/chat-client.ts'
import { ProviderError } from '../client/errors.ts'
import type { ChatResponse } from '../core/chat.ts'
import { textOf } from '../core/message.ts'
import type { Message } from '../core/model.ts'
import { thrownMessage } from '../core/thrown-message.ts'
import { mergeReading } from '../reading-options.ts'
import { type CompactionOptions, compact, isTooLong, SUMMARY_REQUEST } from './compaction.ts'
import type { ReplyEvent } from './events.ts'
import { outputSchema } from './final-output.ts'
import type { Finish } from './finish.ts'
import { calling, haltOf, runHooks } from './hooks.ts'
import { limitReached } from './limits.ts'
import { canceled, type Ending, halted, hooksOf, type Run, stepContext } from './run-context.ts'
import { spendingOf } from './spending.ts'
import { detectStarvation, escalate } from './starvation.ts'

export type Asked = { readonly response: ChatResponse } | Ending

/** A reply worth reading, or why there is none. */
export async function ask(run: Run): Promise<Asked> {
  const { options, journal } = run
  const changes = await runHooks(hooksOf(options), 'beforeStep', (hook) =>
    hook.beforeStep?.(stepContext(run)),
  )
  const halt = haltOf(changes)
  if (halt !== undefined) return halted(halt)
  const said = changes.flatMap(({ messages = [] }) => messages)
  // After a crash, what was said for this step is not said again.
  if (said.length > 0 && !journal.state.isStepBegun) {
    await journal.write({ type: 'messages', messages: said })
  }
  const settings = Object.assign(
    {},
    ...changes.map(({ request }) => request),
  ) as Partial<ClientRequest>

  const { compaction } = options
  const window = await windowOf(run)
  if (compaction && window !== undefined) {
    const fit = { ...compaction, contextWindow: window }
    if (isTooLong(journal.state.estimatedTokens, fit)) await makeShorter(run, fit)
  }
  const first = await attempt(run, settings)
  const second = isOverflow(first) && (await recover(run)) ? await attempt(run, settings) : first
  if ('error' in second) return failed(second.error, run)
  return feed(run, settings, second.response)
}

/** Tokens the model can read: as the options say, else as its service says. Asked only for compaction. */
async function windowOf({ options, signal }: Run): Promise<number | undefined> {
  const { compaction, client } = options
  if (!compaction) return undefined
  if (compaction.contextWindow !== undefined) return compaction.contextWindow
  const info = await client.modelInfo?.({ signal }).catch(() => undefined)
  return info?.contextWindow
}

type Attempt = { readonly response: ChatResponse } | { readonly error: unknown }

function isOverflow(attempted: Attempt): boolean {
  return 'error' in attempted && codeOf(attempted.error) === 'context_length_exceeded'
}

async function attempt(run: Run, settings: Partial<ClientRequest>): Promise<Attempt> {
  const { options, signal, emit } = run
  const request = requestOf(run, settings)
  const asking = { signal, ...mergeReading(options) }
  try {
    if (options.stream === false) {
      const response = checked(await options.client.complete(request, asking))
      const text = textOf(response.message)
      if (text !== '') await emit({ type: 'text-delta', text })
      return { response }
    }
    const stream = options.client.stream(request, asking)
    for await (const event of stream) {
      if (isTold(event)) await emit(event)
    }
    return { response: checked(await stream.response) }
  } catch (error) {
    return { error }
  }
}

/** A client of the caller's own may end without a reply. */
function checked(response: ChatResponse | undefined): ChatResponse {
  if (response?.message) return response
  throw new ProviderError('server_error', 'the client gave no reply', {})
}

const TOLD: ReadonlySet<string> = new Set([
  'text-delta',
  'reasoning-delta',
  'call-start',
  'call-delta',
  'call-end',
  'call-abort',
  'issue',
] satisfies ReplyEvent['type'][])

function isTold(event: { readonly type: string }): event is ReplyEvent {
  return TOLD.has(event.type)
}

function requestOf(
  { options, journal, toolset }: Run,
  settings: Partial<ClientRequest>,
): ClientRequest {
  const { output, request } = options
  const { state } = journal
  const { tools } = toolset
  return {
    ...(output && {
      responseFormat: { type: 'json-schema' as const, schema: outputSchema(output) },
    }),
    ...request,
    ...(state.maxTokens !== undefined && { maxTokens: state.maxTokens }),
    ...settings,
    messages: state.messages,
    ...(tools.length > 0 && { tools }),
  }
}

// ── mishaps ─────────────────────────────────────────────────────────────────────────────────────

const STARVED: Finish = {
  reason: 'starved',
  message: 'all tokens went into thinking, none into an answer',
}

/** A reply in which all tokens went into thinking is asked for once more, with more tokens. */
async function feed(
  run: Run,
  settings: Partial<ClientRequest>,
  response: ChatResponse,
): Promise<Asked> {
  const { options, journal } = run
  const limit = requestOf(run, settings).maxTokens
  const starvation = detectStarvation(response, limit)
  if (!starvation) return { response }
  const window = await windowOf(run)
  const maxTokens =
    journal.state.maxTokens === undefined ? escalate(starvation, response, window) : undefined
  const { fault, ...spent } = await spendingOf(response, options)
  const ending = fault ?? (maxTokens === undefined ? { finish: STARVED } : undefined)
  await journal.write({
    type: 'discarded',
    ...spent,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(ending && { ending: ending.finish }),
  })
  if (ending || maxTokens === undefined) return ending ?? { finish: STARVED }
  const reached = await calling('stopWhen', () => limitReached(journal.state, options))
  if (reached) return { finish: reached }
  await run.emit({ type: 'escalated', maxTokens })
  const again = await attempt(run, { ...settings, maxTokens })
  return 'error' in again
    ? failed(again.error, run)
    : feed(run, { ...settings, maxTokens }, again.response)
}

/** After an overflow the history is made as short as it gets. */
async function recover(run: Run): Promise<boolean> {
  const { options, journal } = run
  if (options.compaction === false) return false
  const { estimatedTokens } = journal.state
  // The window is smaller than what was sent, whatever it is.
  const contextWindow = options.compaction?.contextWindow ?? estimatedTokens
  return makeShorter(run, { keepLast: 2, ...options.compaction, contextWindow, threshold: 0.5 })
}

async function makeShorter(run: Run, options: CompactionOptions): Promise<boolean> {
  const { journal, signal } = run
  const summarize = (messages: readonly Message[]): Promise<string> =>
    options.summarize ? options.summarize(messages, signal) : summarizeByModel(run, messages)
  const shorter = await compact(journal.state.messages, options, summarize).catch(
    (error: unknown) => {
      throw new CompactionFailed(error)
    },
  )
  if (!shorter) return false
  const { messages, tokensBefore, tokensAfter } = shorter
  await journal.write({ type: 'compacted', messages })
  await run.emit({ type: 'compacted', tokensBefore, tokensAfter })
  return true
}

/** The caller's own `summarize` threw. */
export class CompactionFailed extends Error {
  override readonly name = 'CompactionFailed'

  constructor(cause: unknown) {
    const reason = thrownMessage(cause)
    super(`the history could not be made shorter: ${reason}`, { cause })
  }
}

/** The model's own summary; when it fails, a list of what was done has to do. */
async function summarizeByModel(run: Run, messages: readonly Message[]): Promise<string> {
  const { client, request } = run.options
  try {
    const { message } = await client.complete(
      { ...request, messages: [...messages, { role: 'user', content: SUMMARY_REQUEST }] },
      { signal: run.signal },
    )
    const text = textOf(message).trim()
    if (text !== '') return text
  } catch {
    // The digest below says less, but nothing is lost that was not to be cut anyway.
  }
  return digest(messages)
}

function digest(messages: readonly Message[]): string {
  const lines = messages.flatMap((message) => [
    ...(message.role === 'tool' ? [] : [`${message.role}: ${textOf(message).slice(0, 200)}`]),
    ...(message.toolCalls ?? []).map(({ name }) => `called ${name}`),
  ])
  return lines.filter((line) => !line.endsWith(': ')).join('\n')
}

/** Provider's errors that say for themselves how a run ends; any other is `provider-error`. */
const REASONS: Readonly<Record<string, 'unauthorized' | 'context-length'>> = {
  unauthorized: 'unauthorized',
  context_length_exceeded: 'context-length',
}

function failed(error: unknown, { signal }: Run): Ending {
  if (signal.aborted) return canceled()
  const reason = REASONS[codeOf(error)] ?? 'provider-error'
  const message = thrownMessage(error)
  return { finish: { reason, message }, error }
}

function codeOf(error: unknown): string {
  return error instanceof ProviderError ? error.code : ''
}
