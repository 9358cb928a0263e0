/** Writes calls and arguments as JSON text. */

/**
 * `JSON.stringify` for everything: `undefined` is `null`, and a bigint, which would lose digits as a
 * number, is text.
 *
 * @throws TypeError for cycles and for a `toJSON` that throws.
 */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value, bigintAsText) ?? 'null'
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error)
    throw new TypeError(`Cannot write the value as JSON: ${reason}`, { cause: error })
  }
}

/** Without the first sign of a tag or token. */
export function writeJsonInTags(value: unknown): string {
  return writeJson(value).replaceAll('<', '\\u003c')
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
