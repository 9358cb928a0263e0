/** The stretches of a reply that are something else than text for the reader. */
import type { Span } from '../../../src/core/issue.ts'
import type { Segment } from '../../../src/core/options.ts'
import type { TracedExtraction } from '../../../src/core/text/extractor.ts'

export interface Mark {
  readonly kind: MarkKind
  readonly start: number
  readonly end: number
  /** `call 2`, `issue 1`; what the cards beside it are called. */
  readonly label: string
}

/**
 * `markup` was dropped, `held` has arrived but is undecided, `coming` has not arrived; the rest are
 * what the extractor says.
 */
export type MarkKind = Segment['kind'] | 'held' | 'coming'

/** Marks that cover the first `length` characters; behind what is decided they are held. */
export function marksOf(
  { calls, issues, segments = [] }: TracedExtraction,
  length: number,
): Mark[] {
  const marks: Mark[] = joined(cutByIssues(segments, issues)).map((segment) => ({
    ...segment,
    label: labelOf(segment, segment.kind === 'call' ? calls : issues),
  }))
  const decided = marks.at(-1)?.end ?? 0
  if (decided < length)
    marks.push({ kind: 'held', start: decided, end: length, label: 'held back' })
  return marks
}

/** What an issue is about may have stayed where it was, in the text or in the reasoning. */
function cutByIssues(
  segments: readonly Segment[],
  issues: readonly { readonly span?: Span }[],
): Segment[] {
  const spans = issues.flatMap(({ span }) => (span ? [span] : [])).sort((a, b) => a[0] - b[0])
  if (spans.length === 0) return [...segments]
  return segments.flatMap((segment) => {
    const isProse = segment.kind === 'text' || segment.kind === 'reasoning'
    return isProse ? cutSegment(segment, spans) : [segment]
  })
}

function cutSegment(segment: Segment, spans: readonly Span[]): Segment[] {
  const pieces: Segment[] = []
  let at = segment.start
  for (const [start, end] of spans) {
    const from = Math.max(start, at)
    const to = Math.min(end, segment.end)
    if (from >= to) continue
    if (from > at) pieces.push({ ...segment, start: at, end: from })
    pieces.push({ kind: 'issue', start: from, end: to })
    at = to
  }
  if (at < segment.end) pieces.push({ ...segment, start: at })
  return pieces
}

// Text and reasoning come in pieces; calls and issues side by side are separate ones.
function joined(segments: readonly Segment[]): Segment[] {
  const result: Segment[] = []
  for (const segment of segments) {
    const previous = result.at(-1)
    const isSeparate = segment.kind === 'call' || segment.kind === 'issue'
    if (previous?.kind === segment.kind && !isSeparate) {
      result[result.length - 1] = { ...previous, end: segment.end }
    } else {
      result.push(segment)
    }
  }
  return result
}

function labelOf(
  { kind, start, end }: Segment,
  items: readonly { readonly span?: Span }[],
): string {
  if (kind === 'markup') return 'dropped'
  if (kind !== 'call' && kind !== 'issue') return kind
  const numbers = items.flatMap(({ span }, at) =>
    span && span[0] < end && span[1] > start ? [at + 1] : [],
  )
  return numbers.length === 0 ? kind : `${kind} ${numbers.join(', ')}`
}
