/** What callers without types pass to a client, refused before anything is sent. */
import { checkList, checkObject, refused } from '../core/caller-input.ts'
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import { InvalidInputError } from '../core/errors.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { Message } from '../core/model.ts'
import { READING_KEYS } from '../reading-options.ts'
import type { ClientRequest, RequestOptions } from './chat-client.ts'

const KEYS: OptionKeys<ClientRequest> = {
  messages: 0,
  tools: 0,
  toolChoice: 0,
  parallelToolCalls: 0,
  model: 0,
  maxTokens: 0,
  temperature: 0,
  topP: 0,
  topK: 0,
  minP: 0,
  seed: 0,
  presencePenalty: 0,
  frequencyPenalty: 0,
  repetitionPenalty: 0,
  n: 0,
  reasoning: 0,
  verbosity: 0,
  store: 0,
  user: 0,
  metadata: 0,
  serviceTier: 0,
  stop: 0,
  responseFormat: 0,
  cache: 0,
  extra: 0,
}

const OPTION_KEYS: OptionKeys<RequestOptions> = {
  ...READING_KEYS,
  signal: 0,
  retries: 0,
  fetch: 0,
  rescue: 0,
  textFallback: 0,
}

const EXAMPLE = "{ messages: [{ role: 'user', content: 'Hello' }] }"
const ROLES = ['system', 'user', 'assistant', 'tool']
const TOOL_CHOICES = ['auto', 'none', 'required']

/**
 * The request, with the messages that have no content as ones with an empty one.
 *
 * @throws InvalidInputError
 */
export function checkRequest(request: ClientRequest, options: RequestOptions): ClientRequest {
  checkObject('a request', request, EXAMPLE)
  if ('prompt' in request) {
    throw new InvalidInputError(`a request has no "prompt"; write ${EXAMPLE}`)
  }
  // Our own requests may say that they are streamed; the method that is called decides.
  const { stream: _, ...own }: ClientRequest & { readonly stream?: unknown } = request
  checkKeys('a request', own, KEYS, EXAMPLE)
  checkKeys('the second argument', options, OPTION_KEYS, '{ signal }')
  checkList('messages', request.messages, `a list, as in ${EXAMPLE}`)
  if (request.tools != null) checkToolsShape(request.tools)
  checkToolChoice(request.toolChoice)
  const messages = request.messages.map(readMessage)
  const isSame = messages.every((message, at) => message === request.messages[at])
  return isSame ? request : { ...request, messages }
}

function readMessage(message: Message, at: number): Message {
  checkObject(`messages[${at}]`, message, "a message, as in { role: 'user', content: 'Hello' }")
  const { role, content }: { readonly role: string; readonly content?: unknown } = message
  if (!ROLES.includes(role)) throw refused(`messages[${at}].role`, role, ROLES.join(', '))
  // What JSON and other APIs have for a message of nothing but calls.
  if (content === null || content === undefined) return { ...message, content: '' }
  if (typeof content === 'string') return message
  if (Array.isArray(content)) {
    for (const [index, part] of content.entries()) {
      checkObject(`messages[${at}].content[${index}]`, part, "a part, as in { type: 'text', text }")
    }
    return message
  }
  throw refused(`messages[${at}].content`, content, 'text or a list of parts')
}

/** The definitions themselves are read, in any spelling, by whoever sends them. */
function checkToolsShape(tools: unknown): void {
  if (!Array.isArray(tools) && !isJsonObject(tools)) {
    throw refused('tools', tools, 'a list of definitions, as tool() makes them')
  }
}

function checkToolChoice(choice: unknown): void {
  if (choice == null || TOOL_CHOICES.includes(String(choice))) return
  if (isJsonObject(choice) && ('name' in choice || 'names' in choice)) return
  throw refused('toolChoice', choice, `${TOOL_CHOICES.join(', ')}, { name } or { names }`)
}
