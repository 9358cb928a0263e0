/** Names of models: with a `*` in them, and in a path. */

/** What the `*` of a pattern stands for in a name; undefined when it does not fit. */
export function starIn(name: string, pattern: string): string | undefined {
  const at = pattern.indexOf('*')
  if (at < 0) return name === pattern ? '' : undefined
  const before = pattern.slice(0, at)
  const after = pattern.slice(at + 1)
  const fits = name.startsWith(before) && name.endsWith(after)
  const length = name.length - before.length - after.length
  return fits && length >= 0 ? name.slice(at, at + length) : undefined
}

/** The pattern with something in place of its `*`. */
export function withStar(pattern: string, star: string): string {
  return pattern.replace('*', () => star)
}

/** The more exact of two patterns comes first. */
export function byExactness(one: string, other: string): number {
  const isStar = Number(one.includes('*')) - Number(other.includes('*'))
  return isStar || other.length - one.length
}

/** A name that stands in a path. What is no proper encoding is meant as it is. */
export function decodedName(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Ollama's names have `:latest` where no tag is given. */
export function withoutLatest(name: string): string {
  return name.replace(/:latest$/, '')
}
