/**
 * The models that each provider says it has. Lists are kept and refreshed when somebody wants to know, in the
 * background where an older one will do, so that one dead server delays nobody.
 */
import type { Connection } from '../client/connection.ts'
import { ProviderError } from '../client/errors.ts'
import { createModelLookup, type ModelInfo, type ModelLookup } from '../client/model-lookup.ts'
import { thrownMessage } from '../core/thrown-message.ts'

export interface Catalogue {
  /** The names in the list that was read last; none when the provider has never given one. */
  names(): readonly string[]
  /** What that list says about a model. */
  find(model: string): ModelInfo | undefined
  /** True once the provider has answered or failed: waiting for it promises nothing new. */
  wasAsked(): boolean
  /** Reads the list again when it is older than so many milliseconds. Never rejects. */
  refresh(maxAgeMs?: number): Promise<void>
  /** How old a list may be when a name is missing from it. */
  readonly missMs: number
}

/** The catalogues of all providers, which outlive the configuration they were opened for. */
export interface Catalogues {
  /** `name`: the provider as it is configured. */
  of(name: string, connection: Connection): Catalogue
  /** A number that changes with every list. */
  generation(): number
}

export interface CatalogueOptions {
  readonly now: () => number
  /** Some list is not what it was. */
  readonly onChange?: (() => void) | undefined
  /** A list could not be read. Called once for all failures in a row. */
  readonly onFailure?: ((provider: string, reason: string) => void) | undefined
}

interface Ages {
  /** A list of this age is read again. */
  readonly lasts: number
  /** The same when a name is missing from it. */
  readonly miss: number
  /** The pause after a failure. */
  readonly pause: number
}

/** Models of a server that people run themselves come and go; those of a hosted service rarely do. */
const OWN_SERVER: Ages = { lasts: 60_000, miss: 5_000, pause: 10_000 }
const HOSTED: Ages = { lasts: 3_600_000, miss: 300_000, pause: 300_000 }

/** Models of one server that are asked about one by one, where its list says nothing about them. */
const MAX_DESCRIBED = 32
/** Models that are kept of one list; the longest ones of today have some hundred. */
const MAX_LISTED = 5000

export function createCatalogues({ now, onChange, onFailure }: CatalogueOptions): Catalogues {
  const all = new Map<string, ReturnType<typeof createCatalogue>>()
  let generation = 0
  const options = {
    now,
    onFailure,
    onChange(): void {
      generation++
      onChange?.()
    },
  }
  return {
    generation: () => generation,
    of(name, connection) {
      const { origin, pathname } = connection.endpoint.base
      const id = `${name} ${origin}${pathname}`
      const catalogue = all.get(id) ?? createCatalogue(name, options)
      all.set(id, catalogue)
      catalogue.connect(connection)
      return catalogue
    },
  }
}

function createCatalogue(name: string, { now, onChange, onFailure }: CatalogueOptions) {
  let models: ReadonlyMap<string, ModelInfo> = new Map()
  let lookup: ModelLookup | undefined
  let isOwn = false
  let describes = false
  let readAt = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY
  let isFailing = false
  let reading: Promise<void> | undefined
  const ages = (): Ages => (isOwn ? OWN_SERVER : HOSTED)

  async function read(from: ModelLookup): Promise<void> {
    try {
      const found = (await from.list()).slice(0, MAX_LISTED)
      const before = [...models.keys()]
      models = new Map(found.map((one) => [one.id, one]))
      const isNew = before.join('\n') !== [...models.keys()].join('\n')
      readAt = now()
      isFailing = false
      if (isNew) onChange?.()
      if (describes) void describe(from, found)
    } catch (error) {
      failedAt = now()
      // A service that has no list did nothing wrong.
      const isFault = !(error instanceof ProviderError && error.code === 'unsupported')
      if (isFault && !isFailing) onFailure?.(name, thrownMessage(error))
      isFailing = true
    }
  }

  return {
    names: () => [...models.keys()],
    find: (model: string) => models.get(model),
    wasAsked: () => Math.max(readAt, failedAt) > Number.NEGATIVE_INFINITY || models.size > 0,
    get missMs() {
      return ages().miss
    },
    /** The next list is read over this connection, whose keys may be other ones. */
    connect(connection: Connection): void {
      const { keyOptional = false, modelInfo } = connection.provider
      lookup = createModelLookup(connection)
      isOwn = keyOptional
      describes = keyOptional && modelInfo?.one !== undefined
      readAt = Number.NEGATIVE_INFINITY
      failedAt = Number.NEGATIVE_INFINITY
    },
    async refresh(maxAgeMs = ages().lasts): Promise<void> {
      if (!lookup) return
      const isFresh = now() - readAt < maxAgeMs || now() - failedAt < ages().pause
      if (isFresh && !reading) return
      reading ??= read(lookup).finally(() => {
        reading = undefined
      })
      await reading
    },
  }
}

/** One after the other: what the answers say is remembered by the service's memory. */
async function describe(lookup: ModelLookup, models: readonly ModelInfo[]): Promise<void> {
  for (const { id } of models.slice(0, MAX_DESCRIBED)) await lookup.info(id)
}

/** Waits for lists, but not longer than this many milliseconds for all of them together. */
export async function withinWait(work: Promise<unknown>, waitMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs)
  })
  await Promise.race([work, patience]).finally(() => clearTimeout(timer))
}
