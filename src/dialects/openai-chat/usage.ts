/** Counts of tokens in OpenAI's form, with the ways in which services differ. */
import type { Usage } from '../../core/chat.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { countAt, countsBeside, readCounts } from '../chat-response.ts'

/** Where services count what came from the cache; the ones beside OpenAI's own are more exact. */
const CACHED_PATHS = [
  ['num_cached_tokens'],
  ['cached_tokens'],
  ['prompt_tokens_details', 'cached_tokens'],
  ['prompt_token_details', 'cached_tokens'],
  ['prompt_cache_hit_tokens'],
  ['cache_read_input_tokens'],
] as const
/** Alibaba and proxies before Anthropic's models have its words for what went into the cache. */
const WRITTEN_PATHS = [
  ['prompt_tokens_details', 'cache_write_tokens'],
  ['prompt_tokens_details', 'cache_creation_input_tokens'],
  ['prompt_tokens_details', 'cache_creation_tokens'],
  ['cache_creation_input_tokens'],
] as const
const REASONING_PATHS = [
  ['completion_tokens_details', 'reasoning_tokens'],
  ['reasoning_tokens'],
] as const

const PATHS = {
  inputTokens: ['prompt_tokens'],
  outputTokens: ['completion_tokens'],
  totalTokens: ['total_tokens'],
} as const

export function readUsage({ usage }: JsonObject): Usage {
  const cacheReadTokens = firstCount(usage, CACHED_PATHS)
  const cacheWriteTokens = firstCount(usage, WRITTEN_PATHS)
  const reasoningTokens = firstCount(usage, REASONING_PATHS)
  return withReasoning({
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...summed(readCounts(usage, PATHS)),
  })
}

/** Some services leave out what the other two counts tell. */
export function summed(counts: Usage): Usage {
  const { inputTokens, outputTokens, totalTokens } = counts
  if (inputTokens === undefined && outputTokens === undefined) return counts
  const input = inputTokens ?? Math.max(0, (totalTokens ?? 0) - (outputTokens ?? 0))
  const output = outputTokens ?? Math.max(0, (totalTokens ?? 0) - input)
  const total = totalTokens ?? input + output
  return { ...counts, inputTokens: input, outputTokens: output, totalTokens: total }
}

function firstCount(
  usage: JsonValue | undefined,
  paths: readonly (readonly string[])[],
): number | undefined {
  for (const path of paths) {
    const count = countAt(usage, path)
    if (count !== undefined) return count
  }
  return undefined
}

/** xAI counts reasoning beside the output; only the total tells. */
export function withReasoning(counts: Usage): Usage {
  const { inputTokens = 0, outputTokens = 0, totalTokens, reasoningTokens = 0 } = counts
  const isBeside =
    reasoningTokens > 0 && inputTokens + outputTokens + reasoningTokens === totalTokens
  return isBeside ? { ...counts, outputTokens: outputTokens + reasoningTokens } : counts
}

/** Names of what {@link readUsage} reads, each at the top or among the details. */
const READ: ReadonlySet<string> = new Set(
  [...CACHED_PATHS, ...WRITTEN_PATHS, ...REASONING_PATHS, ...Object.values(PATHS)].map(
    (path) => path.at(-1) ?? '',
  ),
)

/** What a service counts besides. */
export function otherCounts({ usage }: JsonObject): JsonObject {
  return countsBeside(usage, READ)
}

/** `others` are the counts that only the service has which the reply came from. */
export function encodeUsage(usage: Usage, others?: JsonValue): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  if (inputTokens === undefined && outputTokens === undefined) return {}
  const own = isJsonObject(others) ? others : {}
  const { prompt_tokens_details: ownInput, completion_tokens_details: ownOutput, ...rest } = own
  const input = given({ cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens })
  const output = given({ reasoning_tokens: reasoningTokens })
  return {
    usage: {
      prompt_tokens: inputTokens ?? 0,
      completion_tokens: outputTokens ?? 0,
      total_tokens: usage.totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0),
      ...detailed('prompt_tokens_details', input, ownInput),
      ...detailed('completion_tokens_details', output, ownOutput),
      ...rest,
    },
  }
}

function detailed(name: string, counts: JsonObject, own: JsonValue | undefined): JsonObject {
  const all = { ...counts, ...(isJsonObject(own) && own) }
  return Object.keys(all).length > 0 ? { [name]: all } : {}
}

/** The counts that there are. */
function given(counts: Readonly<Record<string, number | undefined>>): JsonObject {
  const entries = Object.entries(counts).filter(([, count]) => count !== undefined)
  return Object.fromEntries(entries) as JsonObject
}
