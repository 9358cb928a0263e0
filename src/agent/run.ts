/**
 * The agent loop: a model, tools, and everything that goes wrong between them.
 *
 *     for await (const event of runAgent({ client, tools: [weather], prompt: 'Coat or not?' })) …
 */
import { ToolglotError } from '../core/errors.ts'
import type { Message } from '../core/model.ts'
import { createChannel } from './channel.ts'
import { checkOptions } from './check-options.ts'
import { decisionRecord } from './decision.ts'
import type { AgentEvent } from './events.ts'
import {
  asState,
  createJournal,
  createState,
  isOver,
  type Journal,
  type RunState,
  replay,
} from './journal.ts'
import { loop, outputOf } from './loop.ts'
import type { AgentOptions } from './options.ts'
import { readTools } from './read-tools.ts'
import { type AgentResult, resultOf } from './result.ts'
import type { Ending } from './run-context.ts'
import type { Store } from './store.ts'
import { createToolset } from './toolset.ts'

/**
 * The events of a run; it begins when somebody reads them or asks for the result. Leaving the events
 * early cancels the run, unless the result was asked for.
 */
export interface AgentRun extends AsyncIterable<AgentEvent> {
  /**
   * Resolves however the run ends; `finishReason` says how. Rejects only for a mistake in the options
   * and when the store fails.
   */
  readonly result: Promise<AgentResult>
}

export function runAgent(options: AgentOptions): AgentRun {
  checkOptions(options)
  const left = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal
  let isAwaited = false
  let started: Promise<AgentResult> | undefined
  const channel = createChannel<AgentEvent>(() => {
    if (!isAwaited) left.abort(new DOMException('the events were left', 'AbortError'))
  })

  function start(): Promise<AgentResult> {
    started ??= execute({ ...options, signal }, channel.emit).then(
      (result) => {
        channel.end()
        return result
      },
      (error: unknown) => {
        channel.end(error)
        throw error
      },
    )
    // Whoever reads the events sees it there; here it must not count as unhandled as well.
    started.catch(() => {})
    return started
  }

  return {
    [Symbol.asyncIterator]() {
      const events = channel.read()
      void start()
      return events
    },
    get result() {
      isAwaited = true
      return start()
    },
  }
}

type Emit = (event: AgentEvent) => Promise<void> | undefined

async function execute(
  options: AgentOptions & { readonly signal: AbortSignal },
  emit: Emit,
): Promise<AgentResult> {
  const begun = performance.now()
  const { store, close } = await openStore(options.store)
  try {
    const journal = await openJournal(options, store)
    const { state } = journal
    await emit({ type: 'run-start', run: state.id, isResumed: state.records > 1 })
    const toolset = createToolset(readTools(options.tools ?? []))
    const ending =
      (await knownEnding(state, options)) ??
      (await loop({ options, journal, toolset, emit, signal: options.signal }))
    if (state.finish !== ending.finish)
      await journal.write({ type: 'finished', finish: ending.finish })
    const { finish, ...extras } = ending
    const durationMs = performance.now() - begun
    const result = resultOf(state, finish, { ...extras, durationMs })
    await emit({ type: 'done', result })
    return result
  } finally {
    await close()
  }
}

/** How a run ended that is over. */
async function knownEnding(state: RunState, options: AgentOptions): Promise<Ending | undefined> {
  if (!state.finish || !isOver(state)) return undefined
  const output = await outputOf(state, options)
  return { finish: state.finish, ...(options.output && output.ok && { output: output.value }) }
}

/** A store of the caller stays open; one that was opened here is closed here. */
async function openStore(
  store: Store | string | undefined,
): Promise<{ store: Store | undefined; close: () => Promise<void> }> {
  if (typeof store !== 'string') return { store, close: async () => {} }
  const { openStore: open } = await import('./sqlite-store.ts')
  const opened = await open(store)
  return { store: opened, close: () => opened.close() }
}

/** A new run, or one that goes on. */
async function openJournal(options: AgentOptions, store: Store | undefined): Promise<Journal> {
  const { runId, decisions } = options
  const records = runId === undefined || !store ? [] : await store.read(runId)
  const known = options.state ? asState(options.state) : replay(records)
  if (known.records === 0) return beginRun(options, store)
  const journal = createJournal(known, store)
  if (decisions) await journal.write(decisionRecord(known, decisions))
  const messages = saidBy(options)
  const isNew = messages.length > 0
  if (isNew || (known.finish && !isOver(known))) await journal.write({ type: 'resumed', messages })
  return journal
}

async function beginRun(options: AgentOptions, store: Store | undefined): Promise<Journal> {
  const { system, runId = `run_${crypto.randomUUID()}` } = options
  const said = saidBy(options)
  if (said.length === 0) {
    const missing =
      options.runId === undefined ? '' : ` and the store has no run "${options.runId}"`
    throw new ToolglotError('nothing_to_do', `neither prompt nor messages are given${missing}`)
  }
  const first: Message[] = system === undefined ? [] : [{ role: 'system', content: system }]
  const journal = createJournal(createState(), store)
  await journal.write({ type: 'begin', id: runId, messages: [...first, ...said] })
  return journal
}

function saidBy({ messages = [], prompt = '' }: AgentOptions): readonly Message[] {
  return prompt === '' ? messages : [...messages, { role: 'user', content: prompt }]
}
