/** What was found out about the models of one service, shared by all who ask it. */

import type { ReasoningField } from '../core/dialect.ts'
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
  /**
   * The field in which reasoning goes back: what the caller wants, what the replies have, or the usual one of the
   * provider; false when the model has refused it.
   */
  reasoningField(
    model: string,
    usual: ReasoningField | false | undefined,
    wanted?: ReasoningField | false | undefined,
  ): ReasoningField | false | undefined
  /** A reply had reasoning in this field. */
  learnReasoningField(model: string, field: ReasoningField): void
  /** A request was refused because of this field; false when that was known before. */
  learnRefusedField(model: string, field: ReasoningField): boolean
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
  readonly reasoningField?: ReasoningField
  readonly refusedFields: readonly ReasoningField[]
}

/** A count that says otherwise is one of something else. */
const DENSITIES = { least: 1, most: 8 } as const

const NOTHING: Remembered = { refusesTools: false, facts: undefined, refusedFields: [] }

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
    reasoningField(model, usual, wanted) {
      if (wanted === false) return false
      const { reasoningField, refusedFields } = of(model)
      const fields = [wanted ?? reasoningField, usual].filter((field) => field !== undefined)
      return (
        fields.find((field) => field === false || !refusedFields.includes(field)) ??
        (fields.length > 0 ? false : undefined)
      )
    },
    learnReasoningField(model, field) {
      const known = of(model)
      if (known.reasoningField === field) return
      models.set(model, { ...known, reasoningField: field })
    },
    learnRefusedField(model, field) {
      const known = of(model)
      if (known.refusedFields.includes(field)) return false
      models.set(model, { ...known, refusedFields: [...known.refusedFields, field] })
      return true
    },
  }
}

/** True when the answer to a request with tools says that the model takes none. */
export function refusesTools(error: unknown): boolean {
  return error instanceof ProviderError && error.code === 'unsupported'
}
