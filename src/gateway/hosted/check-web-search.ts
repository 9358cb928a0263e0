/** The configuration of the search of the web. */
import { refused } from '../../core/caller-input.ts'
import { checkKeys, type OptionKeys } from '../../core/check-options.ts'
import { InvalidInputError } from '../../core/errors.ts'
import type { WebSearchConfig } from '../config.ts'
import { SEARCH_BACKENDS } from './search-backends.ts'

const KEYS: OptionKeys<WebSearchConfig> = {
  provider: 0,
  url: 0,
  apiKey: 0,
  maxResults: 0,
  timeoutMs: 0,
}

const EXAMPLE = "{ provider: 'searxng', url: 'http://127.0.0.1:8888' }"

/** @throws InvalidInputError */
export function checkWebSearch(config: WebSearchConfig): void {
  checkKeys('webSearch', config, KEYS, EXAMPLE)
  const { provider, url } = config
  const known = Object.keys(SEARCH_BACKENDS)
  if (!known.includes(provider)) throw refused('webSearch.provider', provider, known.join(', '))
  if (url !== undefined && !/^https?:$/.test(protocolOf(url))) {
    throw refused('webSearch.url', url, `an address, as in ${EXAMPLE}`)
  }
  const missing = missingSetting(config)
  if (missing !== undefined) throw new InvalidInputError(`webSearch: ${missing}`)
}

/** What the provider needs and the configuration does not say, as a sentence. */
export function missingSetting(config: WebSearchConfig): string | undefined {
  const { needs } = SEARCH_BACKENDS[config.provider]
  return config[needs] === undefined ? `${config.provider} needs \`${needs}\`` : undefined
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : ''
}
