/** The conversation of the Try tab, and what it is held with. */
import { batch, computed, signal } from '@preact/signals'
import type { ChatRequest } from '../../../src/core/chat.ts'
import type { ToolCall, ToolResult } from '../../../src/core/model.ts'
import { catalogue, loadCatalogue } from '../catalogue.ts'
import { cannedFor, readCannedResults, SAMPLE_RESULTS } from '../conversation/canned-results.ts'
import {
  EMPTY_DRAFT,
  extendDraft,
  messagesOf,
  type ReplyTurn,
  type Turn,
} from '../conversation/turn.ts'
import { isKeyMissing, loadModels, messageOf, settings } from '../gateway/access.ts'
import { startTurn } from '../gateway/chat.ts'
import { readFinishedExchange } from '../gateway/traffic.ts'
import type { Shareable } from '../shared-fields.ts'
import { readToolsText } from '../tools-text.ts'

export const models = signal<readonly string[]>([])
export const modelsProblem = signal<string>()
export const model = signal('')
export const isStreamed = signal(true)
/** Undefined: the tools of the samples. */
const typedTools = signal<string>()
export const canned = signal(SAMPLE_RESULTS)
/** Calls with a canned result are answered at once. */
export const isAutomatic = signal(true)
export const prompt = signal('What is the weather in Oslo?')

export const toolsText = computed(() => typedTools.value ?? catalogue.value.tools)
export const tools = computed(() => readToolsText(toolsText.value))
export const cannedResults = computed(() => readCannedResults(canned.value))

export const turns = signal<readonly Turn[]>([])
const running = signal<AbortController>()
export const isRunning = computed(() => running.value !== undefined)

/** Calls of the last reply that wait for somebody to answer them. */
export const openCalls = computed<readonly ToolCall[]>(() => {
  const last = turns.value.at(-1)
  if (isRunning.value || last?.kind !== 'reply') return []
  return last.response?.message.toolCalls ?? []
})

/** How often calls are answered without anybody looking. */
const MAX_ROUNDS = 8

export function setTools(text: string): void {
  typedTools.value = text
}

export async function findModels(): Promise<void> {
  if (isKeyMissing()) {
    modelsProblem.value = 'Enter the key first'
    return
  }
  try {
    models.value = await loadModels()
    modelsProblem.value = undefined
    model.value ||= models.value[0] ?? ''
  } catch (error) {
    modelsProblem.value = messageOf(error)
  }
}

export async function send(): Promise<void> {
  const text = prompt.peek().trim()
  if (text === '' || running.peek()) return
  add({ kind: 'user', text })
  prompt.value = ''
  await converse()
}

export async function answerCalls(results: readonly ToolResult[]): Promise<void> {
  add({ kind: 'results', results })
  await converse()
}

export function stop(): void {
  running.peek()?.abort()
}

export function startOver(): void {
  stop()
  turns.value = []
}

/** Turns of the model, until it calls nothing that can be answered here. */
async function converse(): Promise<void> {
  const abort = new AbortController()
  running.value = abort
  try {
    // The tools may be those of the samples.
    await loadCatalogue()
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const calls = await takeTurn(abort.signal)
      const results = isAutomatic.peek() ? cannedFor(calls, cannedResults.peek()) : undefined
      if (!results || results.length === 0 || abort.signal.aborted) return
      add({ kind: 'results', results })
    }
  } finally {
    running.value = undefined
  }
}

/** One reply of the model; returns its calls. */
async function takeTurn(signal: AbortSignal): Promise<readonly ToolCall[]> {
  const request = currentRequest()
  const at = turns.peek().length
  add({ kind: 'reply', draft: EMPTY_DRAFT })
  const change = (fields: Partial<ReplyTurn>): void => changeReply(at, fields)
  let requestId: string | undefined
  try {
    const turn = await startTurn(request, signal)
    requestId = turn.requestId
    let draft = EMPTY_DRAFT
    for await (const event of turn.events) {
      draft = extendDraft(draft, event)
      if (event.type === 'finish') change({ response: event.response })
      else if (event.type === 'error') change({ problem: event.error.message })
      else change({ draft })
    }
  } catch (error) {
    change({ problem: signal.aborted ? 'Stopped' : messageOf(error) })
  }
  void showRecord(requestId, change)
  const reply = turns.peek()[at]
  return reply?.kind === 'reply' ? (reply.response?.message.toolCalls ?? []) : []
}

function currentRequest(): ChatRequest {
  const offered = tools.peek().tools ?? []
  return {
    model: model.peek(),
    messages: messagesOf(turns.peek()),
    ...(offered.length > 0 && { tools: offered }),
    stream: isStreamed.peek(),
  }
}

async function showRecord(
  id: string | undefined,
  change: (fields: Partial<ReplyTurn>) => void,
): Promise<void> {
  const known = settings.peek()
  const isRecorded = typeof known === 'object' && known.traffic
  if (id === undefined || !isRecorded) return change({ record: 'none' })
  try {
    change({ record: await readFinishedExchange(id) })
  } catch {
    change({ record: 'none' })
  }
}

function add(turn: Turn): void {
  turns.value = [...turns.peek(), turn]
}

/** A conversation that was started over has no place for it any more. */
function changeReply(at: number, fields: Partial<ReplyTurn>): void {
  const turn = turns.peek()[at]
  if (turn?.kind === 'reply') turns.value = turns.peek().with(at, { ...turn, ...fields })
}

export const tryShare: Shareable = {
  read: () => ({
    model: model.value,
    isStreamed: isStreamed.value,
    isAutomatic: isAutomatic.value,
    prompt: prompt.value,
    canned: canned.value,
    ...(typedTools.value !== undefined && { tools: typedTools.value }),
  }),
  write({ text, flag }) {
    batch(() => {
      model.value = text('model') ?? ''
      isStreamed.value = flag('isStreamed') ?? true
      isAutomatic.value = flag('isAutomatic') ?? true
      prompt.value = text('prompt') ?? ''
      canned.value = text('canned') ?? SAMPLE_RESULTS
      typedTools.value = text('tools')
    })
  },
}
