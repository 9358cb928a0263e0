/** Cuts an argument list at its top-level commas. */

/** One argument, trimmed, with the first places where a key could end. */
export interface Part {
  readonly text: string
  /** Index of the first `=` or `:` outside quotes and brackets, in order; at most one of each. */
  readonly separators: readonly number[]
}

const WORD = /[\p{L}\p{N}_]/u

/**
 * The arguments of a list, trimmed; empty ones are dropped. Quotes and brackets keep their commas,
 * and a quote or bracket that never closes keeps everything behind it.
 */
export function splitArguments(text: string): string[] {
  return splitParts(text).map((part) => part.text)
}

/** As {@link splitArguments}, with what was seen on the way. */
export function splitParts(text: string): Part[] {
  const parts: Part[] = []
  let start = 0
  let depth = 0
  let separators: number[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (opensQuote(text, at)) at = findClosingQuote(text, at)
    else if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth = Math.max(0, depth - 1)
    else if (depth > 0) continue
    else if (char === ',') {
      addPart(parts, text, start, at, separators)
      start = at + 1
      separators = []
    } else if (char === '=' || char === ':') {
      if (!separators.some((other) => text[other] === char)) separators.push(at)
    }
  }
  addPart(parts, text, start, text.length, separators)
  return parts
}

/** Index of the quote that closes the one at `at`; the end of the text when there is none. */
export function findClosingQuote(text: string, at: number): number {
  const quote = text.charAt(at)
  let end = at + 1
  while (end < text.length && text[end] !== quote) end += text[end] === '\\' ? 2 : 1
  return Math.min(end, text.length)
}

// An apostrophe inside a word opens nothing: `it's, ok` is two arguments.
function opensQuote(text: string, at: number): boolean {
  const char = text[at]
  if (char === '"') return true
  return char === "'" && !WORD.test(text.charAt(at - 1))
}

function addPart(
  parts: Part[],
  text: string,
  start: number,
  end: number,
  separators: readonly number[],
): void {
  const whole = text.slice(start, end)
  const trimmed = whole.trim()
  if (trimmed === '') return
  const shift = start + whole.length - whole.trimStart().length
  parts.push({ text: trimmed, separators: separators.map((at) => at - shift) })
}
