/** Looking providers up. The only place that imports all of them. */
import { createNameTable, unknownName } from '../core/name-table.ts'
import * as registry from './index.ts'
import type { Provider } from './provider.ts'

/** The id of a registered provider. */
export type ProviderId = (typeof registry)[keyof typeof registry]['id']

export const allProviders: readonly Provider[] = Object.values<Provider>(registry).sort((a, b) =>
  a.id < b.id ? -1 : 1,
)

const names = createNameTable(allProviders)

/** The provider with this id, alias or name. */
export function findProvider(name: string): Provider | undefined {
  return names.find(name)
}

/** The id of the provider that was probably meant by a name which no provider has. */
export function nearestProvider(written: string): string | undefined {
  return names.nearest(written)
}

/**
 * The provider with this id or alias.
 *
 * @throws InvalidInputError when there is none, with the nearest name.
 */
export function getProvider(provider: ProviderId | Provider | (string & {})): Provider {
  if (typeof provider === 'object') return provider
  const found = findProvider(provider)
  if (found) return found
  const ids = allProviders.map(({ id }) => id)
  throw unknownName('provider', provider, ids, nearestProvider(String(provider)))
}
