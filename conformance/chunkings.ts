/** Cutting a text into random pieces, the same ones for the same seed. */

/** Longest piece of a chunking; each chunking draws one, so that tiny and large pieces both occur. */
const LONGEST = [1, 2, 4, 12, 40, 200]
/** A long text is not cut finer than this, or a run would be spent on a handful of cases. */
const MOST_PIECES = 4000

/** `count` ways to cut `text`. They cut anywhere, also inside of surrogate pairs. */
export function randomChunkings(text: string, count: number, seed: string): string[][] {
  const random = randomNumbers(seed)
  return Array.from({ length: count }, () => randomChunking(text, random))
}

function randomChunking(text: string, random: () => number): string[] {
  const drawn = LONGEST[Math.floor(random() * LONGEST.length)] ?? 1
  const longest = Math.max(drawn, Math.ceil((2 * text.length) / MOST_PIECES))
  const pieces: string[] = []
  let start = 0
  while (start < text.length) {
    const end = start + 1 + Math.floor(random() * longest)
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

/** Numbers in [0, 1) that depend on the seed only (mulberry32 over an FNV-1a hash). */
export function randomNumbers(seed: string): () => number {
  let state = 0x811c9dc5
  for (let index = 0; index < seed.length; index++) {
    state = Math.imul(state ^ seed.charCodeAt(index), 0x01000193)
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
