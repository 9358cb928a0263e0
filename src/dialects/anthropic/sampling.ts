/** How a model chooses words: newer models of Claude do not let it be changed. */
import type { CodecOptions } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { hasFixedSampling } from './claude-version.ts'

/** The settings without those that the model refuses; `topP` is the name of that field. */
export function limitSampling(
  settings: JsonObject,
  model: string,
  topP: string,
  { report }: CodecOptions,
): JsonObject {
  if (!hasFixedSampling(model)) return settings
  const { temperature = 1, [topP]: share = 1, ...rest } = settings
  if (temperature !== 1 || Number(share) < 0.99) {
    const message = `the model takes neither a temperature nor ${topP}`
    report?.({ code: 'not-expressible', message })
  }
  return rest
}
