/** How a model chooses words: newer models of Claude, and those that think, do not let it be changed. */
import type { CodecOptions } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { hasFixedSampling } from './claude-version.ts'

export interface Sampling {
  readonly model: string
  /** True when the request asks for thinking. */
  readonly thinks: boolean
  /** The names of the fields. */
  readonly topP: string
  readonly topK: string
}

/** The smallest share of tokens that can be sampled from while the model thinks. */
const MIN_TOP_P = 0.95

/** The settings without those that the model refuses. */
export function limitSampling(
  settings: JsonObject,
  { model, thinks, topP, topK }: Sampling,
  { report }: CodecOptions,
): JsonObject {
  const isFixed = hasFixedSampling(model)
  if (!isFixed && !thinks) return settings
  const { temperature = 1, [topP]: share = 1, [topK]: count, ...rest } = settings
  const keepsShare = !isFixed && Number(share) >= MIN_TOP_P && topP in settings
  const refused = [
    ...(temperature === 1 ? [] : ['temperature']),
    ...(Number(share) >= (isFixed ? 0.99 : MIN_TOP_P) ? [] : [topP]),
    ...(count === undefined ? [] : [topK]),
  ]
  if (refused.length > 0) {
    const names = refused.map((name) => `\`${name}\``).join(', ')
    const who = isFixed ? 'the model' : 'a model that thinks'
    const message = `${who} takes no ${names}; left out`
    report?.({ code: 'not-expressible', message })
  }
  return { ...rest, ...(keepsShare && { [topP]: share }) }
}
