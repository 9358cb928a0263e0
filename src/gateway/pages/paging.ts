/** A part of a long list, as clients ask for it: so many models after or before one of them. */
import type { ListedModel } from '../directory.ts'
import { GatewayError } from '../gateway-error.ts'

/** The names of the parameters, which differ from API to API. */
export interface PagingNames {
  readonly limit: string
  readonly after: string
  readonly before?: string
}

export interface Cursors {
  readonly limit: number | undefined
  readonly after: string | undefined
  readonly before: string | undefined
}

export interface Extract {
  readonly models: readonly ListedModel[]
  /** There are more in the direction that was asked for. */
  readonly hasMore: boolean
}

/** Throws a GatewayError for a limit that is no number. */
export function cursorsOf(query: URLSearchParams, names: PagingNames): Cursors {
  const limit = query.get(names.limit) ?? ''
  if (limit !== '' && !/^[1-9]\d{0,8}$/.test(limit)) {
    throw new GatewayError('invalid_request', `${names.limit} must be a number from 1 on`)
  }
  return {
    limit: limit === '' ? undefined : Number(limit),
    after: query.get(names.after) ?? undefined,
    before: (names.before && query.get(names.before)) ?? undefined,
  }
}

/** A model that is not there any more begins the list anew. */
export function extractOf(
  all: readonly ListedModel[],
  { limit = all.length, after, before }: Cursors,
): Extract {
  const indexOf = (id: string | undefined): number => all.findIndex((model) => model.id === id)
  const end = indexOf(before)
  if (end >= 0) {
    const start = Math.max(0, end - limit)
    return { models: all.slice(start, end), hasMore: start > 0 }
  }
  const start = indexOf(after) + 1
  return { models: all.slice(start, start + limit), hasMore: start + limit < all.length }
}
