/** The word somebody probably meant. */

/** ` (did you mean …?)` when a candidate is close to what was written, otherwise nothing. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const found = nearest(written, candidates)
  return found === undefined ? '' : ` (did you mean ${found}?)`
}

function nearest(written: string, candidates: readonly string[]): string | undefined {
  // A third of the letters wrong is a slip, more is another word.
  let limit = Math.max(1, Math.floor(written.length / 3))
  let found: string | undefined
  for (const candidate of candidates) {
    const distance = editDistance(written.toLowerCase(), candidate.toLowerCase())
    if (distance > limit || (distance === limit && found !== undefined)) continue
    limit = distance
    found = candidate
  }
  return found ?? candidates.find((candidate) => written !== '' && candidate.startsWith(written))
}

/** Insertions, deletions and replacements between two words (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++) {
      const replaced = (row[j] ?? 0) + (one[i] === other[j] ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
