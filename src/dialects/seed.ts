/** The seed of a request. It is no part of the neutral model, but more than one dialect has it. */
import type { Extra } from '../core/chat.ts'

const FIELDS: readonly (readonly [dialect: string, field: string])[] = [
  ['openai-chat', 'seed'],
  ['mistral', 'random_seed'],
  ['cohere', 'seed'],
]

export interface ForeignSeed {
  readonly seed?: number
  /** Without the seed, which is not lost. */
  readonly extra: Extra | undefined
}

/** The seed that came in another dialect; what the dialect itself has comes first. */
export function foreignSeed(dialect: string, extra: Extra | undefined): ForeignSeed {
  for (const [other, field] of FIELDS) {
    const { [field]: seed, ...rest } = extra?.[other] ?? {}
    if (other === dialect || typeof seed !== 'number') continue
    const { [other]: _, ...others } = extra ?? {}
    return { seed, extra: Object.keys(rest).length === 0 ? others : { ...others, [other]: rest } }
  }
  return { extra }
}
