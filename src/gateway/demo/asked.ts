/** What a request wants of a demo model. */
import type { ChatRequest, ToolChoice } from '../../core/chat.ts'
import { textOf } from '../../core/message.ts'
import type { Message, Tool, ToolCall, ToolResult } from '../../core/model.ts'
import { requestIn } from './request-text.ts'
import { argumentsFor, type Circumstances } from './step-arguments.ts'
import { type Plan, planOf, type Step } from './steps.ts'
import { type Chosen, chooseTools } from './tool-choice.ts'
import { known } from './tool-kinds.ts'

export type SampledCall = Pick<ToolCall, 'name' | 'arguments'>

/** A result with the name of the tool that gave it. */
export interface NamedResult extends ToolResult {
  readonly tool: string | undefined
}

export interface Asked {
  /** What the tools answered to the request, once there is nothing more to call. */
  readonly results: readonly NamedResult[]
  /** Calls that fit the question: one to make, and another. None where words are the answer. */
  readonly calls: readonly [] | readonly [SampledCall, SampledCall]
  /** False: at most one call. */
  readonly parallel: boolean
  /** What the user said last. */
  readonly words: string
  /** Why there are no calls, where there are none. */
  readonly why: 'no-tools' | 'not-wanted' | 'nothing-fits'
  /** Calls in the history. */
  readonly callsBefore: number
}

export function readAsked(request: ChatRequest): Asked {
  const { messages, parallelToolCalls } = request
  const turn = lastTurn(messages)
  const tools = offeredTools(request)
  const plan = planOf(turn.request)
  const mustCall = isForced(request)
  const steps = chosenSteps(plan.steps, tools)
  const next = steps.slice(turn.calls.length)
  const circumstances = { folder: folderIn(messages) }
  const isOver = turn.results.length > 0 && next.length === 0
  const wanted = steps.length === 0 && mustCall ? forced(plan, tools) : next
  const pair = isOver ? undefined : callsFor(wanted, tools, circumstances)
  return {
    results: pair === undefined ? namedResults(turn) : [],
    calls: pair?.calls ?? [],
    parallel: parallelToolCalls !== false && pair?.hasTwo === true,
    words: turn.words,
    why: tools.length === 0 ? 'no-tools' : plan.isForbidden ? 'not-wanted' : 'nothing-fits',
    callsBefore: messages.flatMap(({ toolCalls = [] }) => toolCalls).length,
  }
}

// ── the conversation ────────────────────────────────────────────────────────────────────────────

interface Turn {
  /** The last request of the user, without what programs have added. */
  readonly request: string
  /** The same as it came. */
  readonly words: string
  /** Made since then, and what the tools answered. */
  readonly calls: readonly ToolCall[]
  readonly results: readonly ToolResult[]
}

/** Clients put reminders and pictures behind the results of tools: these are no new request. */
function lastTurn(messages: readonly Message[]): Turn {
  const at = lastRequest(messages)
  const words = textOf(messages[at] ?? { content: '' })
  const since = messages.slice(at + 1)
  const spoken = since.findLastIndex(({ role }) => role === 'assistant')
  const isNews = since.slice(spoken + 1).some(({ toolResults = [] }) => toolResults.length > 0)
  return {
    request: requestIn(words),
    words,
    calls: isNews ? since.flatMap(({ toolCalls = [] }) => toolCalls) : [],
    results: isNews ? since.flatMap(({ toolResults = [] }) => toolResults) : [],
  }
}

/** -1 when the user has asked nothing. */
function lastRequest(messages: readonly Message[]): number {
  let found = -1
  let awaitsResults = false
  for (const [at, message] of messages.entries()) {
    const { role, toolCalls = [], toolResults = [] } = message
    if (role === 'assistant') awaitsResults = toolCalls.length > 0
    const isNew = role === 'user' && toolResults.length === 0 && !awaitsResults
    if (isNew && requestIn(textOf(message)) !== '') found = at
  }
  return found
}

function namedResults({ calls, results }: Turn): readonly NamedResult[] {
  const names = new Map(calls.map(({ id, name }) => [id, name]))
  return results.map((result) => ({ ...result, tool: names.get(result.callId) }))
}

