/** The model that `--model` names. */
import process from 'node:process'
import { type ChatClient, createClient } from '../../client/index.ts'
import { poolVariables } from '../../client/key-pool.ts'
import { hintAt } from '../../core/nearest.ts'
import type { Provider } from '../../providers/provider.ts'
import { findProvider, nearestProvider } from '../../providers/registry.ts'
import { oneOf } from '../arguments.ts'
import { UsageError } from '../command.ts'
import { checkProtocol } from '../protocol-id.ts'

interface ModelOptions {
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
  readonly mode?: string | undefined
  readonly protocol?: string | undefined
}

export function openClient({ model: name, baseUrl, mode, protocol }: ModelOptions): ChatClient {
  const { provider, model } = readModel(name)
  const format = protocol === undefined ? undefined : checkProtocol(protocol)
  // Somebody who names a format wants it to be used.
  const usual = format === undefined ? 'auto' : 'text'
  const toolMode = oneOf('--mode', mode, ['native', 'text']) ?? usual
  requireKey(provider)
  try {
    return createClient({ provider, model, baseUrl, toolMode, protocol: format })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(error.message.replace('pass baseUrl', 'pass --base-url'))
  }
}

function readModel(name: string | undefined): { provider: Provider; model: string } {
  if (name === undefined) {
    throw new UsageError('--model is missing: name a provider and a model, as in ollama/qwen3')
  }
  const slash = name.indexOf('/')
  const [id, model] = [name.slice(0, Math.max(slash, 0)), name.slice(slash + 1)]
  if (id === '' || model === '') {
    throw new UsageError(`--model cannot be "${name}"; it is a provider and a model: ollama/qwen3`)
  }
  const provider = findProvider(id)
  if (provider) return { provider, model }
  if (id === 'demo') throw new UsageError(WHERE_DEMO_IS.replaceAll('NAME', model))
  const hint = hintAt(nearestProvider(id))
  throw new UsageError(`no provider is called ${id}${hint}; "toolglot providers" lists them all`)
}

const WHERE_DEMO_IS =
  'the models demo/… are in the gateway: start "toolglot serve", then say ' +
  '--model openai-compatible/demo/NAME --base-url http://127.0.0.1:4141/v1'

/** Said before anything else is done, not by the first request. */
function requireKey({ name, auth, keyVariables, keyOptional, settings = {} }: Provider): void {
  const needsKey = auth.every(({ scheme }) => scheme !== 'sigv4' && scheme !== 'client-credentials')
  const tokens = auth.flatMap((way) => (way.scheme === 'bearer' ? [way.setting ?? ''] : []))
  const variables = [
    ...keyVariables,
    ...tokens.flatMap((token) => settings[token]?.variables ?? []),
  ]
  const all = [...variables, ...poolVariables(keyVariables)]
  if (keyOptional || !needsKey || all.some((variable) => process.env[variable])) return
  throw new UsageError(`no key for ${name}: set ${variables.join(' or ')}`)
}
