/** Tool results as blocks of Anthropic, both ways. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Part, ToolResult } from '../../core/model.ts'
import { codePrefix, readCode } from '../failed-result.ts'
import { decodeContent, encodeContent, encodePart, textBlock } from './content.ts'
import { type ToolLookup, withDefinitions } from './tool-search.ts'

export function encodeResult(result: ToolResult): JsonObject {
  const { callId, content, isError } = result
  // `is_error` says that it failed; only the code needs words.
  const prefix = codePrefix(result)
  return {
    type: 'tool_result',
    tool_use_id: callId,
    ...(isError && { is_error: true }),
    content: typeof content === 'string' ? prefix + content : encodeParts(prefix, content),
  }
}

function encodeParts(prefix: string, parts: readonly Part[]): JsonObject[] {
  const blocks = parts.filter((part) => part.type !== 'text' || part.text !== '').map(encodePart)
  return prefix === '' ? blocks : [textBlock(prefix.trimEnd()), ...blocks]
}

/** `lookup` has the definitions of tools that a search may have found. */
export function decodeResult(block: JsonObject, lookup: ToolLookup): ToolResult {
  const { tool_use_id: id, is_error: isError } = block as Record<string, JsonValue | undefined>
  return readCode({
    callId: typeof id === 'string' ? id : '',
    content: decodeContent(withDefinitions(block['content'], lookup)),
    ...(isError === true && { isError: true }),
  })
}

/** The block in the one spelling that results have here: clients write content in several. */
export function plainResult(block: JsonObject): JsonObject {
  const { content = '', is_error: isError, ...rest } = block as Record<string, JsonValue>
  return {
    ...rest,
    ...(isError === true && { is_error: true }),
    content: typeof content === 'string' ? encodeContent(content) : content,
  }
}
