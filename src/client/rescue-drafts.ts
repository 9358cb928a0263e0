/** Calls in a text that are emitted while they are read, for models that have no other way to make them. */
import type { ChatEvent } from '../core/chat.ts'
import type { ToolCall } from '../core/model.ts'
import type { DraftEvent } from './rescue-fetch/text-rescue.ts'

export interface Drafts {
  /** More about a call that is read; what to emit at once. */
  note(event: DraftEvent): ChatEvent | undefined
  /** What has come of the calls that are not complete; `place` has the next index. */
  grow(place: () => number): ChatEvent[]
  isBegun(id: string): boolean
  /** The rest of a call that is complete; undefined when nothing of it was emitted. */
  end(call: ToolCall): ChatEvent[] | undefined
}

interface Draft {
  readonly id: string
  readonly name: string
  /** What was not emitted yet. */
  deltas: string[]
  /** The index under which it is emitted, once it is. */
  place: number | undefined
}

/** Unless they `mayGrow`, calls are emitted when they are complete. */
export function createDrafts(mayGrow: boolean): Drafts {
  const drafts = new Map<number, Draft>()

  function deltasOf(draft: Draft, index: number): ChatEvent[] {
    const { deltas } = draft
    draft.deltas = []
    return deltas.map((argumentsDelta) => ({ type: 'call-delta', index, argumentsDelta }))
  }

  function note(event: DraftEvent): ChatEvent | undefined {
    const { index } = event
    if (event.type === 'call-start') {
      const { id, name } = event
      drafts.set(index, { id, name, deltas: [], place: undefined })
    } else if (event.type === 'call-delta') drafts.get(index)?.deltas.push(event.argumentsDelta)
    else {
      const { issue } = event
      const place = drafts.get(index)?.place
      drafts.delete(index)
      // Nobody saw the beginning of a call that was not emitted.
      return place === undefined ? { type: 'issue', issue } : { ...event, index: place }
    }
    return undefined
  }

  function grow(place: () => number): ChatEvent[] {
    if (!mayGrow) return []
    return [...drafts.values()].flatMap((draft): ChatEvent[] => {
      const { id, name } = draft
      const isNew = draft.place === undefined
      draft.place ??= place()
      const { place: index } = draft
      return [
        ...(isNew ? [{ type: 'call-start', index, id, name } as const] : []),
        ...deltasOf(draft, index),
      ]
    })
  }

  return {
    note,
    grow,
    isBegun: (id) =>
      [...drafts.values()].some((draft) => draft.id === id && draft.place !== undefined),
    end(call) {
      const found = [...drafts].find(([, { id }]) => id === call.id)
      if (!found) return undefined
      const [index, draft] = found
      drafts.delete(index)
      if (draft.place === undefined) return undefined
      return [...deltasOf(draft, draft.place), { type: 'call-end', index: draft.place, call }]
    },
  }
}
