/** Clients of the Interactions API may name the interaction before instead of repeating what was said. */
import type { JsonValue } from '../../core/json/value.ts'
import { stepsOf } from '../../dialects/google-interactions/steps.ts'
import { GatewayError } from '../gateway-error.ts'
import { shownName } from '../shown-text.ts'
import type { References } from './endpoint.ts'

export const interactionReferences: References = {
  names: ({ previous_interaction_id: previous }) =>
    typeof previous === 'string' ? [previous] : [],
  resolve({ previous_interaction_id: previous, ...body }, found) {
    const earlier: JsonValue | undefined = found.get(String(previous))
    if (!Array.isArray(earlier)) {
      const message = `the interaction ${JSON.stringify(shownName(String(previous)))} is not known here any more; send the whole input`
      throw new GatewayError('invalid_request', message)
    }
    return { ...body, input: [...earlier, ...stepsOf(body['input'])] }
  },
  keep: ({ input }, { id, steps }) =>
    typeof id === 'string' && Array.isArray(steps) ? [[id, [...stepsOf(input), ...steps]]] : [],
}
