/** The first index at which two words differ; the length of `one` where `other` begins with it. */
export function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one.charAt(at) === other.charAt(at)) at++
  return at
}
