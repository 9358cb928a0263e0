/** Which model an agent is to use. */
import { didYouMean } from '../../core/nearest.ts'
import { UsageError } from '../command.ts'
import { askModel, askModels, type Gateway } from './gateway.ts'

export interface ChosenModel {
  readonly model: string
  readonly contextLength?: number | undefined
}

/** The one that was named, or that of the configuration, or the only one there is. */
export async function chooseModel(gateway: Gateway, named?: string): Promise<ChosenModel> {
  const model = named ?? gateway.defaultModel ?? (await onlyModel(gateway))
  const found = await askModel(gateway, model)
  if (found) return { model, ...found }
  const names = await askModels(gateway)
  const hint = didYouMean(model, names)
  throw new UsageError(
    `the gateway at ${gateway.url} has no model ${model}${hint}; ${listed(names)}`,
  )
}

async function onlyModel(gateway: Gateway): Promise<string> {
  const names = await askModels(gateway)
  const [first, second] = names.filter((name) => !isDemo(name))
  if (first !== undefined && second === undefined) return first
  throw new UsageError(`which model? --model <name>; ${listed(names)}`)
}

/** Enough to choose from on a few lines. */
const MAX_LISTED = 30

function listed(names: readonly string[]): string {
  const real = names.filter((name) => !isDemo(name))
  if (real.length === 0) {
    return 'the gateway found no server on this machine and no key of a provider. Start Ollama or another server, configure a provider, or try it out with --model demo/hermes'
  }
  const more = real.length > MAX_LISTED ? ` and ${real.length - MAX_LISTED} more` : ''
  return `there are ${real.slice(0, MAX_LISTED).join(', ')}${more}`
}

function isDemo(name: string): boolean {
  return name.startsWith('demo/')
}
