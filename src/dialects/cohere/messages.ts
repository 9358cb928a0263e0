/** Conversations in Cohere's form, both ways. */

import type { CodecOptions } from '../../core/dialect.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Message, Part } from '../../core/model.ts'
import { runsOf } from '../../core/runs.ts'
import { mapSteps, type Steps } from '../../core/steps.ts'
import { objectsIn } from '../history-call.ts'
import { decodeContent, encodePart } from '../openai-chat/content.ts'
import { extraFields, ownFields } from '../request-fields.ts'
import { decodeAssistant, encodeHistory, keepsThoughts } from './assistant.ts'
import { decodeResults, encodeResults } from './results.ts'

const DIALECT = 'cohere'

export function encodeMessages(
  messages: readonly Message[],
  options: CodecOptions = {},
): JsonObject[] {
  return messages.flatMap((message) => {
    const { role, content, extra } = message
    const own = ownFields(DIALECT, extra, options)
    if (role === 'tool') return encodeResults(message)
    if (role !== 'assistant') return [{ role, content: encodeContent(content, options), ...own }]
    if (message.reasoning && !keepsThoughts(message)) {
      const reason = 'reasoning goes back to Cohere only in the blocks it came in'
      options.report?.({ code: 'lost-field', message: reason })
    }
    return [encodeHistory(message)]
  })
}

function encodeContent(
  content: Message['content'],
  { report }: CodecOptions,
): string | JsonObject[] {
  if (typeof content === 'string') return content
  return content.map((part: Part) => {
    if (part.type !== 'file') return encodePart(part)
    report?.({
      code: 'not-expressible',
      message: 'Cohere takes text and images; a file is left out',
    })
    return { type: 'text', text: '[file left out]' }
  })
}

const KNOWN: ReadonlySet<string> = new Set(['role', 'content'])

export function decodeMessages(messages: JsonValue | undefined): Steps<Message[]> {
  const runs = runsOf(
    objectsIn(messages),
    ([first = {}], next) => isResult(first) && isResult(next),
  )
  return mapSteps(runs, decodeRun)
}

/** Results of one turn, or one message of anybody else. */
function decodeRun(run: readonly JsonObject[]): Message {
  const [only = {}] = run
  return isResult(only) ? decodeResults(run) : decodeMessage(only)
}

function isResult({ role }: JsonObject): boolean {
  return role === 'tool'
}

function decodeMessage(message: JsonObject): Message {
  const { role, content } = message
  if (role === 'assistant') return decodeAssistant(message)
  return {
    role: role === 'system' ? role : 'user',
    content: decodeContent(content),
    ...extraFields(DIALECT, message, KNOWN),
  }
}
