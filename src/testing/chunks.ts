/** Ways of cutting a text into pieces, for testing that the pieces do not matter. */
import { checkText, refused } from '../core/caller-input.ts'

/** Pieces of `size` characters. */
export function chunksOf(text: string, size: number): string[] {
  checkText('a text to cut', text)
  if (!(size >= 1)) throw refused('size', size, 'a number from 1 on')
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += size) chunks.push(text.slice(at, at + size))
  return chunks
}

/** Every way of cutting a text in two. */
export function* twoWaySplits(text: string): Generator<[string, string]> {
  checkText('a text to cut', text)
  for (let at = 1; at < text.length; at++) yield [text.slice(0, at), text.slice(at)]
}

/** Cuts at random places; `random` gives numbers in [0, 1). */
export function randomChunks(text: string, random: () => number = Math.random): string[] {
  checkText('a text to cut', text)
  const chunks: string[] = []
  let at = 0
  while (at < text.length) {
    const size = 1 + Math.floor(random() ** 3 * 40)
    chunks.push(text.slice(at, at + size))
    at += size
  }
  return chunks
}
