/** What the many services have in common that speak OpenAI's chat dialect. */
import type { Provider } from './provider.ts'

type Common = Pick<
  Provider,
  'dialect' | 'baseUrl' | 'paths' | 'auth' | 'keyVariables' | 'capabilities'
>

export const BEARER: Provider['auth'] = [{ scheme: 'bearer' }]

const CHAT_PATHS: Provider['paths'] = { chat: '/chat/completions', models: '/models' }

export const NATIVE: Provider['capabilities'] = { nativeTools: true, streamsTools: true }

/** Some of its models know tools, others do not. */
export const PER_MODEL: Provider['capabilities'] = { nativeTools: 'per-model', streamsTools: true }

export function chatService(baseUrl: string, ...keyVariables: readonly string[]): Common {
  return {
    dialect: 'openai-chat',
    baseUrl,
    paths: CHAT_PATHS,
    auth: BEARER,
    keyVariables,
    capabilities: NATIVE,
  }
}

/** A server that people run themselves: no key unless they asked for one. */
export function localServer(
  baseUrl: string,
  ...keyVariables: readonly string[]
): Common & Pick<Provider, 'keyOptional' | 'quirks'> {
  return {
    ...chatService(baseUrl, ...keyVariables),
    keyOptional: true,
    capabilities: PER_MODEL,
    // Older builds do not know the newer name.
    quirks: { maxTokensField: 'max_tokens' },
  }
}
