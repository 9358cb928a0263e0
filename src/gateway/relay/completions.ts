/** Completions of a plain text between OpenAI's older API and Ollama's `/api/generate`. */
import type { Frame } from '../../core/dialect.ts'
import { parseObject } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../../dialects/history-call.ts'
import { reportedUsage } from './reported-usage.ts'
import {
  type AskedRelay,
  cannotSay,
  noReply,
  notARequest,
  type Translation,
} from './translation.ts'

/** Settings of OpenAI's API and their names among Ollama's `options`. */
const SETTINGS: readonly (readonly [openai: string, ollama: string])[] = [
  ['max_tokens', 'num_predict'],
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['top_k', 'top_k'],
  ['min_p', 'min_p'],
  ['seed', 'seed'],
  ['stop', 'stop'],
  ['frequency_penalty', 'frequency_penalty'],
  ['presence_penalty', 'presence_penalty'],
]

function present(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const named = Object.entries(fields).filter(
    (entry): entry is [string, JsonValue] => entry[1] !== undefined && entry[1] !== null,
  )
  return Object.fromEntries(named)
}

// ── clients of OpenAI, servers of Ollama ────────────────────────────────────────────────────────

/** As Ollama's own `/v1/completions` does it: the template of the model is applied, the one for infilling with a suffix. */
export const completionsToGenerate: Translation = {
  from: 'openai-completions',
  to: 'ollama-generate',
  carried: [
    'model',
    'prompt',
    'suffix',
    'stream',
    'stream_options',
    'user',
    ...SETTINGS.map(([openai]) => openai),
  ],
  request(body, model) {
    const { n, best_of: best, echo, logprobs, suffix, stream } = body
    if (isMore(n) || isMore(best)) throw cannotSay('"n" or "best_of" of more than 1')
    if (echo === true || typeof logprobs === 'number') throw cannotSay('"echo" or "logprobs"')
    const { stop, ...options } = present(
      Object.fromEntries(SETTINGS.map(([openai, ollama]) => [ollama, body[openai]])),
    )
    const words = typeof stop === 'string' ? [stop] : stop
    return {
      model,
      prompt: promptIn(body),
      ...present({ suffix }),
      stream: stream === true,
      options: { ...options, ...present({ stop: words }) },
    }
  },
  reply(reply, asked) {
    const { response } = reply
    if (typeof response !== 'string') throw noReply('a completion')
    const usage = openaiUsage(reply)
    return { ...completion(asked, response, finishOf(reply)), ...(usage && { usage }) }
  },
  stream: {
    contentType: 'text/event-stream; charset=utf-8',
    framing: 'ndjson',
    open(asked) {
      const { stream_options: options } = asked.body
      const wantsUsage = isJsonObject(options) && options['include_usage'] === true
      return {
        push({ data }) {
          const part = parseObject(data)
          if (!part) return ''
          if ('error' in part) return sse({ error: { message: part['error'] ?? '' } })
          const { response = '', done } = part
          const chunk = sse(
            completion(asked, String(response), done === true ? finishOf(part) : null),
          )
          const usage = done === true && wantsUsage && openaiUsage(part)
          return usage ? chunk + sse({ ...completion(asked, '', null), choices: [], usage }) : chunk
        },
        end: () => 'data: [DONE]\n\n',
      }
    },
  },
}

function promptIn({ prompt }: JsonObject): string {
  const [only, ...others] = Array.isArray(prompt) ? prompt : [prompt]
  if (typeof only === 'string' && others.length === 0) return only
  if (prompt === undefined) throw notARequest('the body must have "prompt"')
  throw cannotSay('"prompt" with anything but one text')
}

function isMore(count: JsonValue | undefined): boolean {
  return typeof count === 'number' && count > 1
}

function completion(
  { id, at, model }: AskedRelay,
  text: string,
  finish: string | null,
): JsonObject {
  return {
    id: `cmpl-${id}`,
    object: 'text_completion',
    created: Math.floor(at / 1000),
    model,
    choices: [{ text, index: 0, logprobs: null, finish_reason: finish }],
  }
}

function finishOf({ done_reason: reason }: JsonObject): string {
  return reason === 'length' ? 'length' : 'stop'
}

function openaiUsage(reply: JsonObject): JsonObject | undefined {
  const usage = reportedUsage(reply)
  if (!usage) return undefined
  const { inputTokens = 0, outputTokens = 0 } = usage
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
}

function sse(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

// ── clients of Ollama, servers of OpenAI ────────────────────────────────────────────────────────

/** For prompts that are no questions: raw ones, and those with a suffix. All others go to chat. */
export const generateToCompletions: Translation = {
  from: 'ollama-generate',
  to: 'openai-completions',
  carried: ['model', 'prompt', 'suffix', 'raw', 'stream', 'options', 'keep_alive'],
  request(body, model) {
    const { suffix, stream } = body
    const options = isJsonObject(body['options']) ? body['options'] : {}
    const isStreamed = stream !== false
    return {
      model,
      prompt: promptIn(body),
      ...present({ suffix }),
      ...present(Object.fromEntries(SETTINGS.map(([openai, ollama]) => [openai, options[ollama]]))),
      stream: isStreamed,
      ...(isStreamed && { stream_options: { include_usage: true } }),
    }
  },
  reply(reply, asked) {
    const [choice] = objectsIn(reply['choices'])
    if (typeof choice?.['text'] !== 'string') throw noReply('a completion')
    return { ...generated(asked, choice['text']), ...ending(choice['finish_reason'], reply) }
  },
  stream: {
    contentType: 'application/x-ndjson',
    framing: 'sse',
    open(asked) {
      let finish: JsonValue | undefined
      let last: JsonObject = {}
      return {
        push(frame) {
          const part = partOf(frame)
          if (!part) return ''
          if ('error' in part) return line({ error: messageIn(part['error']) })
          if (reportedUsage(part)) last = part
          const [choice] = objectsIn(part['choices'])
          finish = choice?.['finish_reason'] ?? finish
          const text = choice?.['text']
          return typeof text === 'string' && text !== '' ? line(generated(asked, text)) : ''
        },
        end: () => line({ ...generated(asked, ''), ...ending(finish, last) }),
      }
    },
  },
}

function partOf({ data }: Frame): JsonObject | undefined {
  return data.trim() === '[DONE]' ? undefined : parseObject(data)
}

function messageIn(error: JsonValue | undefined): JsonValue {
  return (isJsonObject(error) ? error['message'] : error) ?? 'the provider failed'
}

function generated({ model, at }: AskedRelay, text: string): JsonObject {
  return { model, created_at: new Date(at).toISOString(), response: text, done: false }
}

function ending(finish: JsonValue | undefined, reply: JsonObject): JsonObject {
  const { inputTokens, outputTokens } = reportedUsage(reply) ?? {}
  return {
    done: true,
    done_reason: finish === 'length' ? 'length' : 'stop',
    ...present({ prompt_eval_count: inputTokens, eval_count: outputTokens }),
  }
}

function line(data: JsonObject): string {
  return `${JSON.stringify(data)}\n`
}
