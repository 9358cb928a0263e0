/**
 * Clients of the Responses API may refer to what was said before instead of repeating it: to a whole reply
 * by `previous_response_id`, or to single items of one.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { GatewayError } from '../gateway-error.ts'
import { shownName } from '../shown-text.ts'
import type { References } from './endpoint.ts'

export const responsesReferences: References = {
  names(body) {
    const { previous_response_id: previous } = body
    const items = itemsOf(body).flatMap((item) => referenceIn(item) ?? [])
    return typeof previous === 'string' ? [previous, ...items] : items
  },
  resolve({ previous_response_id: previous, ...body }, found) {
    const earlier = typeof previous === 'string' ? found.get(previous) : []
    if (!Array.isArray(earlier)) throw unknownResponse(previous)
    const items = itemsOf(body).flatMap((item) => {
      const id = referenceIn(item)
      return id === undefined ? [item] : (found.get(id) ?? lost(id))
    })
    return { ...body, input: [...earlier, ...items] }
  },
  keep(body, { id, output }) {
    if (typeof id !== 'string' || !Array.isArray(output)) return []
    const items = output.flatMap((item): [string, JsonValue][] => {
      const name = isJsonObject(item) ? item['id'] : undefined
      return typeof name === 'string' ? [[name, item]] : []
    })
    return [[id, [...itemsOf(body), ...output]], ...items]
  },
  about,
}

/** What the conversation that is kept does not have. */
function about({ output, ...head }: JsonObject): readonly [string, JsonObject] | undefined {
  const { id } = head
  if (typeof id !== 'string' || !Array.isArray(output)) return undefined
  return [id, { head, items: output.length }]
}

/** A conversation can do without thoughts, but not without anything that was said. */
function lost(id: string): JsonValue[] {
  if (id.startsWith('rs_')) return []
  throw unknownItem(id)
}

/** The first sentence is OpenAI's own. */
function unknownResponse(id: JsonValue | undefined): GatewayError {
  const message = `Previous response with id '${shownName(String(id))}' not found. Send the whole input instead.`
  const param = 'previous_response_id'
  return new GatewayError('previous_response_not_found', message, undefined, param)
}

function unknownItem(id: string): GatewayError {
  const message =
    `Item with id '${shownName(id)}' not found. Items are not persisted when \`store\` is set to false. ` +
    'Send the item itself instead.'
  return new GatewayError('invalid_request', message, undefined, 'input')
}

function itemsOf({ input }: JsonObject): readonly JsonValue[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return Array.isArray(input) ? input : []
}

/** The type may be left out. */
function referenceIn(item: JsonValue): string | undefined {
  if (!isJsonObject(item)) return undefined
  const { type, id } = item
  const isReference = type === 'item_reference' || (type === undefined && !('role' in item))
  return isReference && typeof id === 'string' ? id : undefined
}
