/** What was found out about the models of one service, shared by all who ask it. */
import { createRecentMap } from '../core/recent-map.ts'
import type { ModelFacts } from '../providers/model-info.ts'
import { ProviderError } from './errors.ts'

export interface ModelMemory {
  /** True once the model has refused tools, or the service has said that it would. */
  lacksTools(model: string): boolean
  learnNoTools(model: string): void
  /** What the service has said about the model; undefined when it was not asked, or did not answer. */
  factsOf(model: string): ModelFacts | undefined
  learnFacts(model: string, facts: ModelFacts): void
  /** How many tokens the model reads and writes together, as it has said in a refusal or about itself. */
  windowOf(model: string): number | undefined
  learnWindow(model: string, tokens: number): void
  /** Characters of a token, as the service has counted them; undefined until then. */
  densityOf(model: string): number | undefined
  learnDensity(model: string, characters: number): void
}

/** Names of models come from requests, and must not fill the memory. */
const MAX_MODELS = 10_000
const MAX_BYTES = 8 * 1024 * 1024
/** What is known of a model, roughly. */
const ENTRY_BYTES = 300

interface Remembered {
  readonly refusesTools: boolean
  readonly facts: ModelFacts | undefined
  readonly window?: number
  readonly density?: number
}

/** A count that says otherwise is one of something else. */
const DENSITIES = { least: 1, most: 8 } as const

const NOTHING: Remembered = { refusesTools: false, facts: undefined }

export function createModelMemory(): ModelMemory {
  const models = createRecentMap<Remembered>({
    maxEntries: MAX_MODELS,
    maxBytes: MAX_BYTES,
    bytesOf: (name) => ENTRY_BYTES + 2 * name.length,
  })
  const of = (model: string): Remembered => models.get(model) ?? NOTHING
  return {
    lacksTools(model) {
      const { refusesTools, facts } = of(model)
      return refusesTools || facts?.nativeTools === false
    },
    learnNoTools: (model) => models.set(model, { ...of(model), refusesTools: true }),
    factsOf: (model) => of(model).facts,
    learnFacts: (model, facts) => models.set(model, { ...of(model), facts }),
    windowOf: (model) => of(model).window ?? of(model).facts?.contextWindow,
    learnWindow: (model, window) => models.set(model, { ...of(model), window }),
    densityOf: (model) => of(model).density,
    learnDensity(model, density) {
      if (density < DENSITIES.least || density > DENSITIES.most) return
      models.set(model, { ...of(model), density })
    },
  }
}

/** True when the answer to a request with tools says that the model takes none. */
export function refusesTools(error: unknown): boolean {
  return error instanceof ProviderError && error.code === 'unsupported'
}
