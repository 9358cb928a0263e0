/**
 * Tools that Anthropic runs itself, in its requests and replies:
 *
 *     {"type": "web_search_20250305", "name": "web_search", "max_uses": 5}
 *     {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "Oslo tide"}}
 *     {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
 *      {"type": "web_search_result", "title": "…", "url": "…", "encrypted_content": "…"}]}
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
 */
import type { ChatRequest, Extra } from '../../core/chat.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message, ToolCall, ToolResult } from '../../core/model.ts'
import { normalizeTool } from '../../core/schema/tool.ts'
import { assistantBlocks } from '../../dialects/anthropic/assistant.ts'
import {
  definitionsText,
  isDeferred,
  referencesIn,
  type ToolLookup,
} from '../../dialects/anthropic/tool-search.ts'
import { decodeBase64 } from '../../dialects/base64.ts'
import { objectsIn } from '../../dialects/history-call.ts'
import { keptBlocks } from '../../dialects/kept-content.ts'
import { decodeUtf8 } from '../../dialects/utf8.ts'
import { resultsText } from '../hosted/answer-text.ts'
import type {
  HostedAnswer,
  HostedForm,
  HostedRound,
  HostedRun,
  HostedWish,
  SearchResult,
} from '../hosted/hosted-tool.ts'

const DIALECT = 'anthropic'

export const anthropicHosted: HostedForm = {
  wishes: ({ tools }) => objectsIn(tools).flatMap(wishIn),
  hasCalls: ({ messages }) =>
    objectsIn(messages).some(({ content }) => objectsIn(content).some(isHostedCall)),
  heldTools: ({ extra }) => heldIn(extra).map((tool) => normalizeTool(tool)),
  lower,
  callExtra: (call) => own({ block: callBlock(call) }),
  resultExtra: (run) => own({ block: resultBlock(run) }),
  reply: (rounds) => own({ content: rounds.flatMap(roundBlocks) }),
  usage: (searches) => own({ usage: { server_tool_use: { web_search_requests: searches } } }),
}

function own(fields: JsonObject): Extra {
  return { [DIALECT]: fields }
}

// ── requests ────────────────────────────────────────────────────────────────────────────────────

function wishIn(tool: JsonObject): HostedWish[] {
  const { type, name, max_uses: maxUses } = tool as Record<string, JsonValue | undefined>
  if (typeof type !== 'string' || typeof name !== 'string') return []
  if (/^web_search_\d{8}$/.test(type)) {
    return [
      {
        feature: 'web-search',
        name,
        ...(typeof maxUses === 'number' && { maxUses }),
        allowed: textsIn(tool['allowed_domains']),
        blocked: textsIn(tool['blocked_domains']),
      },
    ]
  }
  const [, variant] = /^tool_search_tool_(regex|bm25)(?:_\d{8})?$/.exec(type) ?? []
  if (variant === undefined) return []
  return [{ feature: 'tool-search', name, by: variant === 'regex' ? 'pattern' : 'words' }]
}

function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function heldIn(extra: Extra = {}): JsonObject[] {
  const tools = objectsIn(extra[DIALECT]?.['tools'])
  return tools.filter((tool) => isDeferred(tool) && isJsonObject(tool['input_schema']))
}

/** The request as a model can read it that knows nothing but functions. */
function lower(request: ChatRequest): ChatRequest {
  const { extra = {}, tools = [] } = request
  const { tools: details, ...fields } = extra[DIALECT] ?? {}
  const plain = objectsIn(details).filter((tool) => wishIn(tool).length === 0)
  const ours = { ...fields, ...(plain.length > 0 && { tools: plain }) }
  const lookup: ToolLookup = (name) => tools.find((tool) => tool.name === name)
  return {
    ...request,
    extra: { ...extra, [DIALECT]: ours },
    messages: request.messages.flatMap((message) => lowerTurn(message, lookup)),
  }
}

function isHostedCall({ type }: JsonObject): boolean {
  return type === 'server_tool_use'
}

/** Results of such calls are part of the model's own turn; those of functions are a turn of their own. */
function lowerTurn(message: Message, lookup: ToolLookup): Message[] {
  const blocks = keptBlocks(DIALECT, message)
  if (message.role !== 'assistant' || !blocks.some(isHostedCall)) return [message]
  const turns: Message[] = []
  let said: JsonObject[] = []
  let results: ToolResult[] = []
  const close = (): void => {
    if (results.length === 0) return
    // The client answers its own calls after this turn.
    const later = said.filter(({ type }) => type === 'tool_use')
    const now = said.filter(({ type }) => type !== 'tool_use')
    turns.push(assistantBlocks.decode(now.map(asFunctionCall)))
    turns.push({ role: 'tool', content: '', toolResults: results })
    said = later
    results = []
  }
  for (const block of blocks) {
    const result = readResult(block, blocks, lookup)
    if (result) {
      results.push(result)
      continue
    }
    close()
    said.push(block)
  }
  close()
  if (said.length > 0) turns.push(assistantBlocks.decode(said.map(asFunctionCall)))
  return turns
}

