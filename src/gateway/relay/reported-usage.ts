/** What a reply of an API besides chat says it has used, in the words of OpenAI, Ollama, Google, Cohere and Jina. */
import type { Usage } from '../../core/chat.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'

const INPUT = [
  'prompt_tokens',
  'input_tokens',
  'prompt_eval_count',
  'promptTokenCount',
  'tokens_evaluated',
]
const OUTPUT = [
  'completion_tokens',
  'output_tokens',
  'eval_count',
  'candidatesTokenCount',
  'tokens_predicted',
]
const TOTAL = ['total_tokens', 'totalTokenCount']

/** Undefined when nothing is reported. */
export function reportedUsage(body: unknown): Usage | undefined {
  if (!isJsonObject(body)) return undefined
  const place = placesIn(body).find((one) => [...INPUT, ...TOTAL].some((name) => name in one))
  if (!place) return undefined
  const outputTokens = countIn(place, OUTPUT)
  const totalTokens = countIn(place, TOTAL)
  // Where there is no output, services may report nothing but a total.
  const inputTokens = countIn(place, INPUT) ?? totalTokens
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(totalTokens !== undefined && { totalTokens }),
  }
}

function placesIn(body: JsonObject): readonly JsonObject[] {
  const { usage, usageMetadata, meta, response } = body
  const inner = isJsonObject(meta) ? [meta['tokens'], meta['billed_units']] : []
  const ended = isJsonObject(response) ? [response['usage']] : []
  const all: readonly (JsonValue | undefined)[] = [usage, usageMetadata, ...inner, ...ended, body]
  return all.filter(isJsonObject)
}

function countIn(place: JsonObject, names: readonly string[]): number | undefined {
  const count = names.map((name) => place[name]).find((value) => typeof value === 'number')
  return count !== undefined && count >= 0 ? count : undefined
}
