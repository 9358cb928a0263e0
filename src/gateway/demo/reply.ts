/** From a request to the reply of a demo model, and to the pieces in which it is streamed. */
import { replyEvents } from '../../client/reply-events.ts'
import type { ChatEvent, ChatRequest, ChatResponse, Usage } from '../../core/chat.ts'
import { textOf } from '../../core/message.ts'
import type { Message } from '../../core/model.ts'
import { formatResultText } from '../../core/result-text.ts'
import { readAsked } from './asked.ts'
import type { Answer, DemoModel } from './demo-models.ts'

export function replyTo(request: ChatRequest, model: DemoModel): ChatResponse {
  const asked = readAsked(request)
  const answer = model.answer(asked)
  const { text, calls = [] } = answer
  const toolCalls = calls.map((call, at) => ({
    ...call,
    id: `call_demo_${asked.callsBefore + at + 1}`,
    origin: 'native' as const,
  }))
  return {
    id: `chatcmpl-demo-${request.messages.length}`,
    model: request.model,
    message: { role: 'assistant', content: text, ...(toolCalls.length > 0 && { toolCalls }) },
    finishReason: answer.finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'),
    usage: countWords(request.messages, answer),
    issues: [],
  }
}

/** Words stand for tokens. */
function countWords(messages: readonly Message[], { text, calls = [] }: Answer): Usage {
  const inputTokens = messages.reduce((sum, message) => sum + wordsIn(allText(message)), 0)
  const written = [
    text,
    ...calls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args)}`),
  ]
  const outputTokens = wordsIn(written.join(' '))
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

function allText(message: Message): string {
  const { toolResults = [] } = message
  return [textOf(message), ...toolResults.map(formatResultText)].join(' ')
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}

/** The events of a reply, its texts cut into a few characters each. */
export function* eventsOf(reply: ChatResponse): Generator<ChatEvent> {
  for (const event of replyEvents(reply)) {
    if (event.type === 'text-delta') {
      for (const text of piecesOf(event.text)) yield { ...event, text }
    } else if (event.type === 'call-delta') {
      for (const argumentsDelta of piecesOf(event.argumentsDelta))
        yield { ...event, argumentsDelta }
    } else {
      yield event
    }
  }
}

/** In no step with anything in the text, so that cuts fall inside of markers. */
const LENGTHS = [5, 4, 7, 6, 4, 5, 7] as const

export function* piecesOf(text: string): Generator<string> {
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = LENGTHS[turn % LENGTHS.length] ?? text.length
    const end = isInsidePair(text, at + length) ? at + length + 1 : at + length
    yield text.slice(at, end)
    at = end
  }
}

/** Half a character cannot be sent. */
function isInsidePair(text: string, at: number): boolean {
  return at < text.length && /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1))
}
