/** What was found out about one service, which outlives the connections over which it was found out. */
import type { ApiKey } from './credentials.ts'
import type { Circuit } from './fallback/circuit.ts'
import { createKeyCircuit } from './key-pool.ts'
import { createModelMemory, type ModelMemory } from './model-memory.ts'

export interface ServiceMemory {
  readonly models: ModelMemory
  /** Whether a key may be used. */
  circuitOf(key: ApiKey): Circuit
}

export function createServiceMemory(): ServiceMemory {
  const circuits = new Map<ApiKey, Circuit>()
  return {
    models: createModelMemory(),
    circuitOf(key) {
      const circuit = circuits.get(key) ?? createKeyCircuit()
      circuits.set(key, circuit)
      return circuit
    },
  }
}

/** The memories of all services that were asked, by provider and address. */
export interface ServiceMemories {
  of(provider: string, base: URL): ServiceMemory
}

export function createServiceMemories(): ServiceMemories {
  const memories = new Map<string, ServiceMemory>()
  return {
    of(provider, { origin, pathname }) {
      const name = `${provider} ${origin}${pathname.replace(/\/+$/, '')}`
      const memory = memories.get(name) ?? createServiceMemory()
      memories.set(name, memory)
      return memory
    },
  }
}
