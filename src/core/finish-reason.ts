/** Why a reply ended, read from the word any provider uses for it. */
import type { FinishReason } from './model.ts'

// One table for all dialects: no word means two different things in two of them.
const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop end_turn stop_sequence completed complete eos pause_turn',
  'tool-calls': 'tool-calls tool_calls tool_call tool_use function_call',
  length: 'length max_tokens max_output_tokens model_length model_context_window_exceeded',
  'content-filter':
    'content-filter content_filter content_filtered guardrail_intervened refusal sensitive safety ' +
    'recitation blocklist prohibited_content spii language image_safety image_recitation ' +
    'image_prohibited_content image_other',
  error:
    'error failed timeout other malformed_function_call unexpected_tool_call too_many_tool_calls ' +
    'malformed_model_output malformed_tool_use insufficient_system_resource network_error',
}

const BY_WORD: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries(REASONS).flatMap(([reason, words]) =>
    // The keys of REASONS are finish reasons; Object.entries only knows them as strings.
    words.split(' ').map((word) => [word, reason as FinishReason] as const),
  ),
)

/**
 * The finish reason a provider's word stands for, or undefined when there is none. Whether calls
 * were made is taken from the calls themselves: Gemini, Ollama and the Responses API have no word
 * for it and compatible servers get it wrong. A reply cut off stays cut off, with calls or without.
 */
export function finishReasonOf(word: unknown, hasCalls: boolean): FinishReason | undefined {
  const reason = typeof word === 'string' ? BY_WORD.get(word.toLowerCase()) : undefined
  if (reason === undefined) return hasCalls ? 'tool-calls' : undefined
  if (reason === 'stop' || reason === 'tool-calls') return hasCalls ? 'tool-calls' : 'stop'
  return reason
}
