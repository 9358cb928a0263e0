/** An agent as a tool of another. It never may more than the one that calls it. */
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import { type RunnableTool, type ToolContext, tool } from '../tool.ts'
import { AGENT_KEYS } from './check-options.ts'
import type { Hooks } from './hooks.ts'
import type { AgentOptions } from './options.ts'
import { clamp } from './permissions.ts'
import type { AgentResult } from './result.ts'
import { runAgent } from './run.ts'
import { type AgentToolContext, hooksOf, RUN } from './run-context.ts'
import { failure } from './tool-output.ts'

export interface AgentToolOptions
  extends Omit<AgentOptions, 'prompt' | 'messages' | 'state' | 'decisions' | 'runId' | 'store'> {
  readonly name: string
  readonly description: string
  /** How deep agents may call agents. Default 5. */
  readonly maxDepth?: number
}

const KEYS: OptionKeys<AgentToolOptions> = { ...AGENT_KEYS, name: 0, description: 0, maxDepth: 0 }

const MAX_DEPTH = 5
const DIGEST = 2000
const TIMEOUT_MS = 600_000

export function agentTool(options: AgentToolOptions): RunnableTool {
  checkKeys('agentTool', options, KEYS, '{ name, description, client }')
  const { name, description, maxDepth = MAX_DEPTH, ...agent } = options
  return tool({
    name,
    description,
    timeoutMs: TIMEOUT_MS,
    inputSchema: {
      type: 'object',
      properties: {
        task: {
          type: 'string',
          description: 'What to do, with everything that must be known for it.',
        },
      },
      required: ['task'],
    },
    async execute({ task }, context: AgentToolContext) {
      const parent = context[RUN]?.options
      const depth = (parent?.depth ?? 0) + 1
      if (depth > maxDepth)
        return failure(`agents call agents ${maxDepth} deep at most`, 'MaxDepth')
      return work(String(task), { ...under(agent, parent), depth }, context)
    },
  })
}

type Agent = Omit<AgentOptions, 'prompt'>

/** The agent with no more rights than its caller has, asked by the same hooks and the same person. */
function under(agent: Agent, parent: AgentOptions | undefined): Agent {
  if (!parent) return agent
  const watching = hooksOf(parent).map(
    ({ beforeTool }): Hooks => (beforeTool ? { beforeTool } : {}),
  )
  const approve = agent.approve ?? parent.approve
  return {
    ...agent,
    permissions: clamp(agent.permissions, parent.permissions),
    hooks: [...watching, ...hooksOf(agent)],
    ...(approve && { approve }),
  }
}

async function work(prompt: string, agent: Agent, context: ToolContext): Promise<unknown> {
  const run = runAgent({ ...agent, prompt, signal: context.signal })
  for await (const event of run) {
    if (event.type !== 'done') context.progress(event)
  }
  return answerOf(await run.result)
}

/** What is not finished is an error, with what was found out until then. */
function answerOf({ category, text, deliverable, finishReason, message }: AgentResult): unknown {
  if (category === 'success') return deliverable ?? text
  const found = text.slice(-DIGEST)
  return failure(
    `did not finish (${message ?? finishReason}). So far: ${found || 'nothing'}`,
    finishReason,
  )
}
