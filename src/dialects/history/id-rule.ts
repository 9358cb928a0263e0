/** What ids of calls may be made of. */
import type { IdRule } from '../../core/dialect.ts'

/** Every dialect takes these. */
export const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

export function fitsId(
  id: string,
  { pattern, length, maxLength = Number.POSITIVE_INFINITY }: IdRule,
): boolean {
  if (id === '' || (length !== undefined && id.length !== length)) return false
  return id.length <= maxLength && pattern.test(id)
}
