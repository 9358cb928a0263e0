import { describe, expect, test } from 'vitest'
import { createServiceMemories } from '../client/service-memory.ts'
import type { GatewayConfig } from './config.ts'
import { createDirectory, type Directory } from './directory.ts'
import { limitsOf } from './limits.ts'
import { createLoadBoard } from './load-board.ts'
import { createCatalogues } from './model-catalogue.ts'
import { createMemoryState } from './state/memory-state.ts'
import { fetchSend } from './web.ts'

function directoryOf(config: GatewayConfig): Directory {
  const { circuits } = createMemoryState()
  return createDirectory(config, {
    send: fetchSend(),
    env: {},
    circuits,
    memories: createServiceMemories(),
    limits: limitsOf(config),
    loads: createLoadBoard(() => 0),
    catalogues: createCatalogues({ now: () => 0 }),
    onAmbiguous: () => {},
    now: () => 0,
  })
}

function targetOf(directory: Directory, model: string): readonly [name: string, model: string] {
  const chain = directory.find(model, undefined)
  const [member] = chain.members
  const { name, model: asked } = chain.targetOf(member?.client ?? {})
  return [name, asked]
}

describe('other names of a provider', () => {
  test.for([
    ['gemini/gemini-3', ['google', 'gemini-3']],
    ['GOOGLE/gemini-3', ['google', 'gemini-3']],
    ['claude/opus', ['anthropic', 'opus']],
    ['qwen/qwen3', ['openrouter', 'qwen/qwen3']],
    ['qwen/qwen4', ['alibaba', 'qwen4']],
  ] as const)('%s is asked of %j', ([written, target]) => {
    const directory = directoryOf({
      providers: {
        google: {},
        anthropic: {},
        alibaba: {},
        openrouter: { models: ['qwen/qwen3'] },
      },
    })
    expect(targetOf(directory, written)).toEqual(target)
  })

  test('a provider can be configured under one, or by one', () => {
    const providers = {
      gemini: {},
      mine: { provider: 'copilot', settings: { integrationId: 'i' } },
    }
    const directory = directoryOf({ providers })
    expect(targetOf(directory, 'gemini/x')).toEqual(['gemini', 'x'])
    expect(targetOf(directory, 'mine/x')).toEqual(['mine', 'x'])
  })

  test('one that is not set up is named by its id', () => {
    expect(() => directoryOf({}).find('grok/x', undefined)).toThrow(
      'xAI is not set up: set XAI_API_KEY where the gateway runs, or add "xai" to its "providers"',
    )
  })
})