function asFunctionCall(block: JsonObject): JsonObject {
  return isHostedCall(block) ? { ...block, type: 'tool_use' } : block
}

function readResult(
  { type, tool_use_id: id, content }: Partial<JsonObject>,
  blocks: readonly JsonObject[],
  lookup: ToolLookup,
): ToolResult | undefined {
  if (typeof id !== 'string' || !String(type).endsWith('_tool_result')) return undefined
  const call = blocks.find((block) => isHostedCall(block) && block['id'] === id)
  const error = isJsonObject(content) ? content['error_code'] : undefined
  if (error !== undefined)
    return { callId: id, content: `The tool failed (${String(error)}).`, isError: true }
  return { callId: id, content: resultText(content, call, lookup) }
}

function resultText(
  content: JsonValue | undefined,
  call: JsonObject | undefined,
  lookup: ToolLookup,
): string {
  const names = referencesIn(content)
  if (names.length > 0) return definitionsText(names, lookup)
  const results = objectsIn(content).flatMap(readSearchResult)
  const input = call?.['input']
  const query = isJsonObject(input) ? input['query'] : ''
  return results.length > 0 || Array.isArray(content)
    ? resultsText(String(query ?? ''), results)
    : JSON.stringify(content ?? null)
}

function readSearchResult(block: JsonObject): SearchResult[] {
  const {
    type,
    title,
    url,
    encrypted_content: sealed,
    page_age: date,
  } = block as Record<string, JsonValue | undefined>
  if (type !== 'web_search_result' || typeof url !== 'string') return []
  return [
    {
      url,
      title: typeof title === 'string' ? title : url,
      text: typeof sealed === 'string' ? unsealed(sealed) : '',
      ...(typeof date === 'string' && { date }),
    },
  ]
}

// ── replies ─────────────────────────────────────────────────────────────────────────────────────

function roundBlocks({ text, reasoning, runs, calls }: HostedRound): JsonObject[] {
  const said: Message = {
    role: 'assistant',
    content: text,
    ...(reasoning !== '' && { reasoning }),
  }
  return [
    ...assistantBlocks.encodeReply(said),
    ...runs.map(({ call }) => callBlock(call)),
    ...assistantBlocks.encodeReply({ role: 'assistant', content: '', toolCalls: calls }),
    ...runs.map(resultBlock),
  ]
}

function callBlock({ id, name, arguments: input }: ToolCall): JsonObject {
  return { type: 'server_tool_use', id: hostedId(id), name, input }
}

/** Such calls have ids of their own kind. */
function hostedId(id: string): string {
  return `srvtoolu_${id.replace(/^(?:toolu_|call_)/, '').replace(/[^\w-]/g, '_')}`
}

function resultBlock({ call, wish, answer }: HostedRun): JsonObject {
  const isWeb = wish.feature === 'web-search'
  const type = isWeb ? 'web_search_tool_result' : 'tool_search_tool_result'
  return { type, tool_use_id: hostedId(call.id), content: contentOf(answer, type) }
}

function contentOf(answer: HostedAnswer, type: string): JsonValue {
  if ('error' in answer) return { type: `${type}_error`, error_code: errorCode(answer.error, type) }
  if ('results' in answer) return answer.results.map(searchResult)
  return {
    type: 'tool_search_tool_search_result',
    tool_references: answer.found.map(({ name }) => ({ type: 'tool_reference', tool_name: name })),
  }
}

/** The two tools have different codes for the same. */
function errorCode(error: string, type: string): string {
  if (type === 'web_search_tool_result')
    return error === 'invalid_input' ? 'invalid_tool_input' : error
  return error === 'query_too_long' ? 'pattern_too_long' : 'invalid_pattern'
}

/** What clients give back unread, and the next turn needs, is where Anthropic has the same. */
function searchResult({ title, url, text, date }: SearchResult): JsonObject {
  return {
    type: 'web_search_result',
    title,
    url,
    encrypted_content: sealed(text),
    page_age: date ?? null,
  }
}

function sealed(text: string): string {
  const json = JSON.stringify({ text })
  return btoa(json.replace(/[\u0080-\uffff]/g, escaped))
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Empty for what another service has written. */
function unsealed(content: string): string {
  const value = parseStrict(decodeUtf8(decodeBase64(content)) ?? '')
  const text = isJsonObject(value) ? value['text'] : undefined
  return typeof text === 'string' ? text : ''
}
