/** All agents, in the order in which they are listed. */
import { didYouMean } from '../../core/nearest.ts'
import { UsageError } from '../command.ts'
import type { Agent } from './agent.ts'
import { aider } from './agents/aider.ts'
import { claude } from './agents/claude.ts'
import { cline } from './agents/cline.ts'
import { codex } from './agents/codex.ts'
import { continueCli } from './agents/continue.ts'
import { copilot } from './agents/copilot.ts'
import { gemini } from './agents/gemini.ts'
import { grok } from './agents/grok.ts'
import { kilo } from './agents/kilo.ts'
import { letta } from './agents/letta.ts'
import { opencode } from './agents/opencode.ts'
import { pi } from './agents/pi.ts'
import { qwen } from './agents/qwen.ts'

export const AGENTS: readonly Agent[] = [
  claude,
  codex,
  gemini,
  qwen,
  opencode,
  kilo,
  pi,
  cline,
  continueCli,
  copilot,
  grok,
  letta,
  aider,
]

/** By its id, or by the name of its program. */
export function findAgent(name: string): Agent {
  const found = AGENTS.find(({ id, programs }) => id === name || programs.includes(name))
  if (found) return found
  const ids = AGENTS.map(({ id }) => id)
  const hint = didYouMean(name, ids)
  throw new UsageError(`unknown agent ${name}${hint}; the agents are ${ids.join(', ')}`)
}
