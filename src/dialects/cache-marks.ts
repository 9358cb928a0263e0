/** Marks for the cache on parts of one's own messages. */
import type { JsonObject } from '../core/json/value.ts'
import type { Message, Part } from '../core/model.ts'

/** The fields that mark a part, in the spelling of Anthropic and of services that pass requests on to it. */
export function cacheMarkOf({ cache_control: mark }: Part): JsonObject {
  return mark ? { cache_control: { ...mark } } : {}
}

export function isMarked({ cache_control: mark }: Part): boolean {
  return mark !== undefined
}

/** True when a part of some message is marked. */
export function hasMarkedParts(messages: readonly Message[]): boolean {
  return messages.some(({ content }) => typeof content !== 'string' && content.some(isMarked))
}

/** The same messages for a model that takes no marks. */
export function withoutMarks(messages: readonly Message[]): readonly Message[] {
  if (!hasMarkedParts(messages)) return messages
  return messages.map((message) => {
    const { content } = message
    return typeof content === 'string' ? message : { ...message, content: content.map(unmarked) }
  })
}

function unmarked({ cache_control: _, ...part }: Part): Part {
  return part
}
