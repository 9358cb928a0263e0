/** Something of every kind in every dialect, to begin with. */
import { SAMPLE_CALL, SAMPLE_RESULT, SAMPLE_TOOL } from '../../../src/cli/sample-tool.ts'
import { replyEvents } from '../../../src/client/reply-events.ts'
import type { ChatRequest, ChatResponse } from '../../../src/core/chat.ts'
import type { Dialect } from '../../../src/core/dialect.ts'
import type { JsonValue } from '../../../src/core/json/value.ts'
import type { Message, ToolCall } from '../../../src/core/model.ts'
import type { PayloadKind } from '../../../src/dialects/payload.ts'
import { writeFrames } from '../../../src/dialects/recorded-stream.ts'
import { getDialect } from '../../../src/dialects/registry.ts'
import { encodeHealed, transcode } from '../../../src/dialects/transcode.ts'
import { textOf } from './wire-text.ts'

const CALL: ToolCall = { id: SAMPLE_RESULT.callId, ...SAMPLE_CALL, origin: 'native' }

const MESSAGES: readonly Message[] = [
  { role: 'system', content: 'Answer in one sentence.' },
  { role: 'user', content: 'Do I need an umbrella in Oslo?' },
  { role: 'assistant', content: '', toolCalls: [CALL] },
  { role: 'tool', content: '', toolResults: [SAMPLE_RESULT] },
]

const REQUEST: ChatRequest = {
  model: 'your-model',
  messages: MESSAGES,
  tools: [SAMPLE_TOOL],
  toolChoice: 'auto',
  maxTokens: 1024,
  temperature: 0.2,
  stop: ['END'],
}

const RESPONSE: ChatResponse = {
  id: 'reply_1',
  model: 'your-model',
  message: {
    role: 'assistant',
    content: 'I will look at the forecast.',
    reasoning: 'The user wants to know about rain, so the weather tool fits.',
    toolCalls: [CALL],
  },
  finishReason: 'tool-calls',
  usage: { inputTokens: 84, outputTokens: 31, totalTokens: 115 },
  issues: [],
}

/** Characters in one event of the sample stream. */
const PIECE = 12

export function conversionSample(kind: PayloadKind, dialect: string): string {
  const to = getDialect(dialect)
  if (kind === 'stream') return textOf(writeFrames(replyEvents(RESPONSE, PIECE), to), to)
  return JSON.stringify(sampleJson(kind, to), null, 2)
}

function sampleJson(kind: Exclude<PayloadKind, 'stream'>, to: Dialect): JsonValue {
  switch (kind) {
    case 'request':
      return encodeHealed(REQUEST, to).body
    case 'response':
      return to.encodeResponse(RESPONSE)
    case 'history':
      // Without the system prompt, which some dialects keep elsewhere.
      return transcode(MESSAGES.slice(1), { to })
    case 'tools':
      return to.formatTools([SAMPLE_TOOL])
  }
}
