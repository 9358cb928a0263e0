/**
 * The agent loop.
 *
 * @module
 */
export { type RunnableTool, type ToolContext, type ToolDefinition, tool } from '../tool.ts'
export { type AgentToolOptions, agentTool } from './agent-tool.ts'
export type { CompactionOptions } from './compaction.ts'
export type { AgentEvent } from './events.ts'
export type { OutputOptions } from './final-output.ts'
export {
  type AgentFinishReason,
  FINISH_CATEGORIES,
  type FinishCategory,
  type PendingCall,
} from './finish.ts'
export { finishTool } from './finish-tool.ts'
export type { Hooks } from './hooks.ts'
export type { Decision, RunRecord, RunState } from './journal.ts'
export type { Budget, Limits } from './limits.ts'
export { createMemoryStore } from './memory-store.ts'
export type { AgentOptions } from './options.ts'
export type { Permissions, Phase, Verdict } from './permissions.ts'
export type { AgentResult } from './result.ts'
export type { ResultBudget } from './result-budget.ts'
export { type AgentRun, runAgent } from './run.ts'
export {
  all,
  any,
  type StopCondition,
  stepsReach,
  textMatches,
  tokensReach,
  toolWasCalled,
} from './stop-conditions.ts'
export type { RunSummary, Store } from './store.ts'
export { failure, halt, submit, ToolOutput } from './tool-output.ts'
