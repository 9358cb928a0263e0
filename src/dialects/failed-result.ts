/** Results of dialects with a flag for failure, which has no room for the code of the error. */
import type { ToolResult } from '../core/model.ts'
import { errorPrefix } from '../core/result-text.ts'
import { readMarkedResult } from './history-call.ts'

/** The words that tell the code; none when there is no code to tell. */
export function codePrefix(result: ToolResult): string {
  return result.isError && result.errorCode ? errorPrefix(result) : ''
}

/** The result with the code that its first words tell. Only failures have one. */
export function readCode(result: ToolResult): ToolResult {
  const { content, isError } = result
  if (!isError) return result
  if (typeof content === 'string') return readMarkedResult(result)
  const [first, ...rest] = content
  if (first?.type !== 'text') return result
  // In a list, the words are a part of their own.
  const { errorCode, content: left } = readMarkedResult({ callId: '', content: `${first.text} ` })
  return errorCode === undefined || left !== '' ? result : { ...result, content: rest, errorCode }
}
