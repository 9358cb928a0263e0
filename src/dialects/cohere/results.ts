/** Results in Cohere's form: text, or documents that the model can cite. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { Message, ToolResult } from '../../core/model.ts'
import { errorPrefix } from '../../core/result-text.ts'
import { objectsIn, readMarkedResult } from '../history-call.ts'
import { encodePart } from '../openai-chat/content.ts'
import { followedText, resultText } from '../tool-result.ts'

const DIALECT = 'cohere'

export function encodeResult(result: ToolResult): JsonObject {
  const content = errorPrefix(result) + resultText(result)
  return { role: 'tool', tool_call_id: result.callId, content }
}

function encodeFollowed(result: ToolResult): JsonObject {
  return { ...encodeResult(result), content: errorPrefix(result) + followedText(result, ['image']) }
}

/** Documents go back as they came. Images follow all results, in a message of the user. */
export function encodeResults({ toolResults = [], extra }: Message): JsonObject[] {
  const documents = extra?.[DIALECT]?.['documents']
  const kept = isJsonObject(documents) ? documents : {}
  const images = toolResults.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(({ type }) => type === 'image'),
  )
  return [
    ...toolResults.map((result) => withDocuments(encodeFollowed(result), kept[result.callId])),
    ...(images.length > 0 ? [{ role: 'user', content: images.map(encodePart) }] : []),
  ]
}

function withDocuments(result: JsonObject, blocks: JsonValue | undefined): JsonObject {
  const isSame = Array.isArray(blocks) && blocksText(blocks) === result['content']
  return isSame ? { ...result, content: blocks } : result
}

/** Neighbouring results as the one message of a turn, with the documents by the id of their call. */
export function decodeResults(messages: readonly JsonObject[]): Message {
  const documents = messages.flatMap(({ tool_call_id: id, content }) =>
    typeof id === 'string' && Array.isArray(content) ? [[id, content] as const] : [],
  )
  return {
    role: 'tool',
    content: '',
    toolResults: messages.map(decodeResult),
    ...(documents.length > 0 && {
      extra: { [DIALECT]: { documents: Object.fromEntries(documents) } },
    }),
  }
}

function decodeResult({ tool_call_id: id, content }: JsonObject): ToolResult {
  const callId = typeof id === 'string' ? id : ''
  return readMarkedResult({
    callId,
    content: typeof content === 'string' ? content : blocksText(content),
  })
}

function blocksText(blocks: JsonValue | undefined): string {
  return objectsIn(blocks).map(blockText).join('\n')
}

function blockText({ text, document }: JsonObject): string {
  if (typeof text === 'string') return text
  const data = isJsonObject(document) ? document['data'] : undefined
  if (typeof data === 'string') return data
  return data === undefined ? '' : JSON.stringify(data)
}
