/** Results of calls as parts of a turn. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Part, ToolResult } from '../../core/model.ts'
import { errorPrefix } from '../../core/result-text.ts'
import { readMarkedResult } from '../history-call.ts'
import { objectAt, partsOf } from './candidate.ts'
import { decodeContent, encodePart } from './parts.ts'

/** A result as a part; data goes inside it, which models before Gemini 3 do not take. */
export function encodeResult(result: ToolResult, fields: JsonObject = {}): JsonObject {
  const others = dataOf(result)
  const { name = '' } = result
  return {
    functionResponse: {
      name,
      ...fields,
      response: encodeOutcome(result),
      ...(others.length > 0 && { parts: others.map(encodePart) }),
    },
  }
}

/** The parts of a result that are not text. */
export function dataOf({ content }: ToolResult): Part[] {
  return typeof content === 'string' ? [] : content.filter((part) => part.type !== 'text')
}

/** `error` says that it failed; only the code needs words. */
function encodeOutcome(result: ToolResult): JsonObject {
  const { content, isError, errorCode } = result
  const texts = typeof content === 'string' ? [content] : content.flatMap(textIn)
  const text = texts.join('\n')
  return isError ? { error: (errorCode ? errorPrefix(result) : '') + text } : { output: text }
}

function textIn(part: Part): string[] {
  return part.type === 'text' ? [part.text] : []
}

export function decodeResult(part: JsonObject, callId: string): ToolResult {
  const answer = objectAt(part, 'functionResponse')
  const { name, response } = (answer ?? {}) as Record<string, JsonValue | undefined>
  const outcome = isJsonObject(response) ? response : {}
  const told = outcome['error'] ?? outcome['output'] ?? wrapped(outcome, name) ?? outcome
  const text = typeof told === 'string' ? told : JSON.stringify(told)
  const plain = { callId, ...(typeof name === 'string' && { name }), content: text }
  const result = 'error' in outcome ? readMarkedResult({ ...plain, isError: true }) : plain
  const inside = decodeContent(partsOf(answer))
  const isText = typeof inside === 'string' || typeof result.content !== 'string'
  return isText ? result : { ...result, content: withText(result.content, inside) }
}

/** Some clients repeat the name around what the tool said. */
function wrapped(outcome: JsonObject, name: JsonValue | undefined): JsonValue | undefined {
  const isWrapped = Object.keys(outcome).length === 2 && outcome['name'] === name
  return isWrapped ? outcome['content'] : undefined
}

function withText(text: string, data: readonly Part[]): Part[] {
  return text === '' ? [...data] : [{ type: 'text', text }, ...data]
}
