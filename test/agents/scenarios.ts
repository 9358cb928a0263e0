/** What is tried with each agent: a plan, the model that does it, and the way to that model. */
import { FORMATS } from './formats.ts'
import { PLANS, type PlanName } from './plans.ts'
import { TRAITS } from './upstream.ts'

export interface Scenario {
  readonly plan: PlanName
  /** A format and traits, as the scripted server has them: `glm45+reasoning`. */
  readonly model: string
  /** The API between two gateways, of which only the first finds calls in text. */
  readonly via?: Via | undefined
  /** True: the agent is configured by hand, as the documents say. */
  readonly byHand?: boolean | undefined
  /** A name of which the agent knows more than of others, such as `gpt-5.5`, given to the model. */
  readonly as?: string | undefined
  /** True: the model server comes up when the agent is already running. */
  readonly late?: boolean | undefined
}

export type Via = keyof typeof VIA

/** How the first gateway knows the second. */
export const VIA = {
  anthropic: { provider: 'anthropic', path: '' },
  responses: { provider: 'responses-compatible', path: '/v1' },
  google: { provider: 'google', path: '/v1beta' },
  ollama: { provider: 'ollama', path: '' },
  chat: { provider: 'openai-compatible', path: '/v1' },
} as const

/** The run that the others of the same agent and plan are compared with. */
export const NATIVE = 'native'

/** By default: every kind of trouble once. */
export const USUAL_MODELS: readonly string[] = [
  NATIVE,
  'qwen3-coder',
  'glm45+reasoning',
  'harmony',
  'native+strict',
  'hermes+think+strict',
]

/** From the command line: `glm45+strict`, `mcp:hermes`, `ollama/native`, `by-hand/qwen3-coder`, `as-gpt-5.5/native`. */
export function readScenario(text: string): Scenario | string {
  const [, plan = 'work', way = '', model = ''] =
    /^(?:([a-z]+):)?(?:([\w.-]+)\/)?(.+)$/.exec(text) ?? []
  const [format = '', ...traits] = model.split('+')
  const problem =
    unknown('plan', plan, Object.keys(PLANS)) ??
    unknown('format', format, [NATIVE, ...Object.keys(FORMATS)]) ??
    traits.map((trait) => unknown('trait', trait, Object.keys(TRAITS))).find(Boolean) ??
    (way.startsWith('as-') ? undefined : unknown('way', way, ['', ...WAYS]))
  if (problem !== undefined) return problem
  return {
    // Both checked above.
    plan: plan as PlanName,
    via: Object.hasOwn(VIA, way) ? (way as Via) : undefined,
    model,
    byHand: way === 'by-hand',
    late: way === 'late',
    as: way.startsWith('as-') ? way.slice('as-'.length) : undefined,
  }
}

const WAYS: readonly string[] = ['by-hand', 'late', ...Object.keys(VIA)]

function unknown(what: string, name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined
  return `no ${what} ${name}; there are ${known.filter(Boolean).join(', ')}`
}

export function nameOf({ plan, model, via, byHand, late, as }: Scenario): string {
  const ways = [via, as && `as-${as}`, byHand && 'by-hand', late && 'late']
  const way = ways.find(Boolean)
  return `${plan === 'work' ? '' : `${plan}:`}${way ? `${way}/` : ''}${model}`
}

/** The run with native calls that a scenario is compared with. */
export function nativeOf({ plan, as, byHand }: Scenario): Scenario {
  // Some agents offer other tools for another name of the model.
  return { plan, as, byHand, model: NATIVE }
}
