/** An assistant's message as content blocks of Anthropic, both ways. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Message, ToolCall } from '../../core/model.ts'
import { type AssistantBlocks, type BlockKind, createAssistantBlocks } from '../assistant-blocks.ts'
import { objectsIn } from '../history-call.ts'
import { encodeContent, isBlankText } from './content.ts'

// What a call carries that goes back with it.
const CALL_KEYS = ['caller', 'toolset_name'] as const

export const assistantBlocks: AssistantBlocks = createAssistantBlocks({
  dialect: 'anthropic',
  kindOf,
  encodeContent,
  encodeCall,
  encodeReasoning: (thinking) => ({ type: 'thinking', thinking, signature: '' }),
  withId: (block, id) => ({ ...block, id }),
})

/** The blocks of a message, whose content may be a mere text. */
export function contentBlocks(content: JsonValue | undefined): JsonObject[] {
  return typeof content === 'string' ? encodeContent(content) : objectsIn(content)
}

export function decodeAssistant(content: JsonValue | undefined): Message {
  // Most turns of long histories are mere texts, which say all there is to say.
  if (typeof content === 'string' && content.trim() !== '') return { role: 'assistant', content }
  return assistantBlocks.decode(contentBlocks(content))
}

function kindOf(block: JsonObject): BlockKind {
  const { type, signature } = block as Record<string, JsonValue | undefined>
  if (type === 'tool_use') return 'call'
  if (type === 'redacted_thinking') return 'signed'
  if (type === 'thinking') return signature ? 'signed' : 'unsigned'
  return isBlankText(block) ? 'blank' : 'other'
}

function encodeCall({ id, name, arguments: input, provider = {} }: ToolCall): JsonObject {
  return { type: 'tool_use', id, name, input, ...callFields(provider) }
}

export function callFields(own: JsonObject): JsonObject {
  const fields = CALL_KEYS.flatMap((key) => (own[key] === undefined ? [] : [[key, own[key]]]))
  return Object.fromEntries(fields)
}
