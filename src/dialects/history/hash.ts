/** FNV-1a: a number that follows from a text, and from nothing else. */

const START = 0x811c9dc5
const PRIME = 0x01000193

export function hashOf(text: string): number {
  let hash = START
  for (let i = 0; i < text.length; i++) hash = mixed(hash, text.charCodeAt(i))
  return hash
}

/** The hash of what was hashed, with one more code behind it. */
export function mixed(hash: number, code: number): number {
  return Math.imul(hash ^ code, PRIME) >>> 0
}
