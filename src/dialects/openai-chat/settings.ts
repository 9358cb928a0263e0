/** Settings of a request, as OpenAI names them and as services that speak its dialect do. */
import type { ChatSettings } from '../../core/chat.ts'
import type { CodecOptions, SettingFields } from '../../core/dialect.ts'

export const SETTINGS: SettingFields = {
  maxTokens: 'max_completion_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  n: 'n',
  stop: 'stop',
  reasoning: 'reasoning_effort',
  verbosity: 'verbosity',
  parallelToolCalls: 'parallel_tool_calls',
  store: 'store',
  user: 'user',
  metadata: 'metadata',
  serviceTier: 'service_tier',
}

/** OpenAI refuses these; many services have them, and say so in their quirks. */
export const SERVICE_SETTINGS: SettingFields = {
  topK: 'top_k',
  minP: 'min_p',
  repetitionPenalty: 'repetition_penalty',
}

/** OpenAI refuses longer names of users. */
const MAX_USER_LENGTH = 64

/** The settings without a name of the user that OpenAI would refuse. */
export function withShortUser(
  { user, ...settings }: ChatSettings,
  { report }: CodecOptions,
): ChatSettings {
  if (user === undefined) return settings
  if (user.length <= MAX_USER_LENGTH) return { ...settings, user }
  const message = `OpenAI takes a \`user\` of at most ${MAX_USER_LENGTH} characters; it was left out`
  report?.({ code: 'not-expressible', message })
  return settings
}
