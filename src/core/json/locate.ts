/** Finds the JSON in a text that has prose or a code fence around it. */

export interface JsonPlace {
  /** Where the value begins. */
  readonly at: number
  /** The value stands in a code fence. */
  readonly fenced: boolean
  /** What stands before the value or its fence. */
  readonly before: string
}

const FENCE = '```'
const FENCE_OPEN = /```[\w.+-]{0,32}[^\S\n]{0,16}\n?/y
const BLANK = /[\s\uFEFF]{0,4096}/y

// Bounded on purpose: they are tried at every bracket of a hostile text.
const OBJECT_START =
  /\{[\s\uFEFF]{0,64}(?:["'`“‘}{#]|\\["n]|\/[/*]|[\w$.-]{1,64}["']?\s{0,8}[:=]|,\s{0,8}["'])/y
const ARRAY_START = /\[[\s\uFEFF]{0,64}(?:["'`“‘{[\]#]|\\["n]|\/[/*])/y

/** The first place that looks like JSON; undefined when there is none. */
export function locateJson(text: string): JsonPlace | undefined {
  const start = skipBlank(text, 0)
  if ('{[('.includes(text.charAt(start)) && start < text.length) return whole(start)
  const fence = text.indexOf(FENCE)
  const bracket = findBracket(text, start)
  if (fence !== -1 && (bracket === -1 || fence < bracket)) {
    FENCE_OPEN.lastIndex = fence
    FENCE_OPEN.test(text)
    const inside = skipBlank(text, FENCE_OPEN.lastIndex)
    const isJson = /[{[("'\d\-tfnTFN]/.test(text.charAt(inside))
    if (isJson) return { at: inside, fenced: true, before: text.slice(0, fence).trim() }
  }
  if (bracket === -1) return undefined
  return { at: bracket, fenced: false, before: text.slice(0, bracket).trim() }
}

function whole(at: number): JsonPlace {
  return { at, fenced: false, before: '' }
}

export function skipBlank(text: string, at: number): number {
  let i = at
  for (;;) {
    BLANK.lastIndex = i
    BLANK.test(text)
    if (BLANK.lastIndex === i) return i
    i = BLANK.lastIndex
  }
}

function findBracket(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code !== 123 && code !== 91) continue
    const pattern = code === 123 ? OBJECT_START : ARRAY_START
    pattern.lastIndex = i
    if (pattern.test(text)) return i
  }
  return -1
}
