/** Tool results as blocks of Converse, both ways. */
import type { CodecOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/model.ts'
import { codePrefix, readCode } from '../failed-result.ts'
import { decodeContent, encodeContent } from './content.ts'

export function encodeResult(result: ToolResult, options?: CodecOptions): JsonObject {
  const { callId, content, isError } = result
  // The status says that it failed; only the code needs words.
  const prefix = codePrefix(result)
  const said = typeof content === 'string' ? prefix + content : content
  const mark = typeof content === 'string' || prefix === '' ? [] : [{ text: prefix.trimEnd() }]
  return {
    toolResult: {
      toolUseId: callId,
      content: [...mark, ...encodeContent(said, options)],
      ...(isError && { status: 'error' }),
    },
  }
}

export function isResult(block: JsonObject): boolean {
  return isJsonObject(block['toolResult'])
}

export function decodeResult({ toolResult }: Partial<JsonObject>): ToolResult {
  const { toolUseId, content, status } = (isJsonObject(toolResult) ? toolResult : {}) as Record<
    string,
    JsonValue | undefined
  >
  return readCode({
    callId: typeof toolUseId === 'string' ? toolUseId : '',
    content: decodeContent(content),
    ...(status === 'error' && { isError: true }),
  })
}

/** Success need not be said. */
export function plainResult(block: JsonObject): JsonObject {
  const { toolResult } = block as Record<string, JsonValue | undefined>
  if (!isJsonObject(toolResult) || toolResult['status'] !== 'success') return block
  const { status: _, ...rest } = toolResult
  return { toolResult: rest }
}
