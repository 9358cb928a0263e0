/** Line and column of a character, as editors count them: from one. */

export type Locate = (offset: number) => string

/** `line:column` for offsets into a text. Columns count characters, not UTF-16 units. */
export function locator(text: string): Locate {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    const line = lastAtOrBefore(starts, offset)
    const column = [...text.slice(starts[line], offset)].length + 1
    return `${line + 1}:${column}`
  }
}

function lastAtOrBefore(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
