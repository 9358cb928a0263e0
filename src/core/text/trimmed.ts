/** Text that arrives in pieces and loses the white space that belongs to the markup around it. */

/**
 * What is no part of a value: all white space around it, a line break on either side, both when the
 * value begins on a line of its own, or nothing.
 */
export type Trim = 'space' | 'line' | 'block' | 'none'

interface Trimmed {
  /** Takes a piece and returns what is certain to be part of the value. */
  add(piece: string): string
  /** Takes a piece that counts as it is, its white space included. */
  addExactly(piece: string): string
  /** The value is over: what was held back and is part of it. */
  end(trim?: Trim): string
  whole(): string
}

const LINE_BREAK = /^[ \t]*\r?\n/
const LEADING = { space: /^\s+/, line: LINE_BREAK, block: LINE_BREAK, none: /^(?!)/ }
/** The closing tag may be indented. */
const LAST_BREAK = /\r?\n[ \t]*$/
const TRAILING = { space: /\s*$/, line: LAST_BREAK, block: LAST_BREAK, none: /$/ }

export function createTrimmed(trim: Trim): Trimmed {
  const pieces: string[] = []
  /** White space that may turn out to stand at an end; pieces, because it may be long. */
  let held: string[] = []
  let begun = false
  let ownLines = false

  function keep(certain: string): string {
    if (certain !== '') pieces.push(certain)
    return certain
  }

  function takeHeld(): string {
    const text = held.join('')
    held = []
    if (begun) return text
    begun = true
    const rest = text.replace(LEADING[trim], '')
    ownLines = rest !== text
    return rest
  }

  return {
    add(piece) {
      const end = piece.trimEnd().length
      if (begun && end === piece.length && held.length === 0) return keep(piece)
      held.push(piece.slice(0, end))
      const certain = end === 0 ? '' : keep(takeHeld())
      if (end < piece.length) held.push(piece.slice(end))
      return certain
    },
    addExactly(piece) {
      if (begun) return keep(takeHeld() + piece)
      begun = true
      held = []
      return keep(piece)
    },
    end(last = trim) {
      const rest = takeHeld()
      return keep(last === 'block' && !ownLines ? rest : rest.replace(TRAILING[last], ''))
    },
    whole: () => pieces.join(''),
  }
}
