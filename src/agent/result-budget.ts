/** Results that are too long for a model: their beginning and their end. */
import type { ToolResult } from '../core/model.ts'

export interface ResultBudget {
  /** Characters of one result. Default 20,000. */
  readonly perResult?: number
  /** Characters of all results of a turn. Default 200,000. */
  readonly perTurn?: number
  /** What is kept of a longer one: from its beginning (default 4,000) and from its end (1,000). */
  readonly head?: number
  readonly tail?: number
}

const PER_RESULT = 20_000
const PER_TURN = 200_000
const HEAD = 4000
const TAIL = 1000

/** The result within what is allowed for it and left for the turn. */
export function fitResult(
  result: ToolResult,
  { perResult = PER_RESULT, perTurn = PER_TURN, head = HEAD, tail = TAIL }: ResultBudget,
  usedInTurn: number,
): ToolResult {
  const { content } = result
  const allowed = Math.min(perResult, Math.max(head + tail, perTurn - usedInTurn))
  const fit = (text: string): string =>
    text.length <= allowed ? text : excerpt(text, Math.min(head, allowed), Math.min(tail, allowed))
  if (typeof content === 'string') {
    return content.length <= allowed ? result : { ...result, content: fit(content) }
  }
  const parts = content.map((part) =>
    part.type === 'text' ? { ...part, text: fit(part.text) } : part,
  )
  return { ...result, content: parts }
}

export function lengthOf({ content }: ToolResult): number {
  if (typeof content === 'string') return content.length
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
}

/** Beginning and end of a text, with what lies between counted; no character is cut in two. */
export function excerpt(text: string, head: number, tail: number): string {
  const start = isInside(text, head) ? head - 1 : head
  const from = text.length - tail
  const end = isInside(text, from) ? from + 1 : from
  if (end <= start) return text
  return `${text.slice(0, start)}\n… ${end - start} characters left out …\n${text.slice(end)}`
}

/** True between the two halves of one character. */
function isInside(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const behind = text.charCodeAt(at)
  return before >= 0xd800 && before <= 0xdbff && behind >= 0xdc00 && behind <= 0xdfff
}
