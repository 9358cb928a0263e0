/** Calls that count only when what follows them is not other text. */
import type { CallDraft, Opener, ReadContext, Reader } from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { type Follows, markerAt, TURN_END } from './marker.ts'
import { createSteps } from './steps.ts'

/** White space that is looked over. */
const SPACE_WINDOW = 64

type Openers = <T extends Pick<Opener, 'open'>>(opener: T) => T

/**
 * Calls of which no marker is left: other words on their line make them a sentence about a call, unless
 * those begin what may come `next`.
 */
export function onLineBefore(...next: readonly string[]): Openers {
  const isRight = lineEndsBefore(next)
  return (opener) => ({
    ...opener,
    open: (context) => readIfFollowed(context, isRight, opener.open),
  })
}

function lineEndsBefore(next: readonly string[]): Follows {
  const markAt = markerAt(['\n', ...next])
  return (text, at, end, last) => {
    const rest = text.slice(at, end).replace(/^[^\S\n]+/, '')
    const mark = markAt(rest, 0, last)
    if (!last && (rest === '<' || mark === undefined)) return undefined
    return rest === '' || mark !== '' || TURN_END.test(rest)
  }
}

export const lineEnds: Follows = lineEndsBefore([])

export const onOwnLine: Openers = onLineBefore()

/** Holds at one of the markers and at the end of the reply. */
export function followedBy(markers: readonly string[]): Follows {
  const markAt = markerAt(markers)
  return (text, at, end, last) => {
    const i = skipSpace(text, at, end)
    if (i === end) return last || undefined
    const mark = markAt(text.slice(0, end), i, last)
    return mark === undefined ? mark : mark !== ''
  }
}

/** Reads with `open`, and makes the calls it finds only when what follows them is right. */
export function readIfFollowed(
  context: ReadContext,
  isRight: Follows,
  open: (context: ReadContext) => Reader,
): Reader {
  /** What was found, to be told or taken back. */
  const found: ((counts: boolean) => void)[] = []
  const reader = createSteps<Reader['state']>(readCalls)
  const calls = open({
    ...context,
    base: () => context.base(),
    skip: (end) => context.skip(end),
    begin,
    issue,
  })

  function settle(draft: CallDraft | undefined, end: number, tell: (end: number) => void): void {
    // Indexes change while more text arrives.
    const place = context.base() + end
    found.push((counts) => {
      if (counts) tell(place - context.base())
      else draft?.retract('other text is beside the call', place - context.base())
    })
  }

  function begin(name: string, id?: string): CallDraft | undefined {
    const draft = context.begin(name, id)
    return (
      draft && {
        name: draft.name,
        schema: draft.schema,
        delta: (json) => draft.delta(json),
        end(ending) {
          settle(draft, ending.end, (end) => draft.end({ ...ending, end }))
        },
        fail(code, message, at) {
          settle(draft, at, (end) => draft.fail(code, message, end))
        },
        retract: (message, end) => draft.retract(message, end),
      }
    )
  }

  function issue(...[code, message, at, name]: Parameters<ReadContext['issue']>): void {
    settle(undefined, at, (end) => context.issue(code, message, end, name))
  }

  function readCalls(text: string, at: number, last: boolean): number {
    const end = calls.read(text, at, last)
    if (calls.state === 'done') reader.step = readEnd
    else reader.state = calls.state
    return end
  }

  function readEnd(text: string, at: number, last: boolean): number {
    const end = Math.min(text.length, at + SPACE_WINDOW)
    const counts = isRight(text, at, end, last || end === at + SPACE_WINDOW)
    if (counts === undefined) return at
    for (const tell of found) tell(counts)
    return reader.leave(counts ? 'done' : 'declined', at)
  }

  return reader
}
