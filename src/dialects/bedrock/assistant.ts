/** An assistant's message as content blocks of Converse. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { type AssistantBlocks, type BlockKind, createAssistantBlocks } from '../assistant-blocks.ts'
import { objectsIn } from '../history-call.ts'
import { encodeContent, isBlankText } from './content.ts'

export const assistantBlocks: AssistantBlocks = createAssistantBlocks({
  dialect: 'bedrock',
  kindOf,
  said,
  encodeContent,
  encodeCall: ({ id, name, arguments: input }) => ({ toolUse: { toolUseId: id, name, input } }),
  encodeReasoning: (text) => ({ reasoningContent: { reasoningText: { text } } }),
  withId: (block, toolUseId) =>
    isJsonObject(block['toolUse']) ? { toolUse: { ...block['toolUse'], toolUseId } } : block,
})

/** Words that are cited are words like all others. */
export function said(block: JsonObject): JsonObject {
  const { citationsContent: cited } = block as Record<string, JsonValue | undefined>
  if (!isJsonObject(cited)) return block
  const words = objectsIn(cited['content']).map(({ text }) =>
    typeof text === 'string' ? text : '',
  )
  return { text: words.join('') }
}

export function kindOf(block: JsonObject): BlockKind {
  const { toolUse, reasoningContent } = block as Record<string, JsonValue | undefined>
  // Tools that run on the service's side are marked inside.
  if (isJsonObject(toolUse)) return toolUse['type'] === undefined ? 'call' : 'foreign'
  if (isJsonObject(reasoningContent)) return isSigned(reasoningContent) ? 'signed' : 'unsigned'
  return isBlankText(block) ? 'blank' : 'other'
}

function isSigned({ reasoningText, redactedContent }: Partial<JsonObject>): boolean {
  if (typeof redactedContent === 'string') return true
  return isJsonObject(reasoningText) && Boolean(reasoningText['signature'])
}
