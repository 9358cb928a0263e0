/** What tells a body of Anthropic from those of other dialects. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'

const OWN_BLOCKS: ReadonlySet<JsonValue | undefined> = new Set(
  'tool_use tool_result thinking redacted_thinking document server_tool_use'.split(' '),
)

export function shapeOf(body: JsonObject): 'request' | 'response' | undefined {
  const { content, messages } = body as Record<string, JsonValue | undefined>
  if (Array.isArray(messages)) return isRequest(body) ? 'request' : undefined
  const isReply = body['type'] === 'message' || body['role'] === 'assistant' || 'usage' in body
  return Array.isArray(content) && isReply ? 'response' : undefined
}

/** Something that nobody else has, or something that few have and nothing that Anthropic lacks. */
function isRequest(body: JsonObject): boolean {
  return hasOwnForm(body) || (hasOwnSetting(body) && !hasForeignForm(body))
}

/** A system prompt of its own, tools with an `input_schema`, or blocks that nobody else has. */
function hasOwnForm({ system, tools, messages }: Partial<JsonObject>): boolean {
  const blocks = objectsIn(messages).flatMap(({ content }) => objectsIn(content))
  return (
    typeof system === 'string' ||
    objectsIn(system).some(({ type }) => type === 'text') ||
    objectsIn(tools).some((tool) => isJsonObject(tool['input_schema'])) ||
    blocks.some((block) => OWN_BLOCKS.has(block['type']) || isJsonObject(block['source']))
  )
}

const OWN_FIELDS = [
  ...['stop_sequences', 'top_k', 'output_config', 'output_format', 'container', 'mcp_servers'],
  ...['context_management', 'anthropic_version', 'anthropic_beta'],
] as const

const CHOICES: ReadonlySet<JsonValue | undefined> = new Set(['auto', 'any', 'tool', 'none'])

/** Each of these another dialect may have as well. */
function hasOwnSetting(body: JsonObject): boolean {
  const { thinking, metadata, tool_choice: choice } = body as Partial<JsonObject>
  return (
    OWN_FIELDS.some((field) => field in body) ||
    body['service_tier'] === 'standard_only' ||
    (isJsonObject(thinking) && isThinking(thinking)) ||
    (isJsonObject(metadata) && Object.keys(metadata).join() === 'user_id') ||
    (isJsonObject(choice) && CHOICES.has(choice['type']))
  )
}

/** Services of OpenAI's dialect have `enabled` without a budget; Cohere has another name for it. */
function isThinking({ type, budget_tokens: budget }: JsonObject): boolean {
  return type === 'adaptive' || type === 'disabled' || typeof budget === 'number'
}

const FOREIGN_FIELDS = [
  ...['seed', 'random_seed', 'presence_penalty', 'frequency_penalty', 'repetition_penalty', 'n'],
  ...['stop', 'min_p', 'p', 'k', 'max_completion_tokens', 'reasoning_effort', 'reasoning'],
  ...[
    'response_format',
    'stream_options',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'user',
    'store',
  ],
  ...['verbosity', 'parallel_tool_calls', 'functions', 'function_call', 'chat_template_kwargs'],
  ...['enable_thinking', 'strict_tools', 'documents', 'safety_mode', 'options', 'think', 'format'],
] as const

const FOREIGN_ROLES: ReadonlySet<JsonValue | undefined> = new Set(['tool', 'function', 'developer'])

function hasForeignForm(body: JsonObject): boolean {
  const messages = objectsIn(body['messages'])
  return (
    FOREIGN_FIELDS.some((field) => field in body) ||
    messages[0]?.['role'] === 'system' ||
    messages.some((message) => FOREIGN_ROLES.has(message['role']) || 'tool_calls' in message) ||
    objectsIn(body['tools']).some((tool) => 'function' in tool)
  )
}
