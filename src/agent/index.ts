/**
 * The agent loop.
 *
 * @module
 */
export { type RunnableTool, type ToolContext, type ToolDefinition, tool } from '../tool.ts'
export { type AgentToolOptions, agentTool } from './agent-tool.ts'
export type { CompactionOptions } from './compaction.ts'
export type { Doubt } from './doubt.ts'
export type { AgentEvent, ReplyEvent } from './events.ts'
export type { OutputOptions } from './final-output.ts'
export type { Finish as RunFinish } from './finish.ts'
export {
  type AgentFinishReason,
  FINISH_CATEGORIES,
  type FinishCategory,
  type PendingCall,
} from './finish.ts'
export { finishTool } from './finish-tool.ts'
export type {
  CallChange,
  HaltChange,
  Hooks,
  MaybeChange,
  ResultChange,
  StepChange,
  StepContext,
} from './hooks.ts'
export type {
  Batch as CallBatch,
  Decision,
  Failure as RunFailure,
  RunRecord,
  RunState,
} from './journal.ts'
export type { Budget, Limits } from './limits.ts'
export { createMemoryStore } from './memory-store.ts'
export type { AgentOptions, MaybeDecision } from './options.ts'
export type { DenialCode, Permissions, Phase, Verdict } from './permissions.ts'
export type { AgentResult } from './result.ts'
export type { ResultBudget } from './result-budget.ts'
export { type AgentRun, runAgent } from './run.ts'
export type { RunView } from './stop-conditions.ts'
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
export type { RunEnd, ToolOutputOptions } from './tool-output.ts'
export { failure, halt, submit, ToolOutput } from './tool-output.ts'
