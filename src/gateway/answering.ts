/** From a question to its answer: through the chain of its model, in the way that fits each target. */
import { ProviderError } from '../client/errors.ts'
import type { Visit } from '../client/fallback/circuit.ts'
import { policyFor } from '../client/fallback/failure-policy.ts'
import type { FallbackOptions, SwitchEvent } from '../client/fallback/options.ts'
import { type Send as Ask, createRoute } from '../client/fallback/route.ts'
import { refusesTools } from '../client/model-memory.ts'
import { remembering } from '../core/remember.ts'
import { conversationOf } from './conversation.ts'
import type { Chain } from './directory.ts'
import { guardedLoop } from './loop-guard.ts'
import { canPass, type Passed, pass } from './pass-lane.ts'
import type { Answer, Question } from './question.ts'
import { learnsRoom, lookForRoom } from './reply-room.ts'
import type { Target } from './target.ts'
import { type LaneOptions, translate } from './translate-lane.ts'
import type { TurnMemory } from './turn-memory.ts'

export interface Answered extends Answer {
  readonly target: Target
  /** How the question was put. */
  readonly lane: 'pass' | 'translate'
}

const TOOL_FALLBACK = 'text'
/** Clients mostly try again themselves. */
const RETRIES = 1
/** Whoever asks for a longer wait is asked no more: the client may have better things to do. */
const MAX_WAIT_MS = 2000

const routeOf = remembering(({ members, settings }: Chain) => {
  return createRoute(members, routeOptions(settings))
})

export function routeOptions(settings: Chain['settings']): FallbackOptions {
  const { toolFallback = TOOL_FALLBACK, retries: max = RETRIES, maxCooldownMs } = settings
  const { balance, sticky } = settings
  const retries = { max, maxWaitMs: MAX_WAIT_MS }
  return { toolFallback, retries, maxCooldownMs, balance, sticky }
}

/** Throws a ProviderError when nobody answers, and a GatewayError when nobody should. */
export async function answer(
  question: Question,
  chain: Chain,
  turns: TurnMemory,
): Promise<Answered> {
  const { signal, loopGuard, report } = question
  report.loop = guardedLoop(question, loopGuard.key ?? chain.settings.loopGuard ?? loopGuard.usual)
  const { toolFallback = TOOL_FALLBACK } = chain.settings
  // Only a chain that leaves out models without tools has to know whether there are any.
  const request = toolFallback === 'skip' ? await question.request() : { messages: [] }
  const onSwitch = ({ from, error }: SwitchEvent): void =>
    noteSwitch(question, chain.targetOf(from), error)
  const send: Ask<Sent> = (client, _, { signal: given = signal, textFallback }) =>
    put(question, chain.targetOf(client), { signal: given, textFallback }, turns)
  const conversation = chain.settings.sticky ? conversationOf(question) : undefined
  const { value, visit, leave } = await routeOf(chain)(
    request,
    { signal, onSwitch, conversation },
    send,
  )
  settle(value.passed, visit, leave)
  return { target: value.target, lane: value.lane, ...value.passed.answer }
}

function noteSwitch(question: Question, target: Target, error: ProviderError): void {
  const { name: provider, model, dialect } = target
  const lane = canPass(question, target) ? 'pass' : 'translate'
  question.report.fallbacks++
  question.watch.switched({ provider, model, dialect, lane }, error)
}

/** Tells the circuit what came of it, as soon as that is known. */
export function settle({ onEnd }: Pick<Passed, 'onEnd'>, visit: Visit, leave: () => void): void {
  if (!onEnd) {
    leave()
    return visit.succeed()
  }
  // It answers: others need not wait until it is done.
  visit.leave()
  onEnd((error) => {
    leave()
    if (error === undefined) visit.succeed()
    else if (error instanceof ProviderError) visit.fail(error, policyFor(error).cooldown)
  })
}

interface Sent {
  readonly passed: Passed
  readonly target: Target
  readonly lane: 'pass' | 'translate'
}

async function put(
  question: Question,
  target: Target,
  options: LaneOptions,
  turns: TurnMemory,
): Promise<Sent> {
  const { report } = question
  report.target = target
  report.fitted = undefined
  report.roomForReply = undefined
  await lookForRoom(question, target, options.signal)
  const passed = (): Promise<Passed> => pass(question, target, options.signal)
  // A note to the model is a part of the conversation, which is rewritten.
  if (canPass(question, target) && !report.loop?.isNoted) {
    try {
      const value = await passed().catch((error: unknown) => {
        if (!learnsRoom(error, question, target)) throw error
        return passed()
      })
      return { passed: value, target, lane: 'pass' }
    } catch (error) {
      if (!lacksTools(error, question, target)) throw error
      target.learnNoTools()
      if (options.textFallback === false) throw error
    }
  }
  return { passed: await translate(question, target, options, turns), target, lane: 'translate' }
}

/** The model takes no tools, and text mode can help. */
function lacksTools(error: unknown, { sight }: Question, { spec }: Target): boolean {
  return refusesTools(error) && sight.tools > 0 && spec.toolMode === 'auto'
}
