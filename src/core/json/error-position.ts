/** Where a text stops being JSON, which `JSON.parse` does not say for every mistake. */

const SPACE = /[ \t\r\n]*/y
const SCALAR =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the ones a JSON string may not hold
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** Index of the first thing that cannot stand there; the length when the end is missing. */
export function jsonErrorAt(text: string): number {
  const closers: string[] = []
  let at = 0
  // What may come: a value, a key, a colon, or the comma or bracket behind a value.
  let next: 'value' | 'first' | 'key' | 'colon' | 'after' = 'value'

  const skip = (pattern: RegExp): number => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0].length ?? 0
  }

  for (;;) {
    at += skip(SPACE)
    const character = text[at]
    const closer = closers.at(-1)
    if (character === undefined || (next === 'after' && closer === undefined)) return at
    if (character === closer && (next === 'first' || next === 'after')) {
      closers.pop()
      at += 1
      next = 'after'
    } else if (next === 'after' || next === 'colon') {
      if (character !== (next === 'colon' ? ':' : ',')) return at
      at += 1
      next = next === 'after' && closer === '}' ? 'key' : 'value'
    } else if ((next === 'first' && closer === '}') || next === 'key') {
      const length = character === '"' ? skip(SCALAR) : 0
      if (length === 0) return at
      at += length
      next = 'colon'
    } else if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']')
      at += 1
      next = 'first'
    } else {
      const length = skip(SCALAR)
      if (length === 0) return at
      at += length
      next = 'after'
    }
  }
}
