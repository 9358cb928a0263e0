/** What there is to choose from; it comes from the worker, which has the library. */
import { signal } from '@preact/signals'
import { ask } from './work/ask.ts'
import type { Catalogue } from './work/catalogue.ts'

export const catalogue = signal<Catalogue>({
  protocols: [],
  dialects: [],
  kinds: [],
  samples: [],
  tools: '',
})

/** Why there is none. */
export const catalogueProblem = signal<string>()

let loading: Promise<void> | undefined

/** Resolves when it is there. */
export function loadCatalogue(): Promise<void> {
  loading ??= load()
  return loading
}

async function load(): Promise<void> {
  try {
    catalogue.value = await ask('catalogue')
    catalogueProblem.value = undefined
  } catch (error) {
    catalogueProblem.value = error instanceof Error ? error.message : String(error)
    loading = undefined
  }
}
