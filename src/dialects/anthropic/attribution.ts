/**
 * Claude Code's first system text says who pays and with which version, differently in each request:
 *
 *     x-anthropic-billing-header: cc_version=2.1.327; cc_entrypoint=cli; cch=…;
 *
 * Anthropic reads and removes it. Other services would show it to the model, and keep nothing of the prompt in their
 * caches, because its beginning is never the same.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'
import { isBlankText, textBlock } from './content.ts'

const LINES = /^(?:x-anthropic-[a-z0-9-]+:[^\n]*(?:\n|$))+/

/** The system prompt as blocks, and the same without attribution. */
export function readSystem(system: JsonValue | undefined): {
  readonly blocks: readonly JsonObject[]
  readonly plain: readonly JsonObject[]
} {
  const blocks = typeof system === 'string' ? [textBlock(system)] : objectsIn(system)
  const [first, ...rest] = blocks
  if (!first || !isAttributed(first)) return { blocks, plain: blocks }
  const text = String(first['text']).replace(LINES, '')
  const left = { ...first, text }
  return { blocks, plain: isBlankText(left) ? rest : [left, ...rest] }
}

function isAttributed({ type, text }: JsonObject): boolean {
  return type === 'text' && typeof text === 'string' && LINES.test(text)
}

/** The body for a service of this dialect that would take attribution for a part of the prompt. */
export function withoutAttribution(body: JsonObject): JsonObject {
  const { system, ...rest } = body as Record<string, JsonValue>
  const [first] = typeof system === 'string' ? [textBlock(system)] : objectsIn(system)
  if (!isJsonObject(first) || !isAttributed(first)) return body
  const { plain } = readSystem(system)
  return plain.length === 0 ? rest : { ...rest, system: [...plain] }
}
