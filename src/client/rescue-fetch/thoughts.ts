/**
 * The reasoning of one answer of a stream. It is passed on as it comes; that a call in it was meant, because
 * the model forgot to end its reasoning, is known when the answer ends and has said nothing else. The call is
 * then told beside the reasoning, which cannot be taken back.
 */
import type { FinishReason, ToolCall } from '../../core/model.ts'
import type { Channel } from '../../core/native.ts'

export interface Thoughts {
  /** More of the reasoning. */
  think(text: string): void
  /** More of the text. */
  say(text: string): void
  /** A call of the provider's own. */
  call(): void
  /** The answer is over: the calls that its reasoning ends with. Without a reason it broke off, and there are none. */
  end(reason: FinishReason | undefined): readonly ToolCall[]
}

export type ReadThoughts = (
  channel: Channel,
  reason: FinishReason | undefined,
) => readonly ToolCall[]

export function createThoughts(read: ReadThoughts): Thoughts {
  // Read at once and not on the way: most replies are never asked for them.
  let reasoning: string[] = []
  /** The first of the text that can be seen. */
  let text = ''
  let hasCalls = false

  return {
    think: (piece) => void reasoning.push(piece),
    say(piece) {
      if (text === '' && piece.trim() !== '') text = piece
    },
    call() {
      hasCalls = true
    },
    end(reason) {
      const channel = { reasoning: reasoning.join(''), text, hasCalls: hasCalls || !reason }
      reasoning = []
      return channel.reasoning === '' ? [] : read(channel, reason)
    },
  }
}
