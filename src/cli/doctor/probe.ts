/** The examination of a server, step by step. */

import { ProviderError } from '../../client/errors.ts'
import type { ChatResponse } from '../../core/chat.ts'
import { isJsonObject } from '../../core/json/value.ts'
import { textOf } from '../../core/message.ts'
import type { ToolCall } from '../../core/model.ts'
import { didYouMean } from '../../core/nearest.ts'
import { objectsIn } from '../../dialects/history-call.ts'
import { detect } from '../../index.ts'
import { SAMPLE_TOOL } from '../sample-tool.ts'
import type { CallTraits } from './examined.ts'
import type { Server } from './server.ts'
import { type Check, checkFinish, checkIds, checkIndexes } from './wire.ts'

/** Every step with what it looks at, in order. */
export const STEPS = {
  reachable: 'server answers',
  models: 'list of models',
  plain: 'plain reply',
  native: 'native tools',
  streamed: 'streamed tools',
  ids: 'ids of calls',
  indexes: 'indexes in streams',
  finish: 'finish reason',
  leaks: 'calls left in text',
  text: 'tools in words',
} as const

export type StepId = keyof typeof STEPS

export interface Step {
  readonly id: StepId
  readonly status: Check['status'] | 'failed'
  readonly detail: string
}

/** What became of the wish for a call. */
export type Outcome =
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[]; readonly raw: string }
  /** The call is in the text; without a call in `calls`, it could not be read. */
  | { readonly kind: 'leak'; readonly protocol: string; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'none'; readonly detail: string }
  | { readonly kind: 'refused'; readonly error: ProviderError }

export interface Examination {
  readonly steps: readonly Step[]
  /** What ended it before any tool was tried. */
  readonly failure?: ProviderError
  readonly native?: Outcome
  readonly streamed?: Outcome
  /** Only when native tools do not work. */
  readonly text?: Outcome
}

export interface Watcher {
  began(id: StepId): void
  ended(step: Step): void
}

const QUESTION = 'What is the weather in Oslo and in Lima? Call get_weather once for each city.'
/** Enough for a model that thinks first. */
const MAX_TOKENS = 4096

const PLAIN = {
  messages: [{ role: 'user', content: 'Say hello in one word.' }],
  maxTokens: MAX_TOKENS,
} as const
const WITH_TOOL = {
  messages: [{ role: 'user', content: QUESTION }],
  tools: [SAMPLE_TOOL],
  maxTokens: MAX_TOKENS,
} as const

export async function examine(server: Server, watcher: Watcher): Promise<Examination> {
  const steps: Step[] = []
  function tell(id: StepId, { status, detail }: Omit<Step, 'id'>): void {
    const step: Step = { id, status, detail }
    steps.push(step)
    watcher.ended(step)
  }
  async function ask(id: StepId, send: () => Promise<ChatResponse>): Promise<Outcome> {
    watcher.began(id)
    const outcome = await outcomeOf(send, server)
    tell(id, id === 'text' ? asHoped(describe(outcome)) : describe(outcome))
    return outcome
  }

  watcher.began('reachable')
  const failure = (await greet(server, tell)) ?? (await askPlainly(server, watcher, tell))
  if (failure) return { steps, failure }
  const native = await ask('native', () => server.client.complete(WITH_TOOL))
  const streamed = await ask('streamed', () => server.client.stream(WITH_TOOL).response)
  checkWire(native, streamed, server.calls, tell)
  tell('leaks', describeLeaks(native, streamed))
  if (worksIn(native) || worksIn(streamed)) return { steps, native, streamed }
  const text = await ask('text', () => server.textClient.complete(WITH_TOOL))
  return { steps, native, streamed, text }
}

/** Whether there are calls that can be run, wherever they stood. */
export function worksIn(outcome: Outcome | undefined): boolean {
  return (outcome?.kind === 'calls' || outcome?.kind === 'leak') && outcome.calls.length > 0
}

type Tell = (id: StepId, step: Omit<Step, 'id'>) => void

/** Any answer will do, but the models are looked at when it has them. */
async function greet(server: Server, tell: Tell): Promise<ProviderError | undefined> {
  try {
    const { status, body } = await server.listModels()
    tell('reachable', { status: 'ok', detail: `status ${status}` })
    tell('models', describeModels(server.model, namesIn(body)))
    return undefined
  } catch (thrown) {
    const error = asProviderError(thrown)
    tell('reachable', { status: 'failed', detail: error.message })
    return error
  }
}

async function askPlainly(
  { client }: Server,
  watcher: Watcher,
  tell: Tell,
): Promise<ProviderError | undefined> {
  watcher.began('plain')
  try {
    const { message } = await client.complete(PLAIN)
    const text = textOf(message).trim()
    const detail = text === '' ? 'empty' : quoted(text)
    tell('plain', { status: text === '' ? 'warning' : 'ok', detail })
    return undefined
  } catch (thrown) {
    const error = asProviderError(thrown)
    tell('plain', { status: 'failed', detail: error.message })
    return error
  }
}

