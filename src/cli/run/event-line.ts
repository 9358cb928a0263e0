/** Events for programs: one line of JSON each. */
import type { AgentEvent, AgentResult } from '../../agent/index.ts'

export function eventLine(event: AgentEvent): string {
  const shown = event.type === 'done' ? { type: event.type, result: summary(event.result) } : event
  return escapeControls(toJson(shown))
}

/** Without the history: it was told bit by bit, and the store has it. */
function summary(result: AgentResult) {
  const { messages: _messages, state: _state, error, ...rest } = result
  return { ...rest, ...(error !== undefined && { error: describeError(error) }) }
}

function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message } = error
  return { name, message, ...('code' in error && { code: error.code }) }
}

/** What a tool tells of its progress may be anything. */
function toJson(value: object): string {
  try {
    return JSON.stringify(value)
  } catch {
    const shallow = Object.entries(value).map(([key, field]) => [key, String(field)])
    return JSON.stringify(Object.fromEntries(shallow))
  }
}

/** JSON allows them as they are, but a terminal would obey them. */
function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
