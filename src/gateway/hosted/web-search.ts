/** The search of the web as a tool. */
import type { HostedAnswer, HostedTool, WebSearchWish } from './hosted-tool.ts'
import type { SearchWeb } from './search-backends.ts'

/** For clients that set no limit themselves. */
const MAX_SEARCHES = 20

/** Without a backend, each search is answered with an error that the client knows. */
export function webSearchTool(wish: WebSearchWish, search: SearchWeb | undefined): HostedTool {
  const { name, maxUses = MAX_SEARCHES, allowed = [], blocked = [] } = wish
  let uses = 0
  return {
    wish,
    tool: {
      name,
      description:
        'Searches the web. Returns titles, addresses and excerpts of pages. Name the addresses of the pages you ' +
        'rely on in your answer.',
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string', description: 'What to search for.' } },
        required: ['query'],
      },
    },
    async run({ query }, signal): Promise<HostedAnswer> {
      if (!search) return { error: 'unavailable' }
      if (typeof query !== 'string') return { error: 'invalid_input' }
      if (uses >= Math.min(maxUses, MAX_SEARCHES)) return { error: 'max_uses_exceeded' }
      uses++
      return search({ query, allowed, blocked }, signal)
    },
  }
}
