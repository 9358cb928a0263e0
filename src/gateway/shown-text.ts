/** Texts of strangers in messages, logs, labels and headers: cut, and never a part of something larger. */

/** Enough to recognise a name or a path. */
const MAX_NAME = 200
/** Enough for what providers say, and for the stack of a mistake of ours. */
const MAX_MESSAGE = 4000

/** A name, path or header. */
export function shownName(text: string): string {
  return cut(text, MAX_NAME)
}

/** A sentence that may repeat what somebody sent. */
export function shownMessage(text: string): string {
  return cut(text, MAX_MESSAGE)
}

function cut(text: string, max: number): string {
  if (text.length <= max) return text
  // Joined from its characters, because a slice would keep all of the text in memory.
  return `${Array.from(text.slice(0, max)).join('')}…`
}
