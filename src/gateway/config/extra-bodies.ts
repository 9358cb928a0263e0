/** Fields that a configuration adds to requests, wherever it can say them. */
import { type ExtraBody, OWN_FIELD, ownFieldsIn } from '../../client/extra-body.ts'
import type { JsonPath } from '../../core/issue.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { GatewayConfig } from '../config.ts'
import type { Finding } from './problem.ts'

export interface PlacedExtra {
  readonly path: JsonPath
  readonly extra: ExtraBody
}

/** Every place of a configuration that may add fields to requests. */
export function extraBodiesIn({ providers = {}, models = {} }: GatewayConfig): PlacedExtra[] {
  const ofProviders = Object.entries(providers).flatMap(([name, provider]) => [
    { path: ['providers', name], extra: provider },
    ...Object.entries(provider.perModel ?? {}).map(([pattern, extra]) => ({
      path: ['providers', name, 'perModel', pattern],
      extra,
    })),
  ])
  const ofModels = Object.entries(models).flatMap(([name, model]) => {
    if (typeof model === 'string' || !('chain' in model)) return []
    const links = model.chain.map((link, at) => ({ path: ['models', name, 'chain', at], link }))
    return [
      { path: ['models', name], extra: model },
      ...links.flatMap(({ path, link }) =>
        typeof link === 'string' ? [] : [{ path, extra: link }],
      ),
    ]
  })
  return [...ofProviders, ...ofModels]
}

/** Fields that belong to the request itself. */
export function checkExtraBodies(config: GatewayConfig): Finding[] {
  return extraBodiesIn(config).flatMap(({ path, extra }) =>
    (['body', 'forceBody'] as const).flatMap((option) =>
      fieldsOf(extra, option).map((name) => ({
        path: [...path, option, name],
        message: OWN_FIELD,
        isAboutName: true as const,
      })),
    ),
  )
}

function fieldsOf(extra: ExtraBody, option: 'body' | 'forceBody'): readonly string[] {
  const fields = extra[option]
  return isJsonObject(fields) ? ownFieldsIn(fields) : []
}
