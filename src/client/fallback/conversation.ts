/** What tells one conversation from another: its beginning, which every later request repeats. */
import { textOf } from '../../core/message.ts'
import type { Message } from '../../core/model.ts'

/** The beginning of a long text is enough to tell conversations apart. */
export const CONVERSATION_LENGTH = 4096

/** The first words of the user. Instructions before them may differ from request to request. */
export function conversationOf(messages: readonly Message[]): string | undefined {
  const first = messages.find(({ role }) => role === 'user')
  return first && textOf(first).slice(0, CONVERSATION_LENGTH)
}
