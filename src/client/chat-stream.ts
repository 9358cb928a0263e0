/** A stream that can be read as events, awaited as a whole, or both. */
import { append } from '../core/append.ts'
import type { ChatEvent, ChatResponse } from '../core/chat.ts'
import type { ChatStream } from './chat-client.ts'

/** Tells how a stream ended, to those who wait for the whole. */
export interface Ending {
  resolve(response: ChatResponse): void
  reject(reason: unknown): void
}

/** Events in order: one, or several that came together. */
export type EventBatch = ChatEvent | readonly ChatEvent[]

/**
 * `open` yields the events and tells the ending. Nothing happens before somebody reads, or asks for the
 * response; then the events are kept for whoever reads later.
 */
export function createChatStream(
  open: (ending: Ending) => AsyncGenerator<EventBatch, void>,
): ChatStream {
  let ending: Ending = { resolve() {}, reject() {} }
  const response = new Promise<ChatResponse>((resolve, reject) => {
    ending = { resolve, reject }
  })
  // Whoever iterates sees the failure as an event; here it must not count as unhandled as well.
  response.catch(() => {})
  const events = open(ending)
  const kept: ChatEvent[] = []
  let pump: 'none' | 'running' | 'done' = 'none'
  let isRead = false
  let wake = (): void => {}

  async function run(): Promise<void> {
    pump = 'running'
    try {
      for await (const batch of events) {
        append(kept, listOf(batch))
        wake()
      }
    } catch (error) {
      ending.reject(error)
    }
    pump = 'done'
    wake()
  }

  async function* readKept(): AsyncGenerator<ChatEvent, void> {
    while (true) {
      yield* kept.splice(0)
      if (kept.length > 0) continue
      if (pump === 'done') return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  async function* read(): AsyncGenerator<ChatEvent, void> {
    isRead = true
    if (pump !== 'none') {
      yield* readKept()
      return
    }
    try {
      for await (const batch of events) yield* listOf(batch)
    } catch (error) {
      ending.reject(error)
      throw error
    } finally {
      // Does nothing when the stream was read to its end.
      ending.reject(new DOMException('the stream was left before its end', 'AbortError'))
    }
  }

  return {
    [Symbol.asyncIterator]: read,
    get response() {
      if (!isRead && pump === 'none') void run()
      return response
    },
  }
}

function listOf(batch: EventBatch): readonly ChatEvent[] {
  return 'type' in batch ? [batch] : batch
}
