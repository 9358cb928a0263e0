/** What is known about the models that answer to a name. The first of a chain speaks for it. */
import type { ModelFacts } from '../providers/model-info.ts'
import type { Chain } from './directory.ts'

/** What was found out so far; nobody is asked. */
function knownFacts(chain: Chain): ModelFacts {
  const [first] = chain.members
  if (!first) return {}
  return withWindow(chain.targetOf(first.client).facts(), first.contextWindow)
}

/** The same, after the provider was asked if that was not done before. */
export async function askedFacts(chain: Chain, signal: AbortSignal): Promise<ModelFacts> {
  const [first] = chain.members
  await first?.client.modelInfo?.({ signal })
  return knownFacts(chain)
}

/** What the configuration says comes first. */
function withWindow(facts: ModelFacts, contextWindow: number | undefined): ModelFacts {
  return contextWindow === undefined ? facts : { ...facts, contextWindow }
}
