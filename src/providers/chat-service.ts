/** What the many services have in common that speak OpenAI's chat dialect. */
import { usualApis } from './apis.ts'
import { CHAT_MODELS } from './model-info.ts'
import type { Provider } from './provider.ts'

type Common = Pick<
  Provider,
  'dialect' | 'baseUrl' | 'paths' | 'auth' | 'keyVariables' | 'capabilities' | 'modelInfo'
>

export const BEARER: Provider['auth'] = [{ scheme: 'bearer' }]

const CHAT_PATHS: Provider['paths'] = { chat: '/chat/completions', models: '/models' }

export const NATIVE: Provider['capabilities'] = { nativeTools: true, streamsTools: true }

/** OpenAI's own chat service. */
export const OPENAI_CHAT: Provider['capabilities'] = { ...NATIVE, toolKinds: ['custom'] }

/** OpenAI's own Responses service. */
export const OPENAI_RESPONSES: Provider['capabilities'] = {
  ...NATIVE,
  toolKinds: ['custom', 'namespace', 'tool_search', 'additional_tools'],
}

/** Some of its models know tools, others do not. */
export const PER_MODEL: Provider['capabilities'] = { nativeTools: 'per-model', streamsTools: true }

/** Fields of OpenAI's own that other services refuse or ignore. */
export const NOT_OPENAI: NonNullable<NonNullable<Provider['quirks']>['settings']> = {
  store: false,
  verbosity: false,
  serviceTier: false,
  metadata: false,
}

/** As many services of open models have it. */
export const OPEN_SAMPLING: NonNullable<NonNullable<Provider['quirks']>['settings']> = {
  ...NOT_OPENAI,
  topK: 'top_k',
  minP: 'min_p',
  repetitionPenalty: 'repetition_penalty',
}

/**
 * What the templates of open models ask for: most refuse a second system message, and a role that they do not know.
 * The service fills the template in, whatever it is.
 */
export const OPEN_TEMPLATES: NonNullable<Provider['quirks']> = {
  systemMessages: 'first',
  developerRole: false,
}

/** A server of open models. Older builds do not know the newer name of the limit. */
export const OPEN_SERVER: NonNullable<Provider['quirks']> = {
  ...OPEN_TEMPLATES,
  maxTokensField: 'max_tokens',
  settings: OPEN_SAMPLING,
  reasoningField: 'reasoning_content',
}

/** The same for servers that take arguments of the template. */
export const LOCAL_QUIRKS: NonNullable<Provider['quirks']> = {
  ...OPEN_SERVER,
  reasoning: 'chat_template_kwargs',
}

export function chatService(baseUrl: string, ...keyVariables: readonly string[]): Common {
  return {
    dialect: 'openai-chat',
    baseUrl,
    paths: CHAT_PATHS,
    auth: BEARER,
    keyVariables,
    capabilities: NATIVE,
    modelInfo: CHAT_MODELS,
  }
}

/** A server that people run themselves: no key unless they asked for one. */
export function localServer(
  baseUrl: string,
  ...keyVariables: readonly string[]
): Common & Pick<Provider, 'keyOptional' | 'selfHosted' | 'quirks' | 'apis'> {
  return {
    ...chatService(baseUrl, ...keyVariables),
    keyOptional: true,
    selfHosted: true,
    capabilities: PER_MODEL,
    apis: usualApis('openai-embeddings', 'openai-completions'),
    quirks: LOCAL_QUIRKS,
  }
}
