/** Dialects by name. */
import { declaredOrder } from '../core/declared-order.ts'
import type { Dialect } from '../core/dialect.ts'
import { createNameTable, unknownName } from '../core/name-table.ts'
import * as dialects from './index.ts'

export type DialectId = (typeof dialects)[keyof typeof dialects]['id']

/** The name or alias of a dialect, or a dialect of the caller's own. */
export type DialectLike = DialectId | Dialect | (string & {})

/** The order in which a body is compared with dialects: each before those that it resembles. */
export function recognitionOrder(dialects: readonly Dialect[]): readonly Dialect[] {
  return declaredOrder(dialects, ({ resembles }) => resembles)
}

/** All dialects in the order of recognition; otherwise by id, because bundlers list the members of a module in any order. */
export const allDialects: readonly Dialect[] = recognitionOrder(
  Object.values<Dialect>(dialects).sort((a, b) => (a.id < b.id ? -1 : 1)),
)
const names = createNameTable(allDialects)

/** The dialect with this id or alias. */
export function findDialect(name: string): Dialect | undefined {
  return names.find(name)
}

/** The id of the dialect that was probably meant by a name which no dialect has. */
export function nearestDialect(written: string): string | undefined {
  return names.nearest(written)
}

/**
 * The dialect with this id or alias.
 *
 * @throws InvalidInputError when there is none.
 */
export function getDialect(dialect: DialectLike): Dialect {
  const found = typeof dialect === 'string' ? findDialect(dialect) : dialect
  // Callers without types pass anything.
  if (typeof found?.encodeRequest === 'function') return found
  const known = allDialects.map(({ id }) => id)
  throw unknownName('dialect', dialect, known, nearestDialect(String(dialect)))
}
