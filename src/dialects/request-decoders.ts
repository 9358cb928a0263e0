/** Requests are decoded at once or in steps, by the same code. */
import type { Dialect } from '../core/dialect.ts'
import { runSteps } from '../core/steps.ts'

type Decoders = Pick<Dialect, 'decodeRequest' | 'decodingSteps'>

/** Both ways, from the one in steps. */
export function requestDecoders(decodingSteps: Decoders['decodingSteps']): Decoders {
  return {
    decodingSteps,
    decodeRequest: (body, options) => runSteps(decodingSteps(body, options)),
  }
}
