/** Results of calls as steps. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/model.ts'
import { codePrefix, readCode } from '../failed-result.ts'
import { decodeContent, encodeContent } from './content.ts'

export function encodeResult(result: ToolResult): JsonObject {
  const { callId, name, isError } = result
  return {
    type: 'function_result',
    call_id: callId,
    ...(name !== undefined && { name }),
    result: encodeOutcome(result),
    ...(isError && { is_error: true }),
  }
}

function encodeOutcome(result: ToolResult): string | JsonObject[] {
  const { content } = result
  const prefix = codePrefix(result)
  if (typeof content === 'string') return prefix + content
  const words = prefix === '' ? [] : [{ type: 'text', text: prefix.trimEnd() }]
  return [...words, ...encodeContent(content)]
}

export function decodeResult(step: JsonObject): ToolResult {
  const { call_id: id, name, result, is_error: isError } = step as Record<string, JsonValue>
  return readCode({
    callId: typeof id === 'string' ? id : '',
    ...(typeof name === 'string' && { name }),
    content: decodeOutcome(result),
    ...(isError === true && { isError }),
  })
}

/** Text, contents, or whatever else the tool gave, as JSON. */
function decodeOutcome(outcome: JsonValue | undefined): ToolResult['content'] {
  if (typeof outcome === 'string') return outcome
  const content = Array.isArray(outcome) ? decodeContent(outcome) : ''
  return content === '' && outcome !== undefined ? JSON.stringify(outcome) : content
}
