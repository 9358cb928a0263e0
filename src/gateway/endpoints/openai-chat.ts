/** `POST /v1/chat/completions` */
import { isJsonObject } from '../../core/json/value.ts'
import { openaiChat } from '../../dialects/openai-chat.ts'
import { chatEndpoint, named, sight } from './chat-endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { openaiError, openaiOverflow } from './openai-error.ts'

export const openaiChatEndpoint: Endpoint = chatEndpoint(openaiChat, {
  id: 'openai-chat',
  path: /^(?:\/v1)?\/chat\/completions$/,
  sight(body, place) {
    const { stream_options: options, functions } = body
    const seen = sight(body, place)
    return {
      ...seen,
      tools: seen.tools || (Array.isArray(functions) ? functions.length : 0),
      usage: isJsonObject(options) && options['include_usage'] === true,
    }
  },
  writeReply: (response, facts) => ({
    ...openaiChat.encodeResponse(named(response, facts)),
    created: facts.created,
  }),
  writeError: openaiError,
  overflowMessage: openaiOverflow,
  complete: /data:\s*\[DONE\]|"finish_reason"\s*:\s*"|"error"\s*:\s*["{]/,
})
