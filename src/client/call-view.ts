/**
 * The caller's view of the calls of a reply: under the caller's own names of tools, and with what the API that
 * declared a tool wants back with its calls.
 */
import type { ChatEvent } from '../core/chat.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Tool, ToolCall } from '../core/model.ts'
import type { NameMap } from '../dialects/history/names.ts'

type NamedCall = Pick<ToolCall, 'name' | 'provider'>

export interface CallView {
  event(event: ChatEvent): ChatEvent
  calls(calls: readonly ToolCall[]): readonly ToolCall[]
}

/** Undefined when calls are seen as they come. `names` are those that the provider was sent. */
export function createCallView(
  tools: readonly Tool[],
  names: NameMap | undefined,
): CallView | undefined {
  const marked = tools.filter(({ provider }) => provider !== undefined)
  if (!names && marked.length === 0) return undefined
  const byName = new Map(marked.map((tool) => [tool.name, tool]))

  function seen<T extends NamedCall>(call: T): T {
    const name = names?.decode(call.name) ?? call.name
    const tool = marked.find((one) => isCallTo(one, call)) ?? byName.get(name)
    if (!tool) return name === call.name ? call : { ...call, name }
    return { ...call, name: tool.name, provider: { ...call.provider, ...tool.provider } }
  }

  return {
    event(event) {
      if (event.type === 'call-start') return seen(event)
      return event.type === 'call-end' ? { ...event, call: seen(event.call) } : event
    },
    calls: (calls) => calls.map(seen),
  }
}

/** True for a call that names its tool as the API does which declared it: by a namespace, or by a type alone. */
function isCallTo({ provider: own = {} }: Tool, { name, provider = {} }: NamedCall): boolean {
  if (own['namespace'] !== undefined) {
    return provider['namespace'] === own['namespace'] && name === own['name']
  }
  return isSearch(own) && isSearch(provider) && name === provider['type']
}

function isSearch({ type }: Partial<JsonObject>): boolean {
  return type === 'tool_search_call'
}