async function outcomeOf(send: () => Promise<ChatResponse>, server: Server): Promise<Outcome> {
  try {
    return readReply(await send(), server)
  } catch (thrown) {
    return { kind: 'refused', error: asProviderError(thrown) }
  }
}

function readReply({ message, finishReason }: ChatResponse, server: Server): Outcome {
  const calls = (message.toolCalls ?? []).filter(({ name }) => name === SAMPLE_TOOL.name)
  const own = calls.filter(({ origin }) => origin === 'native')
  if (own.length > 0) return { kind: 'calls', calls: own, raw: server.lastReply() }
  const protocol = calls[0]?.protocol
  if (protocol !== undefined) return { kind: 'leak', protocol, calls }
  const text = textOf(message).trim()
  const [unread] = detect(text, { tools: [SAMPLE_TOOL], model: server.model })
  if (unread) return { kind: 'leak', protocol: unread.protocol, calls: [] }
  if (finishReason === 'length') return { kind: 'none', detail: 'the reply was cut off' }
  return { kind: 'none', detail: text === '' ? 'an empty reply' : `only text: ${quoted(text)}` }
}

const NO_CALLS: Check = { status: 'skipped', detail: 'no native calls' }

function checkWire(native: Outcome, streamed: Outcome, traits: CallTraits, tell: Tell): void {
  const [whole, stream] = [native, streamed].map((one) => (one.kind === 'calls' ? one : undefined))
  const replies = [whole, stream].filter((reply) => reply !== undefined)
  const ids = replies.map(({ calls, raw }) => checkIds(calls, raw, traits))
  const reasons = replies.map(({ raw }) => checkFinish(raw, traits))
  tell('ids', worst(ids))
  tell('indexes', stream ? checkIndexes(stream.calls.length, stream.raw, traits) : NO_CALLS)
  tell('finish', worst(reasons))
}

function worst(checks: readonly Check[]): Check {
  return checks.find(({ status }) => status === 'warning') ?? checks[0] ?? NO_CALLS
}

function describe(outcome: Outcome): Omit<Step, 'id'> {
  switch (outcome.kind) {
    case 'calls':
      return { status: 'ok', detail: shownCalls(outcome.calls) }
    case 'leak':
      return outcome.calls.length > 0
        ? {
            status: 'warning',
            detail: `in the text, as ${outcome.protocol}: ${shownCalls(outcome.calls)}`,
          }
        : { status: 'failed', detail: `in the text, as ${outcome.protocol}, and not readable` }
    case 'none':
      return { status: 'failed', detail: outcome.detail }
    case 'refused':
      return { status: 'failed', detail: outcome.error.message }
  }
}

/** Where tools are described in words, the text is where calls belong. */
function asHoped({ status, detail }: Omit<Step, 'id'>): Omit<Step, 'id'> {
  return { status: status === 'warning' ? 'ok' : status, detail }
}

function describeLeaks(...outcomes: readonly Outcome[]): Omit<Step, 'id'> {
  const formats = outcomes.flatMap((one) => (one.kind === 'leak' ? [one.protocol] : []))
  if (formats.length > 0) return { status: 'warning', detail: [...new Set(formats)].join(', ') }
  const isKnown = outcomes.some(({ kind }) => kind !== 'refused')
  return isKnown ? { status: 'ok', detail: 'none' } : { status: 'skipped', detail: 'no replies' }
}

function shownCalls(calls: readonly ToolCall[]): string {
  return calls.map((call) => `${call.name} ${JSON.stringify(call.arguments)}`).join(', ')
}

// ── models ──────────────────────────────────────────────────────────────────────────────────────

function describeModels(model: string, names: readonly string[]): Omit<Step, 'id'> {
  if (names.length === 0) return { status: 'skipped', detail: 'the server has none to show' }
  const count = names.length === 1 ? '1 model' : `${names.length} models`
  // Ollama lists a model without a tag as the latest one.
  if (names.includes(model) || names.includes(`${model}:latest`)) {
    return { status: 'ok', detail: `${count}, ${model} among them` }
  }
  const hint = didYouMean(model, names) || (names.length <= 5 ? `: ${names.join(', ')}` : '')
  return { status: 'warning', detail: `${count}, but not ${model}${hint}` }
}

/** `{data: [{id}]}`, or `{models: [{name}]}`, where a name may have a prefix. */
function namesIn(body: unknown): string[] {
  if (!isJsonObject(body)) return []
  return [...objectsIn(body['data']), ...objectsIn(body['models'])].flatMap(
    ({ id, name, model }) => {
      const found = id ?? name ?? model
      return typeof found === 'string' ? [found.replace(/^models\//, '')] : []
    },
  )
}

// ── words ───────────────────────────────────────────────────────────────────────────────────────

const SHOWN = 60

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > SHOWN ? `"${line.slice(0, SHOWN - 1)}…"` : `"${line}"`
}

/** Whatever else is thrown is a mistake of ours, and not the server's. */
function asProviderError(thrown: unknown): ProviderError {
  if (thrown instanceof ProviderError) return thrown
  throw thrown
}
