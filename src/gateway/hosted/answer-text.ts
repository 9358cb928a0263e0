/** What the model reads of a search. */
import type { HostedError, HostedWish, SearchResult } from './hosted-tool.ts'

export function resultsText(query: string, results: readonly SearchResult[]): string {
  if (results.length === 0) return `No results for ${JSON.stringify(query)}.`
  const entries = results.map(({ title, url, text, date }, at) =>
    [`${at + 1}. ${title}`, url, ...(date ? [date] : []), ...(text ? [text] : [])].join('\n   '),
  )
  return [`Search results for ${JSON.stringify(query)}:`, ...entries].join('\n\n')
}

export function errorText(error: HostedError, { feature }: Pick<HostedWish, 'feature'>): string {
  if (feature === 'tool-search') return `The search for tools failed (${error}).`
  return error === 'unavailable'
    ? 'The web cannot be searched at the moment. Say so; do not invent results.'
    : `The search failed (${error}). Do not invent results.`
}
