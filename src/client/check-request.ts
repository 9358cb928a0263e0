/** What callers without types pass to a client, refused before anything is sent. */
import { checkObject, refused } from '../core/caller-input.ts'
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import { InvalidInputError } from '../core/errors.ts'
import { isJsonObject } from '../core/json/value.ts'
import { READING_KEYS } from '../reading-options.ts'
import type { ClientRequest, RequestOptions } from './chat-client.ts'
import { checkMessages, REQUEST_EXAMPLE } from './check-messages.ts'

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
  onFitted: 0,
}

const NUMBERS = [
  'maxTokens',
  'temperature',
  'topP',
  'topK',
  'minP',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'repetitionPenalty',
  'n',
] as const satisfies readonly (keyof ClientRequest)[]

const TOOL_CHOICES = ['auto', 'none', 'required']

/**
 * The request, with the messages that have no content as ones with an empty one.
 *
 * @throws InvalidInputError
 */
export function checkRequest(request: ClientRequest, options: RequestOptions): ClientRequest {
  checkObject('a request', request, REQUEST_EXAMPLE)
  if ('prompt' in request) {
    throw new InvalidInputError(`a request has no "prompt"; write ${REQUEST_EXAMPLE}`)
  }
  // Our own requests may say that they are streamed; the method that is called decides.
  const { stream: _, ...own }: ClientRequest & { readonly stream?: unknown } = request
  checkKeys('a request', own, KEYS, REQUEST_EXAMPLE)
  checkKeys('the second argument', options, OPTION_KEYS, '{ signal }')
  if (request.tools != null) checkToolsShape(request.tools)
  checkToolChoice(request.toolChoice)
  for (const key of NUMBERS) checkNumber(key, request[key])
  const messages = checkMessages(request.messages)
  const isSame = messages.every((message, at) => message === request.messages[at])
  return isSame ? request : { ...request, messages }
}

/** The definitions themselves are read, in any spelling, by whoever sends them. */
function checkToolsShape(tools: unknown): void {
  if (!Array.isArray(tools) && !isJsonObject(tools)) {
    throw refused('tools', tools, 'a list of definitions, as tool() makes them')
  }
}

function checkNumber(name: string, value: unknown): void {
  if (value == null || (typeof value === 'number' && Number.isFinite(value))) return
  throw refused(name, value, 'a number')
}

function checkToolChoice(choice: unknown): void {
  if (choice == null || TOOL_CHOICES.includes(String(choice))) return
  if (isJsonObject(choice) && ('name' in choice || 'names' in choice)) return
  throw refused('toolChoice', choice, `${TOOL_CHOICES.join(', ')}, { name } or { names }`)
}
