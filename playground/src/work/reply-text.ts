/** What a model wrote, out of the bytes that a provider sent. */
import { textOf as messageText } from '../../../src/core/message.ts'
import { readFrames, wholeReply } from '../../../src/dialects/recorded-stream.ts'
import { getDialect } from '../../../src/dialects/registry.ts'
import { readJsonText } from '../tools-text.ts'
import { framesIn } from './wire-text.ts'

/** The text of a reply, whole or streamed; empty when there is none. */
export function replyText(body: string, dialectId: string): string {
  const dialect = getDialect(dialectId)
  const { value, problem } = readJsonText(body)
  if (problem === undefined) return messageText(dialect.decodeResponse(value).message)
  const read = readFrames((framing) => framesIn(body, framing), [dialect])
  const response = read && wholeReply(read.events)
  return response ? messageText(response.message) : ''
}
