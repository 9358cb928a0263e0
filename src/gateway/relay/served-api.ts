/** Which providers of a model serve an API, as it is or by way of another one. */
import type { ApiId } from '../../providers/apis.ts'
import type { Provider } from '../../providers/provider.ts'
import type { Chain } from '../directory.ts'
import { GatewayError } from '../gateway-error.ts'
import type { Target } from '../target.ts'
import { completionsToGenerate, generateToCompletions } from './completions.ts'
import { embeddingTranslations } from './embeddings.ts'
import type { Translation } from './translation.ts'

const TRANSLATIONS: readonly Translation[] = [
  ...embeddingTranslations,
  completionsToGenerate,
  generateToCompletions,
]

export interface ServedApi {
  /** The API that the provider is asked in. */
  readonly api: ApiId
  /** After the base URL of the provider. */
  readonly path: string
  /** Undefined where it is the client's own API. */
  readonly translation: Translation | undefined
}

/** Undefined when the provider serves neither the API nor one that it can be translated to. */
export function servedBy({ apis = {} }: Pick<Provider, 'apis'>, api: ApiId): ServedApi | undefined {
  const path = apis[api]
  if (path !== undefined) return { api, path, translation: undefined }
  for (const translation of TRANSLATIONS) {
    const other = translation.from === api ? apis[translation.to] : undefined
    if (other !== undefined) return { api: translation.to, path: other, translation }
  }
  return undefined
}

export function servedAt({ spec }: Target, api: ApiId): ServedApi | undefined {
  return servedBy(spec.connection.provider, api)
}

export function targetsOf(chain: Chain): readonly Target[] {
  return chain.members.map(({ client }) => chain.targetOf(client))
}

/** The error for an API that nobody serves who has the model. */
export function notServed(path: string, model: string, chain: Chain): GatewayError {
  const who = targetsOf(chain).map((target) => `${target.name}/${target.model}`)
  const verb = who.length === 1 ? 'does not serve' : 'do not serve'
  const message = `${path} is not available for the model ${JSON.stringify(model)}: ${[...new Set(who)].join(', ')} ${verb} this API`
  return new GatewayError('not_supported', message)
}
