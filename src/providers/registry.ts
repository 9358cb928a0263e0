/** Looking providers up. The only place that imports all of them. */
import { InvalidInputError } from '../core/errors.ts'
import * as registry from './index.ts'
import type { Provider } from './provider.ts'

/** The id of a registered provider. */
export type ProviderId = (typeof registry)[keyof typeof registry]['id']

export const allProviders: readonly Provider[] = Object.values<Provider>(registry).sort((a, b) =>
  a.id < b.id ? -1 : 1,
)

export function findProvider(id: string): Provider | undefined {
  return allProviders.find((provider) => provider.id === id)
}

/** The provider with this id; a `TypeError` lists the known ones. */
export function getProvider(provider: ProviderId | Provider | (string & {})): Provider {
  if (typeof provider === 'object') return provider
  const found = findProvider(provider)
  if (found) return found
  const known = allProviders.map(({ id }) => id).join(', ')
  throw new InvalidInputError(`unknown provider ${JSON.stringify(provider)}; known are: ${known}`)
}
