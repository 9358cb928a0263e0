/** Results of calls as items. */
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Part, ToolResult } from '../../core/model.ts'
import { errorPrefix } from '../../core/result-text.ts'
import { objectsIn, readMarkedResult } from '../history-call.ts'
import { resultText } from '../tool-result.ts'
import { decodeContent, encodePart } from './content.ts'

/** A result for a function, or for one of the provider's tools when `type` names it. */
export function encodeResult(result: ToolResult, type = 'function'): JsonObject {
  const { callId } = result
  const text = errorPrefix(result) + resultText(result)
  switch (type) {
    case 'apply_patch_call':
      return {
        type: 'apply_patch_call_output',
        call_id: callId,
        status: result.isError ? 'failed' : 'completed',
        output: resultText(result),
      }
    case 'local_shell_call':
      return { type: 'local_shell_call_output', id: callId, output: text }
    case 'computer_call':
      return { type: 'computer_call_output', call_id: callId, output: screenshot(result) }
    case 'tool_search_call': {
      const tools = objectsIn(parseStrict(resultText(result)))
      const fields = { execution: 'client', status: 'completed', tools }
      return { type: 'tool_search_output', call_id: callId, ...fields }
    }
    default: {
      const kind = type === 'custom' ? 'custom_tool_call_output' : 'function_call_output'
      return { type: kind, call_id: callId, output: encodeOutput(result) }
    }
  }
}

/** Text alone stays text; images and files are allowed beside it. */
function encodeOutput(result: ToolResult): string | JsonObject[] {
  const { content } = result
  const prefix = errorPrefix(result)
  if (typeof content === 'string') return prefix + content
  const [first, ...others] = content
  if (prefix === '' || first?.type !== 'text') {
    const mark: Part[] = prefix === '' ? [] : [{ type: 'text', text: prefix }]
    return [...mark, ...content].map(encodePart)
  }
  return [{ type: 'text' as const, text: prefix + first.text }, ...others].map(encodePart)
}

function screenshot({ content }: ToolResult): JsonObject {
  const [image] = typeof content === 'string' ? [] : content.filter(({ type }) => type === 'image')
  return {
    type: 'computer_screenshot',
    ...(image && { image_url: encodePart(image)['image_url'] }),
  }
}

export function decodeResult(item: JsonObject): ToolResult {
  const {
    call_id: callId,
    id,
    output,
    status,
    type,
  } = item as Record<string, JsonValue | undefined>
  const owner = callId ?? id
  const result = readMarked({
    callId: typeof owner === 'string' ? owner : '',
    content: decodeOutput(output ?? item['tools']),
  })
  // Elsewhere it tells how far the item is, not how the tool fared.
  const hasFailed = type === 'apply_patch_call_output' && status === 'failed'
  return hasFailed ? { ...result, isError: true } : result
}

function decodeOutput(output: JsonValue | undefined): string | Part[] {
  if (output === undefined || output === null) return ''
  const parts = Array.isArray(output) ? output : isJsonObject(output) ? [output] : undefined
  if (!parts) return String(output)
  const content = decodeContent(parts)
  return content === '' && parts.length > 0 ? JSON.stringify(output) : content
}

/** The mark of a failure, in the text or in the first part. */
function readMarked(result: ToolResult): ToolResult {
  const { content } = result
  if (typeof content === 'string') return readMarkedResult(result)
  const [first, ...others] = content
  if (first?.type !== 'text') return result
  const marked = readMarkedResult({ ...result, content: first.text })
  if (!marked.isError || typeof marked.content !== 'string') return result
  const { content: text } = marked
  return { ...marked, content: text === '' ? others : [{ type: 'text', text }, ...others] }
}
