/** The word somebody probably meant. */

/** ` (did you mean …?)` when a candidate is close to what was written, otherwise nothing. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  return hintAt(nearest(written, candidates))
}

/** ` (did you mean …?)` for a word that was found, otherwise nothing. */
export function hintAt(meant: string | undefined): string {
  return meant === undefined ? '' : ` (did you mean ${meant}?)`
}

/** The candidate that is closest to what was written, when one is close. */
export function nearest(written: string, candidates: readonly string[]): string | undefined {
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

/** Insertions, deletions, replacements and swapped neighbours between two words (Damerau-Levenshtein). */
function editDistance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++) {
      const replaced = (row[j] ?? 0) + (one[i] === other[j] ? 0 : 1)
      const isSwapped = i > 0 && j > 0 && one[i] === other[j - 1] && one[i - 1] === other[j]
      const swapped = isSwapped ? (before[j - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}
