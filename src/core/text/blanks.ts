/** White space, and comments in a program, however they are cut. */
import { skipSpace } from './characters.ts'

/** Passes over them from `at`; a comment that is not over goes on with the next piece. */
export function createBlanks(hasComments: boolean): (text: string, at: number) => number {
  let inComment = false
  return (text, at) => {
    let i = at
    for (;;) {
      if (inComment) {
        const lineEnd = text.indexOf('\n', i)
        if (lineEnd === -1) return text.length
        i = lineEnd
        inComment = false
      }
      i = skipSpace(text, i)
      if (text.charAt(i) !== '#' || !hasComments) return i
      inComment = true
    }
  }
}
