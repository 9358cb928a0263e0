/** Services that search the web for the gateway. */
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../../dialects/history-call.ts'
import { readAll } from '../byte-source.ts'
import type { WebSearchConfig } from '../config.ts'
import type { Send, UpstreamRequest } from '../http.ts'
import type { HostedError, SearchResult } from './hosted-tool.ts'

export interface SearchQuery {
  readonly query: string
  readonly allowed: readonly string[]
  readonly blocked: readonly string[]
}

export type SearchAnswer =
  | { readonly results: readonly SearchResult[] }
  | { readonly error: HostedError }

export type SearchWeb = (query: SearchQuery, signal: AbortSignal) => Promise<SearchAnswer>

interface Backend {
  readonly url: string
  /** What its configuration cannot do without. */
  readonly needs: 'url' | 'apiKey'
  request(query: SearchQuery, settings: Settings): Omit<UpstreamRequest, 'signal'>
  /** Where the answer has its list. */
  readonly list: readonly string[]
  /** The fields of an entry: its words, and when it is from. */
  readonly text: string
  readonly dates: readonly string[]
}

interface Settings {
  readonly url: string
  readonly apiKey: string
  readonly maxResults: number
}

export const WEB_SEARCH_DEFAULTS = { maxResults: 8, timeoutMs: 10_000 } as const

const JSON_HEADERS = { accept: 'application/json' } as const

export const SEARCH_BACKENDS: Readonly<Record<WebSearchConfig['provider'], Backend>> = {
  /** @see https://docs.searxng.org/dev/search_api.html */
  searxng: {
    url: '',
    needs: 'url',
    request: (query, { url, apiKey }) => ({
      method: 'GET',
      url: withQuery(url, 'search', { q: queryWithSites(query), format: 'json' }),
      headers: { ...JSON_HEADERS, ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    }),
    list: ['results'],
    text: 'content',
    dates: ['publishedDate'],
  },
  /** @see https://api-dashboard.search.brave.com/app/documentation/web-search/get-started */
  brave: {
    url: 'https://api.search.brave.com/res/v1/web',
    needs: 'apiKey',
    request: (query, { url, apiKey, maxResults }) => ({
      method: 'GET',
      url: withQuery(url, 'search', { q: queryWithSites(query), count: String(maxResults) }),
      headers: { ...JSON_HEADERS, 'x-subscription-token': apiKey },
    }),
    list: ['web', 'results'],
    text: 'description',
    dates: ['page_age', 'age'],
  },
  /** @see https://docs.tavily.com/documentation/api-reference/endpoint/search */
  tavily: {
    url: 'https://api.tavily.com',
    needs: 'apiKey',
    request: ({ query, allowed, blocked }, { url, apiKey, maxResults }) => ({
      method: 'POST',
      url: withQuery(url, 'search', {}),
      headers: {
        ...JSON_HEADERS,
        'content-type': 'application/json',
        authorization: `Bearer ${apiKey}`,
      },
      body: JSON.stringify({
        query,
        max_results: maxResults,
        ...(allowed.length > 0 && { include_domains: allowed }),
        ...(blocked.length > 0 && { exclude_domains: blocked }),
      }),
    }),
    list: ['results'],
    text: 'content',
    dates: ['published_date'],
  },
}

/** More sites than that make a query too long. */
const MAX_SITES = 5

function queryWithSites({ query, allowed }: SearchQuery): string {
  if (allowed.length === 0 || allowed.length > MAX_SITES) return query
  return `${query} (${allowed.map((site) => `site:${site}`).join(' OR ')})`
}

/** The words of the model are part of the query and of nothing else. */
function withQuery(base: string, path: string, fields: Readonly<Record<string, string>>): URL {
  const url = new URL(`${base.replace(/\/+$/, '')}/${path}`)
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  return url
}

/** The API's own limit. */
const MAX_QUERY = 1000
const MAX_ANSWER_BYTES = 2 * 1024 * 1024
const MAX_TITLE = 300
const MAX_TEXT = 2000
const MAX_URL = 2000

export function createWebSearch(config: WebSearchConfig, send: Send): SearchWeb {
  const { provider, apiKey = '' } = config
  const { maxResults = WEB_SEARCH_DEFAULTS.maxResults } = config
  const { timeoutMs = WEB_SEARCH_DEFAULTS.timeoutMs } = config
  const backend = SEARCH_BACKENDS[provider]
  const settings = { url: config.url ?? backend.url, apiKey, maxResults }

  async function ask(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer> {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const request = backend.request(query, settings)
    const times = { headersMs: timeoutMs, idleMs: timeoutMs }
    const reply = await send({ ...request, ...times, signal: timeout })
    const bytes = await readAll(reply.body, MAX_ANSWER_BYTES)
    if (reply.status === 429) return { error: 'too_many_requests' }
    const body = parseStrict(new TextDecoder().decode(bytes))
    const list = reply.status === 200 ? listAt(body, backend.list) : undefined
    if (!list) return { error: 'unavailable' }
    const results = list.flatMap((entry) => resultIn(entry, backend))
    return { results: results.filter((one) => fits(one, query)).slice(0, maxResults) }
  }

  return async (query, signal) => {
    if (query.query.trim() === '') return { error: 'invalid_input' }
    if (query.query.length > MAX_QUERY) return { error: 'query_too_long' }
    try {
      return await ask(query, signal)
    } catch (error) {
      if (signal.aborted) throw error
      // What the backend says is for nobody but its owner, and may have the key in it.
      return { error: 'unavailable' }
    }
  }
}

function listAt(body: unknown, path: readonly string[]): JsonObject[] | undefined {
  let value = body
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined
  return Array.isArray(value) ? objectsIn(value) : undefined
}

function resultIn(entry: JsonObject, { text, dates }: Backend): SearchResult[] {
  const { url, title } = entry as Record<string, JsonValue | undefined>
  if (typeof url !== 'string' || url.length > MAX_URL || !URL.canParse(url)) return []
  const date = dates.map((name) => entry[name]).find((value) => typeof value === 'string')
  return [
    {
      url,
      title: typeof title === 'string' ? title.slice(0, MAX_TITLE) : url,
      text: wordsOf(entry[text]).slice(0, MAX_TEXT),
      ...(typeof date === 'string' && { date: date.slice(0, MAX_TITLE) }),
    },
  ]
}

/** Backends mark the words that were found. */
function wordsOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.replace(/<\/?(?:strong|b|em)>/g, '') : ''
}

function fits({ url }: SearchResult, { allowed, blocked }: SearchQuery): boolean {
  const { hostname, pathname } = new URL(url)
  const isOf = (site: string): boolean => {
    const [host = '', ...path] = site
      .toLowerCase()
      .replace(/^https?:\/\//, '')
      .split('/')
    const isHost = hostname === host || hostname.endsWith(`.${host}`)
    return isHost && pathname.toLowerCase().startsWith(`/${path.join('/')}`)
  }
  return (allowed.length === 0 || allowed.some(isOf)) && !blocked.some(isOf)
}
