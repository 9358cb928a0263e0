/** The message for a client that asks for a model nobody has. */
import { nearest } from '../core/nearest.ts'
import { findProvider } from '../providers/registry.ts'
import { GatewayError } from './gateway-error.ts'
import { withoutLatest } from './model-names.ts'
import { shownName } from './shown-text.ts'

/** Longer names are no slips of the keyboard. */
const MAX_GUESSED = 100
/** Names that a name is compared with. */
const MAX_COMPARED = 1000
const MAX_NAMED = 3

const LISTED_AT = 'GET /v1/models'

export interface UnknownModelOptions {
  /** The names that this client may be shown. */
  readonly shown?: readonly string[] | undefined
  /** Where a client of its API finds all of them. */
  readonly listedAt?: string | undefined
  /** Whether there is a provider of this name. */
  readonly hasProvider: (name: string) => boolean
}

export function unknownModel(model: string, options: UnknownModelOptions): GatewayError {
  const { shown = [], listedAt = LISTED_AT, hasProvider } = options
  const listed = `${listedAt} lists those there are`
  if (model === '') {
    return new GatewayError('unknown_model', `the request names no model; ${listed}`)
  }
  const [provider = ''] = model.split('/', 1)
  const near = model.length > MAX_GUESSED ? [] : nearestModels(model, shown)
  const hint = near.length === 0 ? '' : ` (did you mean ${inWords(near)}?)`
  const advice = (hasProvider(provider) ? undefined : howToAdd(provider)) ?? listed
  const message = `there is no model ${JSON.stringify(shownName(model))}${hint}; ${advice}`
  return new GatewayError('unknown_model', message)
}

/** Names that are written alike first, then those with the same words in them. */
function nearestModels(model: string, names: readonly string[]): readonly string[] {
  const compared = names.slice(0, MAX_COMPARED)
  const written = new Map(compared.map((name) => [withoutProvider(name), name]))
  for (const name of compared) written.set(name, name)
  const alike = written.get(nearest(model, [...written.keys()]) ?? '')
  const wanted = new Set(wordsIn(model))
  const related = compared
    .map((name) => ({ name, shared: wordsIn(name).filter((word) => wanted.has(word)).length }))
    .filter(({ shared }) => shared > 0)
    .sort((one, other) => other.shared - one.shared)
    .map(({ name }) => name)
  const found = alike === undefined ? related : [alike, ...related]
  return [...new Set(found)].slice(0, MAX_NAMED)
}

function withoutProvider(name: string): string {
  return withoutLatest(name.slice(name.indexOf('/') + 1))
}

/** Words that tell models apart; numbers and sizes are in too many names. */
function wordsIn(name: string): readonly string[] {
  return withoutProvider(name)
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length > 2 && word !== 'latest')
}

function inWords(names: readonly string[]): string {
  const shown = names.map(shownName)
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`
}

/** For a provider that there is, but not here. */
function howToAdd(id: string): string | undefined {
  const provider = findProvider(id)
  if (!provider) return undefined
  const [variable] = provider.keyOptional ? [] : provider.keyVariables
  const key = variable === undefined ? '' : `set ${variable} where the gateway runs, or `
  return `${provider.name} is not set up: ${key}add ${JSON.stringify(provider.id)} to its "providers"`
}
