/** The dialect that a name means: its own, or that of a provider. */
import type { Dialect } from '../core/dialect.ts'
import { InvalidInputError } from '../core/errors.ts'
import { unknownName } from '../core/name-table.ts'
import {
  allDialects,
  type DialectId,
  findDialect,
  getDialect,
  nearestDialect,
} from '../dialects/registry.ts'
import type { Provider, ProviderDialect } from './provider.ts'
import { findProvider, nearestProvider, type ProviderId } from './registry.ts'

/** The id or alias of a dialect or of a provider, or a dialect of the caller's own. */
export type DialectName = DialectId | ProviderId | Dialect | (string & {})

/** The dialect with this id or alias, else that of the provider with it. */
export function findSpokenDialect(name: string): Dialect | undefined {
  const provider = findProvider(name)
  return findDialect(name) ?? (provider && dialectOf(provider))
}

/**
 * The dialect with this id or alias, else that of the provider with it.
 *
 * @throws InvalidInputError when there is none, with the nearest name.
 */
export function spokenDialect(dialect: DialectName): Dialect {
  if (typeof dialect !== 'string') return getDialect(dialect)
  const found = findSpokenDialect(dialect)
  if (found) return found
  const provider = findProvider(dialect)
  if (provider) throw speaksNoTools(provider)
  const known = allDialects.map(({ id }) => id)
  throw unknownName('dialect', dialect, known, nearestSpoken(dialect))
}

/** The dialect or provider whose name is closest to what was written. */
export function nearestSpoken(written: string): string | undefined {
  return nearestDialect(written) ?? nearestProvider(written)
}

/** Undefined for a wire format that has no place for tools. */
function dialectOf({ dialect }: Provider): Dialect | undefined {
  if (typeof dialect === 'string') return getDialect(dialect)
  return isWhole(dialect) ? dialect : undefined
}

function isWhole(dialect: ProviderDialect): dialect is Dialect {
  return 'formatTools' in dialect
}

function speaksNoTools({ name }: Provider): InvalidInputError {
  return new InvalidInputError(
    `${name} has no wire format for tools: describe them with augmentSystemPrompt(), ` +
      'or let createClient() do it',
  )
}
