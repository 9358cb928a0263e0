/** What the index expects of a reply, in the neutral model. Worked out here, apart from what is tested. */

import type { Usage } from '../../src/core/chat.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/json/value.ts'
import type { FinishReason } from '../../src/core/model.ts'

/** Where a dialect counts: each field is the sum of the first that is there of each list. */
type Places = Readonly<Record<keyof Usage, readonly (readonly string[])[]>>

const CHAT: Places = {
  inputTokens: [['prompt_tokens']],
  outputTokens: [['completion_tokens']],
  totalTokens: [['total_tokens']],
  cacheReadTokens: [
    ['prompt_tokens_details.cached_tokens', 'prompt_cache_hit_tokens', 'num_cached_tokens'],
  ],
  cacheWriteTokens: [['prompt_tokens_details.cache_write_tokens']],
  reasoningTokens: [['completion_tokens_details.reasoning_tokens', 'reasoning_tokens']],
}

const PLACES: Readonly<Record<string, Places>> = {
  'openai-chat': CHAT,
  mistral: CHAT,
  'openai-responses': {
    inputTokens: [['input_tokens']],
    outputTokens: [['output_tokens']],
    totalTokens: [['total_tokens']],
    cacheReadTokens: [['input_tokens_details.cached_tokens']],
    cacheWriteTokens: [['input_tokens_details.cache_write_tokens']],
    reasoningTokens: [['output_tokens_details.reasoning_tokens']],
  },
  anthropic: {
    inputTokens: [['input_tokens'], ['cache_read_input_tokens'], ['cache_creation_input_tokens']],
    outputTokens: [['output_tokens']],
    totalTokens: [],
    cacheReadTokens: [['cache_read_input_tokens']],
    cacheWriteTokens: [['cache_creation_input_tokens']],
    reasoningTokens: [['output_tokens_details.thinking_tokens']],
  },
  bedrock: {
    inputTokens: [['inputTokens'], ['cacheReadInputTokens'], ['cacheWriteInputTokens']],
    outputTokens: [['outputTokens']],
    totalTokens: [['totalTokens']],
    cacheReadTokens: [['cacheReadInputTokens']],
    cacheWriteTokens: [['cacheWriteInputTokens']],
    reasoningTokens: [],
  },
  gemini: {
    inputTokens: [['promptTokenCount'], ['toolUsePromptTokenCount']],
    outputTokens: [['candidatesTokenCount'], ['thoughtsTokenCount']],
    totalTokens: [['totalTokenCount']],
    cacheReadTokens: [['cachedContentTokenCount']],
    cacheWriteTokens: [],
    reasoningTokens: [['thoughtsTokenCount']],
  },
  'google-interactions': {
    inputTokens: [['total_input_tokens'], ['total_tool_use_tokens']],
    outputTokens: [['total_output_tokens'], ['total_thought_tokens']],
    totalTokens: [['total_tokens']],
    cacheReadTokens: [['total_cached_tokens']],
    cacheWriteTokens: [],
    reasoningTokens: [['total_thought_tokens']],
  },
  ollama: {
    inputTokens: [['prompt_eval_count']],
    outputTokens: [['eval_count']],
    totalTokens: [],
    cacheReadTokens: [],
    cacheWriteTokens: [],
    reasoningTokens: [],
  },
  cohere: {
    inputTokens: [['tokens.input_tokens', 'billed_units.input_tokens']],
    outputTokens: [['tokens.output_tokens', 'billed_units.output_tokens']],
    totalTokens: [],
    cacheReadTokens: [['cached_tokens']],
    cacheWriteTokens: [],
    reasoningTokens: [],
  },
}

/** Undefined when there is nothing to compare. */
export function expectedUsage(dialect: string, raw: JsonObject | null): Usage | undefined {
  const places = PLACES[dialect]
  if (!places || !raw) return undefined
  const counted: Record<string, number> = {}
  for (const [field, lists] of Object.entries(places)) {
    const found = lists.flatMap((paths) => firstNumber(raw, paths))
    if (found.length > 0) counted[field] = found.reduce((sum, each) => sum + each, 0)
  }
  return withReasoning(counted)
}

/** Some count reasoning beside the output; their total tells. */
function withReasoning(counted: Record<string, number>): Usage {
  const { inputTokens = 0, outputTokens = 0, totalTokens, reasoningTokens = 0 } = counted
  const isBeside = inputTokens + outputTokens + reasoningTokens === totalTokens
  if (!isBeside || reasoningTokens === 0) return counted
  return { ...counted, outputTokens: outputTokens + reasoningTokens }
}

function firstNumber(raw: JsonObject, paths: readonly string[]): number[] {
  const found = paths.map((path) => at(raw, path)).find((value) => typeof value === 'number')
  return typeof found === 'number' ? [found] : []
}

function at(raw: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = raw
  for (const key of path.split('.')) value = isJsonObject(value) ? value[key] : undefined
  return value
}

const WORDS: Readonly<Record<FinishReason, readonly string[]>> = {
  stop: [
    ...['completed', 'end_turn', 'stop', 'complete', 'stop_sequence', 'pause_turn', 'compaction'],
    ...['load', 'unload'],
  ],
  'tool-calls': ['tool_calls', 'tool_use', 'tool_call', 'function_call', 'requires_action'],
  length: [
    ...['length', 'max_tokens', 'incomplete', 'model_length', 'model_context_window_exceeded'],
    'budget_exceeded',
  ],
  'content-filter': [
    ...['refusal', 'content_filter', 'content_filtered', 'guardrail_intervened', 'sensitive'],
    ...['safety', 'recitation', 'language', 'blocklist', 'prohibited_content', 'spii'],
    ...['image_safety', 'image_prohibited_content', 'image_recitation', 'image_other'],
  ],
  error: [
    ...['error', 'failed', 'timeout', 'other', 'no_image', 'cancelled'],
    ...['malformed_function_call', 'malformed_response', 'missing_thought_signature'],
    ...['unexpected_tool_call', 'too_many_tool_calls'],
    ...['malformed_model_output', 'malformed_tool_use'],
    ...['insufficient_system_resource', 'network_error'],
  ],
}

const FINISH: ReadonlyMap<string, FinishReason> = new Map(
  (Object.keys(WORDS) as FinishReason[]).flatMap((reason) =>
    WORDS[reason].map((word) => [word, reason] as const),
  ),
)

/** Calls decide between `stop` and `tool-calls`, whatever the word. */
export function expectedFinish(word: string, hasCalls: boolean): FinishReason | undefined {
  const reason = FINISH.get(word.toLowerCase())
  const isOpen = reason === 'stop' || reason === 'tool-calls'
  return isOpen ? (hasCalls ? 'tool-calls' : 'stop') : reason
}