/** Agents tell the model where they work. */
const FOLDER =
  /(?:working directory|cwd|workspace(?: folder| root)?|current directory|project root)[^\n/]{0,30}?(\/[^\s<>"'`,;]+)/i
/** Instructions are long, and the folder is named once. */
const MAX_INSTRUCTIONS = 200_000

function folderIn(messages: readonly Message[]): string | undefined {
  for (const message of messages) {
    if (message.role === 'assistant' || message.role === 'tool') continue
    const found = FOLDER.exec(textOf(message).slice(0, MAX_INSTRUCTIONS))?.[1]
    if (found !== undefined) return found.replace(/[).]+$/, '')
  }
  return undefined
}

// ── tools ───────────────────────────────────────────────────────────────────────────────────────

function offeredTools({ tools = [], toolChoice = 'auto' }: ChatRequest): readonly Tool[] {
  if (toolChoice === 'none') return []
  const names = namesIn(toolChoice)
  const chosen = tools.filter(({ name }) => names.includes(name))
  return chosen.length > 0 ? chosen : tools
}

function namesIn(choice: ToolChoice): readonly string[] {
  if (typeof choice === 'string') return []
  return 'name' in choice ? [choice.name] : choice.names
}

function isForced({ toolChoice = 'auto' }: ChatRequest): boolean {
  if (typeof toolChoice === 'string') return toolChoice === 'required'
  return 'name' in toolChoice || toolChoice.required === true
}

interface ChosenStep {
  readonly step: Step
  readonly chosen: Chosen
}

/** A tool that only has words in common with the request is called once, however many sentences have them. */
function chosenSteps(steps: readonly Step[], tools: readonly Tool[]): readonly ChosenStep[] {
  const all = steps.flatMap((step) => chooseTools(step, tools).map((chosen) => ({ step, chosen })))
  return all.filter(({ step, chosen }, at) => {
    const isVague = step.kind === 'other' && !chosen.isNamed
    return (
      !isVague ||
      all.findIndex((one) => one.chosen.known.tool.name === chosen.known.tool.name) === at
    )
  })
}

interface Pair {
  readonly calls: readonly [SampledCall, SampledCall]
  /** The second is a call that somebody could want, and not only an example. */
  readonly hasTwo: boolean
}

function callsFor(
  [first, second]: readonly ChosenStep[],
  tools: readonly Tool[],
  { folder }: Pick<Circumstances, 'folder'>,
): Pair | undefined {
  if (!first) return undefined
  const texts = textsFor(first, tools)
  const one = callOf(first, { folder, take: 0, texts })
  const isSame = second === undefined || second.step === first.step
  const other = isSame
    ? callOf({ ...first, chosen: second?.chosen ?? first.chosen }, { folder, take: 1, texts })
    : callOf(second, { folder, take: 0, texts: textsFor(second, tools) })
  const { isRisky, kind } = first.chosen.known
  return { calls: [one, other], hasTwo: second !== undefined || (!isRisky && kind === undefined) }
}

function callOf({ step, chosen }: ChosenStep, circumstances: Circumstances): SampledCall {
  return { name: chosen.known.tool.name, arguments: argumentsFor(chosen, step, circumstances) }
}

/** Names of tools in quotes are no arguments. */
function textsFor({ step }: ChosenStep, tools: readonly Tool[]): string[] {
  const names = new Set(tools.map(({ name }) => name))
  return step.quoted.filter((text) => !names.has(text))
}

const NOTHING_SAID: Step = { kind: 'other', values: {}, words: '', bare: '', quoted: [] }

/** The request fits no tool, but there must be a call: of one that is harmless, if possible. */
function forced({ steps, isForbidden }: Plan, tools: readonly Tool[]): readonly ChosenStep[] {
  const all = tools.map(known)
  const found = all.find(({ isRisky, kind }) => !isRisky && kind !== 'inner') ?? all[0]
  const step = isForbidden ? NOTHING_SAID : (steps[0] ?? NOTHING_SAID)
  return found ? [{ step, chosen: { known: found, isNamed: false } }] : []
}
