/**
 * Telling a reader that loses text from a reference that drops some.
 *
 * Toolglot loses no visible text, while some servers answer with only a part of it: what stands
 * before the first call, or nothing at all. Such an expectation cannot be met and is no fault of the
 * reader. The excuse is narrow, so that it never covers markup left in the text:
 * the expected text must be made of whole runs of ours, in order, where a run is what stands between
 * two calls, and every run that is missing must be free of markup.
 *
 * A call of a tool that was not offered stays text here, with an issue. Some servers show it, others
 * leave it out: then what stands before it is all that is expected.
 */
import type { Issue } from '../src/core/issue.ts'
import type { Segment } from '../src/core/options.ts'

const MARKUP = /[<>{}[\]|｜`]/

/** `segments` are those of the trace of `input`. */
export function dropsText(expected: string, input: string, segments: readonly Segment[]): boolean {
  const wanted = withoutSpace(expected)
  const runs = textRuns(input, segments)
  // With nothing missing, only white space differs, and that is no excuse.
  if (runs.join('').length === wanted.length) return false
  let reached = new Set([0])
  for (const run of runs) {
    const next = new Set<number>()
    for (const position of reached) {
      if (wanted.startsWith(run, position)) next.add(position + run.length)
      if (!MARKUP.test(run)) next.add(position)
    }
    reached = next
  }
  return reached.has(wanted.length)
}

/** True when the expected text ends where a call of an unknown tool begins. */
export function dropsUnknown(
  expected: string,
  input: string,
  segments: readonly Segment[],
  issues: readonly Issue[],
): boolean {
  const start = issues.find(({ code }) => code === 'unknown-tool')?.span?.[0]
  if (start === undefined) return false
  const before = segments
    .filter(({ kind }) => kind === 'text')
    .map((segment) =>
      input.slice(segment.start, Math.max(segment.start, Math.min(segment.end, start))),
    )
  return withoutSpace(before.join('')) === withoutSpace(expected)
}

function textRuns(input: string, segments: readonly Segment[]): string[] {
  const runs: string[] = []
  let open = ''
  for (const { kind, start, end } of segments) {
    if (kind === 'text') {
      open += input.slice(start, end)
    } else if (open !== '') {
      runs.push(open)
      open = ''
    }
  }
  runs.push(open)
  return runs.map(withoutSpace).filter((run) => run !== '')
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}
