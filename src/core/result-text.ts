/** Tool results as text, for models and dialects that know nothing else. */
import { checkList, checkObject } from './caller-input.ts'
import type { Part, ToolResult } from './model.ts'
import type { ResultPlace } from './protocol.ts'

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

/** The same under a line that names the tool and the call, for formats that enclose nothing but text. */
export function labelledResultText(result: ToolResult, place?: ResultPlace): string {
  checkObject('a result', result, "{ callId, name, content: '…' }")
  const { content } = result
  if (typeof content !== 'string') checkList('content', content, 'text or a list of parts')
  const label = resultLabel(result, place)
  const text = formatResultText(result)
  return label === '' ? text : `${label}:\n${text}`
}

/** The same under a line that names the call, for formats that have a place for the tool's name only. */
export function placedResultText(result: Omit<ToolResult, 'callId'>, place?: ResultPlace): string {
  const call = answeredCall(place)
  const text = formatResultText(result)
  return call === undefined ? text : `(answers ${call})\n${text}`
}

/** `get_weather (answers call 2 of 3)`; empty when neither the tool nor the call is known. */
export function resultLabel({ name = '' }: Pick<ToolResult, 'name'>, place?: ResultPlace): string {
  const call = answeredCall(place)
  if (call === undefined) return name
  return `${name || 'unknown tool'} (answers ${call})`
}

/** `call 2 of 3`: which call of its turn a result answers; undefined for the only call. */
export function answeredCall(place: ResultPlace | undefined): string | undefined {
  if (place === 'orphan') return 'no call of this conversation'
  return place && place.of > 1 ? `call ${place.index} of ${place.of}` : undefined
}

function formatPart(part: Part): string {
  if (part.type === 'text') return part.text
  return part.type === 'file' && part.name ? `[file: ${part.name}]` : `[${part.type}]`
}
