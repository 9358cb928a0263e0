/** Finds the next character at which something may begin: what most of a reply passes through. */

/** The index of the next stop at or behind `at`, or the length of the text. */
export type FindStop = (text: string, at: number) => number

export interface Stops {
  /** For text that arrives in pieces. */
  readonly find: FindStop
  /** For long texts: remembers where each character stands next, so one is made for each reply. */
  createFind(): FindStop
}

/** Below this length a loop is quicker than starting the regular expression engine. */
const SHORT = 24
/** How far is looked before each character is searched for. */
const NEAR = 12
/** From this length on it pays to look for each character on its own. */
export const LONG = 1024

export function createStops(codes: Iterable<number>): Stops {
  const characters = new Set(codes)
  const ascii = new Uint8Array(128)
  for (const code of characters) if (code < 128) ascii[code] = 1
  const pattern = new RegExp(`[${Array.from(characters, escapeCode).join('')}]`, 'g')
  const texts = Array.from(characters, (code) => String.fromCharCode(code))

  /** Looks no further than `end`, where the answer is `end`. */
  function findInShort(text: string, at: number, end: number): number {
    let i = at
    while (i < end) {
      const code = text.charCodeAt(i)
      if (code < 128 ? ascii[code] === 1 : characters.has(code)) break
      i++
    }
    return i
  }

  function find(text: string, at: number): number {
    if (text.length - at < SHORT) return findInShort(text, at, text.length)
    pattern.lastIndex = at
    return pattern.test(text) ? pattern.lastIndex - 1 : text.length
  }

  return { find, createFind: () => createLongFind(texts, find, findInShort) }
}

/** `indexOf` for one character is many times faster than any loop of ours. */
function createLongFind(
  characters: readonly string[],
  find: FindStop,
  findInShort: (text: string, at: number, end: number) => number,
): FindStop {
  /** Where each character stands next, from `asked` on. */
  const next = new Array<number>(characters.length).fill(-1)
  let known = ''
  let asked = 0

  function forget(text: string): void {
    known = text
    next.fill(-1)
  }

  return (text, at) => {
    if (text.length < LONG) return find(text, at)
    // Where stops are dense, the next one is nearer than a search costs.
    const near = findInShort(text, at, at + NEAR)
    if (near < at + NEAR) return near
    if (text !== known || at < asked) forget(text)
    asked = at
    let first = text.length
    for (let k = 0; k < characters.length; k++) {
      let position = next[k] ?? -1
      if (position < at) {
        position = text.indexOf(characters[k] ?? '', at)
        if (position === -1) position = text.length
        next[k] = position
      }
      if (position < first) first = position
    }
    return first
  }
}

function escapeCode(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
