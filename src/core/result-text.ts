/** Tool results as text, for models and dialects that know nothing else. */
import type { Part, ToolResult } from './model.ts'

/**
 * The content of a result, with a header that tells an error from an answer. Only text can be
 * shown; a placeholder line stands for every other part.
 */
export function formatResultText(result: Omit<ToolResult, 'callId'>): string {
  const { content } = result
  const text = typeof content === 'string' ? content : content.map(formatPart).join('\n')
  return errorPrefix(result) + text
}

/** `[ERROR:code] ` before the text of a failure; `[ERROR] ` when there is no code. */
export function errorPrefix({
  isError,
  errorCode,
}: Pick<ToolResult, 'isError' | 'errorCode'>): string {
  if (!isError) return ''
  return errorCode ? `[ERROR:${errorCode}] ` : '[ERROR] '
}

function formatPart(part: Part): string {
  if (part.type === 'text') return part.text
  return part.type === 'file' && part.name ? `[file: ${part.name}]` : `[${part.type}]`
}
