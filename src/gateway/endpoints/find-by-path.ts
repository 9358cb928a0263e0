/** Which of several endpoints a path belongs to, and the place in it that the path names. */
import { decodedName } from '../model-names.ts'
import type { Place } from './endpoint.ts'

export interface FoundByPath<Endpoint> {
  readonly endpoint: Endpoint
  readonly place: Place
}

/** The first endpoint whose path fits; a group called `model` holds the name of the model. */
export function findByPath<Endpoint extends { readonly path: RegExp }>(
  endpoints: readonly Endpoint[],
  path: string,
  query: URLSearchParams,
): FoundByPath<Endpoint> | undefined {
  for (const endpoint of endpoints) {
    const match = endpoint.path.exec(path)
    if (!match) continue
    const model = match.groups?.['model']
    return { endpoint, place: { path, query, model: model && decodedName(model) } }
  }
  return undefined
}
