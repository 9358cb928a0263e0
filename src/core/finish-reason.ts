/** Why a reply ended, read from the word any provider uses for it. */
import type { FinishReason } from './model.ts'

// One table for all dialects: no word means two different things in two of them. The first that
// matches counts, so `malformed_function_call` is an error.
const REASONS: readonly (readonly [FinishReason, RegExp])[] = [
  [
    'error',
    /error|fail|malformed|unexpected|too_many|insufficient|missing_|cancel|^(abort|timeout|other|no_image)$/,
  ],
  ['length', /length|max_|context_window|^incomplete$|budget/],
  [
    'content-filter',
    /filter|guardrail|refusal|sensitive|safety|recitation|blocklist|prohibited|spii|language|image_/,
  ],
  ['tool-calls', /^(tool|function)[-_]/],
  ['stop', /^(stop|end_turn|pause_turn|completed?$|eos)/],
]

/**
 * The finish reason a provider's word stands for, or undefined when there is none. Whether calls
 * were made is taken from the calls themselves: Gemini, Ollama and the Responses API have no word
 * for it and compatible servers get it wrong. A reply cut off stays cut off, with calls or without.
 */
export function finishReasonOf(word: unknown, hasCalls: boolean): FinishReason | undefined {
  const known = typeof word === 'string' ? word.toLowerCase() : ''
  const [reason] = REASONS.find(([, words]) => words.test(known)) ?? []
  if (reason === undefined) return hasCalls ? 'tool-calls' : undefined
  if (reason === 'stop' || reason === 'tool-calls') return hasCalls ? 'tool-calls' : 'stop'
  return reason
}
