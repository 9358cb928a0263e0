/** One turn with a model, through the gateway's OpenAI endpoint, read by the library. */
import { createFrameReader } from '../../../src/client/frames.ts'
import type { ChatEvent, ChatRequest, ChatResponse } from '../../../src/core/chat.ts'
import { openaiChat } from '../../../src/dialects/openai-chat.ts'
import { askGateway } from './access.ts'

const REQUEST_ID = 'x-toolglot-request-id'

export interface ChatTurn {
  /** Under which the gateway has recorded it. */
  readonly requestId: string | undefined
  /** One event at the end when the reply is not streamed. */
  readonly events: AsyncIterable<ChatEvent>
}

export async function startTurn(request: ChatRequest, signal: AbortSignal): Promise<ChatTurn> {
  const response = await askGateway('v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(openaiChat.encodeRequest(request)),
    signal,
  })
  return {
    requestId: response.headers.get(REQUEST_ID) ?? undefined,
    events: request.stream ? streamed(response) : whole(response),
  }
}

async function* whole(response: Response): AsyncGenerator<ChatEvent> {
  const reply: ChatResponse = openaiChat.decodeResponse(await response.json())
  yield { type: 'finish', response: reply }
}

async function* streamed(response: Response): AsyncGenerator<ChatEvent> {
  const frames = createFrameReader('sse')
  const decoder = openaiChat.createStreamDecoder()
  for await (const bytes of response.body ?? []) {
    for (const frame of frames.push(bytes)) yield* decoder.push(frame)
  }
  for (const frame of frames.end()) yield* decoder.push(frame)
  yield* decoder.end()
}
