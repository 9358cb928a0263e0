/**
 * One name for each tool of a request. Tools of the Responses API may be called alike in several namespaces; in
 * the neutral model, and in all other APIs, a name is all there is.
 */
import type { NameRule } from '../../core/dialect.ts'
import type { Message, ToolCall } from '../../core/model.ts'
import { createNameMap } from '../history/names.ts'
import { keyOf, SEARCH_KEY, wishedName } from './declared-tools.ts'

/** The type of the item that calls the search for tools, which is also the name that its calls are read under. */
export const SEARCH_CALL = 'tool_search_call'

/** What every dialect takes as the name of a tool. */
const FLAT: NameRule = { pattern: /^[a-zA-Z_][\w-]*$/, maxLength: 64 }

export interface ToolNames {
  /** The one name of a declared tool; undefined for any other key. */
  ofKey(key: string): string | undefined
  /** The call under the one name of its tool, if that is declared. */
  named(call: ToolCall): ToolCall
}

/** The same keys give the same names, in whatever order they come. */
export function createToolNames(keys: Iterable<string>): ToolNames {
  const sorted = [...new Set(keys)].sort()
  // Names without a namespace stay what they are; the target's own rules are a matter of the target.
  const plain = sorted.filter((key) => !key.includes('\0'))
  const map = createNameMap(sorted, FLAT, wishedName)
  const names = new Map(sorted.map((key) => [key, map.encode(key)]))
  for (const name of plain) names.set(name, name)

  return {
    ofKey: (key) => names.get(key),
    named(call) {
      const { name, provider = {} } = call
      const { namespace, type } = provider
      const key = type === SEARCH_CALL ? SEARCH_KEY : keyOf(name, namespace)
      const own = key === name ? undefined : names.get(key)
      if (own === undefined) return call
      return { ...call, name: own, provider: { ...provider, ...(namespace && { name }) } }
    },
  }
}

/** The name of the call on the wire. */
export function wireName({ name, provider = {} }: Pick<ToolCall, 'name' | 'provider'>): string {
  if (provider['type'] === SEARCH_CALL) return SEARCH_CALL
  const { namespace, name: member } = provider
  return namespace !== undefined && typeof member === 'string' ? member : name
}

/** The message with the names that its calls have on the wire. */
export function withWireNames(message: Message): Message {
  const { toolCalls } = message
  if (!toolCalls?.some((call) => wireName(call) !== call.name)) return message
  return { ...message, toolCalls: toolCalls.map((call) => ({ ...call, name: wireName(call) })) }
}
