/**
 * An agent as a tool of another. It never may more than the one that calls it, and what it uses counts for both.
 *
 * Its run is kept beside that of its caller until the caller has its answer, under the key of the call: so it goes on
 * where it was when the process ends.
 */
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import type { JsonObject } from '../core/json/value.ts'
import { type RunnableTool, tool } from '../tool.ts'
import { AGENT_KEYS, checkBudget } from './check-options.ts'
import type { Hooks } from './hooks.ts'
import { type RunState, replay, type Spending } from './journal.ts'
import type { Budget } from './limits.ts'
import type { AgentOptions } from './options.ts'
import { clamp } from './permissions.ts'
import { type AgentResult, resultOf } from './result.ts'
import { runAgent } from './run.ts'
import { type AgentToolContext, hooksOf, INNER, RUN, type Run } from './run-context.ts'
import type { Store } from './store.ts'
import { failure } from './tool-output.ts'
import { interrupted } from './tool-run.ts'
import { totalTokens } from './usage.ts'

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
  checkBudget(options)
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
    execute,
    // Without a store nothing is known of how far it came.
    recover: (input, context: AgentToolContext) =>
      context[RUN]?.store ? execute(input, context) : interrupted(name),
  })

  async function execute({ task }: JsonObject, context: AgentToolContext): Promise<unknown> {
    const parent = context[RUN]
    const depth = (parent?.options.depth ?? 0) + 1
    if (depth > maxDepth) {
      return failure(`agents call agents ${maxDepth} deep at most`, 'MaxDepth')
    }
    return work(String(task), { ...under(agent, parent), depth }, context)
  }
}

type Agent = Omit<AgentOptions, 'prompt' | 'store'> & { readonly store?: Store }

/** The agent with no more rights than its caller has, asked by the same hooks and the same person. */
function under(agent: Agent, run: Run | undefined): Agent {
  if (!run) return agent
  const parent = run.options
  const watching = hooksOf(parent).map(
    ({ beforeTool }): Hooks => (beforeTool ? { beforeTool } : {}),
  )
  const approve = agent.approve ?? parent.approve
  const priceOf = agent.priceOf ?? parent.priceOf
  return {
    ...agent,
    budget: whatIsLeft(agent.budget, parent.budget, run.journal.state),
    ...(priceOf && { priceOf }),
    ...(run.store && { store: run.store }),
    permissions: clamp(agent.permissions, parent.permissions),
    hooks: [...watching, ...hooksOf(agent)],
    ...(approve && { approve }),
  }
}

/** The stricter of its own budget and what is left of its caller's. */
function whatIsLeft(
  own: Budget = {},
  parent: Budget = {},
  { usage, costUsd = 0 }: RunState,
): Budget {
  const tokens = lower(own.tokens, parent.tokens, totalTokens(usage))
  const cost = lower(own.costUsd, parent.costUsd, costUsd)
  return { ...(tokens !== undefined && { tokens }), ...(cost !== undefined && { costUsd: cost }) }
}

function lower(
  own: number | undefined,
  parent: number | undefined,
  used: number,
): number | undefined {
  if (parent === undefined) return own
  return Math.min(own ?? Number.POSITIVE_INFINITY, Math.max(0, parent - used))
}

async function work(prompt: string, agent: Agent, context: AgentToolContext): Promise<unknown> {
  const { key, signal, [INNER]: inner } = context
  const { store } = agent
  if (inner && store) inner.forget = () => store.delete(key)
  const known = store ? await stateIn(store, key) : undefined
  // It came to its end before the process did.
  if (known?.finish && known.finish.reason !== 'canceled')
    return answerTo(context, resultOf(known, known.finish, { durationMs: 0 }))
  const run = runAgent({ ...agent, runId: key, signal, ...(!known && { prompt }) })
  for await (const event of run) {
    if (event.type === 'done') return answerTo(context, event.result)
    if (event.type === 'step-end') spend(context, event)
    context.progress(event)
  }
  return answerTo(context, await run.result)
}

async function stateIn(store: Store, id: string): Promise<RunState | undefined> {
  const records = await store.read(id)
  return records.length > 0 ? replay(records) : undefined
}

function answerTo(context: AgentToolContext, result: AgentResult): unknown {
  spend(context, result)
  return answerOf(result)
}

/** So far: should it be given up, what it used counts all the same. */
function spend({ [INNER]: inner }: AgentToolContext, { usage, costUsd }: Spending): void {
  if (inner) inner.spent = { ...(usage && { usage }), ...(costUsd !== undefined && { costUsd }) }
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
