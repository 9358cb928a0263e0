/** Calls that count only when nothing but a closing marker, or nothing at all, follows them. */
import type { CallDraft, ReadContext, Reader } from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { createSteps } from './steps.ts'

/** White space before the marker that is looked over. */
const SPACE_WINDOW = 64

/** Reads with `open`, and makes the calls it finds only when one of `markers` follows. */
export function readIfFollowed(
  context: ReadContext,
  markers: readonly string[],
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
      else draft?.retract('other text stands beside the call')
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
        retract: (message) => draft.retract(message),
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
    const i = skipSpace(text, at, Math.min(text.length, at + SPACE_WINDOW))
    const rest = text.slice(i)
    if (!last && i < at + SPACE_WINDOW && markers.some((marker) => isPart(rest, marker))) return at
    const counts = rest === '' || markers.some((marker) => rest.startsWith(marker))
    for (const tell of found) tell(counts)
    return reader.leave(counts ? 'done' : 'declined', at)
  }

  return reader
}

function isPart(text: string, marker: string): boolean {
  return text.length < marker.length && marker.startsWith(text)
}
