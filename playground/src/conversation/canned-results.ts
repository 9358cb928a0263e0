/** Results that are given without asking anybody, by the name of the tool. */
import { isJsonObject, type JsonValue } from '../../../src/core/json/value.ts'
import type { ToolCall, ToolResult } from '../../../src/core/model.ts'
import { readJsonText } from '../tools-text.ts'

export const SAMPLE_RESULTS = JSON.stringify(
  {
    get_weather: { temperature: 4, sky: 'overcast' },
    search: [{ title: 'Ferries of the fjords', url: 'https://example.com/ferries' }],
    write_file: 'written',
  },
  null,
  2,
)

export interface CannedResults {
  readonly byTool: Readonly<Record<string, JsonValue>>
  readonly problem?: string
}

export function readCannedResults(text: string): CannedResults {
  if (text.trim() === '') return { byTool: {} }
  const { value, problem } = readJsonText(text)
  if (problem !== undefined) return { byTool: {}, problem }
  if (isJsonObject(value)) return { byTool: value }
  return { byTool: {}, problem: 'Expected a record from names of tools to results' }
}

/** The results of all calls, or undefined when one of them has none. */
export function cannedFor(
  calls: readonly ToolCall[],
  { byTool }: CannedResults,
): ToolResult[] | undefined {
  if (!calls.every(({ name }) => Object.hasOwn(byTool, name))) return undefined
  return calls.map((call) => resultOf(call, asText(byTool[call.name])))
}

export function resultOf({ id, name }: ToolCall, content: string): ToolResult {
  return { callId: id, name, content }
}

export function asText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
