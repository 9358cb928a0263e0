/** From a question to its answer: through the chain of its model, in the way that fits each target. */
import { ProviderError } from '../client/errors.ts'
import { policyFor } from '../client/fallback/failure-policy.ts'
import { type Send as Ask, createRoute } from '../client/fallback/route.ts'
import type { Chain } from './directory.ts'
import { canPass, type Passed, pass } from './pass-lane.ts'
import type { Answer, Question } from './question.ts'
import type { Target } from './target.ts'
import { translate } from './translate-lane.ts'
import type { TurnMemory } from './turn-memory.ts'

export interface Answered extends Answer {
  readonly target: Target
  /** How the question was put. */
  readonly lane: 'pass' | 'translate'
}

/** Clients mostly try again themselves. */
const RETRIES = 1
/** Whoever asks for a longer wait is asked no more: the client may have better things to do. */
const MAX_WAIT_MS = 2000

/** Throws a ProviderError when nobody answers, and a GatewayError when nobody should. */
export async function answer(
  question: Question,
  chain: Chain,
  turns: TurnMemory,
): Promise<Answered> {
  const { toolFallback = 'text', retries = RETRIES } = chain.settings
  const route = createRoute(chain.members, {
    toolFallback,
    retries: { max: retries, maxWaitMs: MAX_WAIT_MS },
    onSwitch({ from, error }) {
      const target = chain.targetOf(from)
      const { name: provider, model, dialect } = target
      const lane = canPass(question, target) ? 'pass' : 'translate'
      question.report.fallbacks++
      question.watch.switched({ provider, model, dialect, lane }, error)
    },
  })
  const send: Ask<Sent> = (client, _, { signal = question.signal }) =>
    put(question, chain.targetOf(client), signal, turns)
  // Only a chain that leaves out models without tools has to know whether there are any.
  const request = toolFallback === 'skip' ? question.request() : { messages: [] }
  const { value, visit } = await route(request, { signal: question.signal }, send)
  const { passed, target, lane } = value
  if (!passed.onEnd) visit.succeed()
  else {
    // It answers: others need not wait until it is done.
    visit.leave()
    passed.onEnd((error) => {
      if (error === undefined) visit.succeed()
      else if (error instanceof ProviderError) visit.fail(error, policyFor(error).cooldown)
    })
  }
  return { target, lane, ...passed.answer }
}

interface Sent {
  readonly passed: Passed
  readonly target: Target
  readonly lane: 'pass' | 'translate'
}

async function put(
  question: Question,
  target: Target,
  signal: AbortSignal,
  turns: TurnMemory,
): Promise<Sent> {
  if (canPass(question, target)) {
    try {
      return { passed: await pass(question, target, signal), target, lane: 'pass' }
    } catch (error) {
      if (!lacksTools(error, question, target)) throw error
      target.learnNoTools()
    }
  }
  return { passed: await translate(question, target, signal, turns), target, lane: 'translate' }
}

/** The model takes no tools, which words can help. */
function lacksTools(error: unknown, { sight }: Question, { spec }: Target): boolean {
  const isRefused = error instanceof ProviderError && error.code === 'unsupported'
  return isRefused && sight.tools > 0 && spec.toolMode === 'auto'
}
