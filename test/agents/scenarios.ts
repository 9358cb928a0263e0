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

/** From the command line: `glm45+strict`, `mcp:hermes`, `ollama/native`, `by-hand/qwen3-coder`, `late/native`. */
export function readScenario(text: string): Scenario | string {
  const [, plan = 'work', way, model = ''] = /^(?:([a-z]+):)?(?:([a-z-]+)\/)?(.+)$/.exec(text) ?? []
  if (!Object.hasOwn(PLANS, plan))
    return `no plan ${plan}; there are ${Object.keys(PLANS).join(', ')}`
  const [format = '', ...traits] = model.split('+')
  if (format !== NATIVE && !Object.hasOwn(FORMATS, format)) {
    return `no format ${format}; there are ${[NATIVE, ...Object.keys(FORMATS)].join(', ')}`
  }
  const unknown = traits.find((trait) => !Object.hasOwn(TRAITS, trait))
  if (unknown !== undefined)
    return `no trait ${unknown}; there are ${Object.keys(TRAITS).join(', ')}`
  const ways = ['by-hand', 'late', ...Object.keys(VIA)]
  if (way !== undefined && !ways.includes(way)) return `no way ${way}; there are ${ways.join(', ')}`
  return {
    // Checked above.
    plan: plan as PlanName,
    model,
    via: way !== undefined && Object.hasOwn(VIA, way) ? (way as Via) : undefined,
    byHand: way === 'by-hand',
    late: way === 'late',
  }
}

export function nameOf({ plan, model, via, byHand, late }: Scenario): string {
  const way = via ?? (byHand ? 'by-hand' : late ? 'late' : undefined)
  return `${plan === 'work' ? '' : `${plan}:`}${way === undefined ? '' : `${way}/`}${model}`
}
