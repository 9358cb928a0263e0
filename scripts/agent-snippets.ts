/** The settings of each agent, as its page in docs/guides/agents shows them. */
import type { Agent, Target } from '../src/cli/launch/agent.ts'
import { AGENTS } from '../src/cli/launch/registry.ts'
import { manualScript } from '../src/cli/launch/script.ts'

/** The gateway and the model of the examples. */
export const DOCUMENTED: Target = { url: 'http://127.0.0.1:4141', model: 'ollama/qwen3-coder' }

export const agentPages: readonly { readonly file: string; readonly agent: Agent }[] = AGENTS.map(
  (agent) => ({ file: `docs/guides/agents/${agent.id}.md`, agent }),
)

export function launchSnippet({ id }: Agent): string {
  return fence('sh', `toolglot launch ${id} --model ${DOCUMENTED.model}`)
}

/** Files with their places, then what is typed. */
export function manualSnippet(agent: Agent): string {
  const manual = agent.manual(DOCUMENTED)
  const files = (manual.files ?? []).map(({ path, language, text }) => {
    return `\`${path}\`:\n\n${fence(language, text.trimEnd())}`
  })
  return [...files, fence('sh', manualScript(manual))].join('\n\n')
}

export function agentTable(): string {
  const rows = agentPages.map(({ agent: { id, name, api } }) => {
    return `| [${name}](agents/${id}.md) | \`toolglot launch ${id}\` | ${api} |`
  })
  return ['| agent | command | API |', '|---|---|---|', ...rows].join('\n')
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}
