/** What people who run a gateway should know, although no request has failed. */
import { createRecentMap } from '../core/recent-map.ts'
import { shownName } from './shown-text.ts'

export interface GatewayNotice {
  /**
   * `ambiguous-model`: several providers have a model of the name that was asked for. `models-not-listed`: a provider
   * did not give its list of models.
   */
  readonly code: 'ambiguous-model' | 'models-not-listed'
  /** For people. */
  readonly message: string
}

export interface Notices {
  ambiguous(name: string, candidates: readonly string[]): void
  unlisted(provider: string, reason: string): void
}

/** Names that were reported; they come from clients, and there may be no end of them. */
const MAX_REPORTED = 1000

export function createNotices(tell: (notice: GatewayNotice) => void = () => {}): Notices {
  const reported = createRecentMap<string>({ maxEntries: MAX_REPORTED })
  return {
    ambiguous(name, candidates) {
      const all = candidates.join(', ')
      if (reported.get(name) === all) return
      reported.set(name, all)
      const message = `several providers have ${JSON.stringify(shownName(name))}: ${all}; the first is asked, and the whole name chooses another`
      tell({ code: 'ambiguous-model', message })
    },
    unlisted(provider, reason) {
      tell({
        code: 'models-not-listed',
        message: `${provider} did not list its models, which can be asked all the same: ${reason}`,
      })
    },
  }
}
