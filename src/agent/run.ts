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
import type { Finish } from './finish.ts'
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
import type { Ending, Run } from './run-context.ts'
import type { Store } from './store.ts'
import { createToolset } from './toolset.ts'
import { closeBatch } from './turn.ts'

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
    const toolset = createToolset(readTools(options.tools ?? []))
    const known = await openRun(options, store)
    const run = { ...known, options, toolset, store, emit, signal: options.signal }
    const { state } = run.journal
    await goOnWith(run)
    await emit({ type: 'run-start', run: state.id, isResumed: run.isKnown })
    const ending = (await knownEnding(state, options)) ?? (await loop(run))
    await finish(run, ending.finish)
    const { finish: end, ...extras } = ending
    const durationMs = performance.now() - begun
    const result = resultOf(state, end, { ...extras, durationMs })
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

/** Keeps how the run ends, once, with answers to all calls that are open, unless they wait for somebody. */
async function finish(run: Run, finish: Finish): Promise<void> {
  const { journal } = run
  if (journal.state.finish === finish) return
  const closing = finish.reason === 'paused' ? [] : closeBatch(run, finish)
  await journal.write(...closing, { type: 'finished', finish })
}

/** What somebody has decided or says to a run that was known before. */
async function goOnWith(run: Run & OpenedRun): Promise<void> {
  const { journal, options, isKnown } = run
  if (!isKnown) return
  const { state } = journal
  if (options.decisions) await journal.write(decisionRecord(state, options.decisions))
  const messages = saidBy(options)
  // The process ended while the run did.
  if (state.ending && messages.length > 0) await finish(run, state.ending)
  const goesOn = state.finish && !isOver(state)
  if (messages.length > 0 || goesOn) await journal.write({ type: 'resumed', messages })
}

interface OpenedRun {
  readonly journal: Journal
  /** False for a new run. */
  readonly isKnown: boolean
}

/** A new run, or one that goes on. */
async function openRun(options: AgentOptions, store: Store | undefined): Promise<OpenedRun> {
  const { runId } = options
  const records = runId === undefined || !store ? [] : await store.read(runId)
  const known = options.state ? asState(options.state) : replay(records)
  if (known.records === 0) return { journal: await beginRun(options, store), isKnown: false }
  return { journal: createJournal(known, store), isKnown: true }
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
