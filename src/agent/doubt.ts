/** What makes a call doubtful: how it was found, and not what it asks for. */
import type { ToolCall } from '../core/model.ts'

/**
 * `text`: found in text. `unasked`: found in text, in a format that the model was not asked to write. `free`: found in
 * text without markers, such as bare JSON or `name(…)`. `repeated`: a tool, the user or the instructions wrote the same
 * text before. `guessed`: a repair chose between readings.
 */
export type Doubt = 'text' | 'unasked' | 'free' | 'repeated' | 'guessed'

const DOUBTS: Readonly<Record<Doubt, (call: ToolCall) => boolean>> = {
  text: ({ origin }) => origin === 'text',
  unasked: ({ origin, evidence }) => origin === 'text' && evidence !== 'asked',
  free: ({ evidence }) => evidence === 'free',
  repeated: ({ repeats }) => repeats !== undefined,
  guessed: ({ repairs = [] }) => repairs.some(({ risk }) => risk === 'guess'),
}

export const ALL_DOUBTS: readonly string[] = Object.keys(DOUBTS)

/** Which of these doubts there are about a call. */
export function doubtsAbout(call: ToolCall, asked: readonly Doubt[] = []): readonly Doubt[] {
  return asked.filter((doubt) => DOUBTS[doubt](call))
}
