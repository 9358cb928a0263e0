/** What a request says about the reply that is to come: its dialect, and the tools it may call. */
import type { ChatRequest } from '../../core/chat.ts'
import type { HistoryRules } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Tool } from '../../core/model.ts'
import { remembering } from '../../core/remember.ts'
import { rememberingJson } from '../remembering-json.ts'
import { sharedTools } from '../shared-tools.ts'
import { anthropicWire } from './anthropic.ts'
import { geminiWire } from './gemini.ts'
import { ollamaWire } from './ollama.ts'
import { mistralWire, openaiChatWire } from './openai-chat.ts'
import { openaiResponsesWire } from './openai-responses.ts'
import type { Wire } from './wire.ts'

export interface Exchange {
  readonly wire: Wire
  readonly model: string
  readonly tools: readonly Tool[]
  /** The conversation so far, as it came. */
  readonly history: unknown
  /** The instructions, where they are not a part of it. */
  readonly system: unknown
  /** The reply is to be JSON, so JSON in it is no call. */
  readonly wantsJson: boolean
}

/** The more special address comes first. */
const WIRES: readonly Wire[] = [
  mistralWire,
  openaiChatWire,
  openaiResponsesWire,
  anthropicWire,
  ollamaWire,
  geminiWire,
]

/** Undefined when it is no request for a reply with tools in a dialect that is known. */
export async function readExchange(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<Exchange | undefined> {
  const path = pathOf(input)
  const wire = WIRES.find((one) => one.path.test(path))
  if (!wire) return undefined
  const text = await bodyText(input, init).catch(() => undefined)
  // Most requests without tools need not be read to see that they have none.
  return text?.includes('"tools"') ? exchangeOf(wire, parseStrict(text), path) : undefined
}

function pathOf(input: string | URL | Request): string {
  const url = input instanceof URL ? input.href : typeof input === 'string' ? input : input.url
  return url.replace(/[?#].*/s, '').replace(/\/+$/, '')
}

/** The body as text, without using it up. */
async function bodyText(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<string | undefined> {
  const body = init?.body
  if (typeof body === 'string') return body
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return new TextDecoder().decode(body)
  const isRequest = typeof input === 'object' && 'clone' in input
  return isRequest && body == null && input.body ? input.clone().text() : undefined
}

/** The wire of a dialect, if its replies can be mended. */
export function wireOf(dialect: string): Wire | undefined {
  return WIRES.find((wire) => wire.dialect.id === dialect)
}

/** The same for a body that was read; `path` has the model where the body does not. */
export function exchangeOf(wire: Wire, body: unknown, path: string): Exchange | undefined {
  // Where functions are declared in the old way, calls would have to be told in the old way.
  const definitions = isJsonObject(body) ? definitionsIn(body, wire) : []
  if (!isJsonObject(body) || definitions.length === 0) return undefined
  const terms = termsOf(wire)(withoutHistory(body, wire.dialect.rules))
  const listed = terms ? listedTools(wire)(definitions) : []
  const tools = terms?.others.length ? sharedTools([...listed, ...terms.others]) : listed
  if (!terms || tools.length === 0) return undefined
  const { field, systemField } = wire.dialect.rules
  return {
    wire,
    tools,
    model: terms.model || modelIn(path),
    history: body[field],
    system: systemField && body[systemField],
    wantsJson: terms.wantsJson,
  }
}

/** The definitions of the tools, wherever they stand. */
function definitionsIn(body: JsonObject, { dialect }: Wire): JsonValue[] {
  const { tools } = body
  if (dialect.toolsIn) return [...dialect.toolsIn(body)]
  return Array.isArray(tools) ? tools : []
}

// Clients say the same about their replies each time, and mostly offer the same tools.

const listedTools = remembering((wire: Wire) =>
  rememberingJson(
    (tools) => {
      const request = requestOf(wire, { [wire.dialect.rules.field]: [], tools })
      return sharedTools(request?.tools ?? [])
    },
    { maxEntries: 32, maxLength: 1024 * 1024 },
  ),
)

/** What a request says about its reply, besides the conversation and the list of tools. */
interface Terms {
  readonly model: string
  /** Tools that stand elsewhere. */
  readonly others: readonly Tool[]
  readonly wantsJson: boolean
}

const termsOf = remembering((wire: Wire) =>
  rememberingJson(
    (body): Terms | undefined => {
      const request = requestOf(wire, body)
      if (!request || request.toolChoice === 'none') return undefined
      const { model, tools: others = [], responseFormat } = request
      const wantsJson = responseFormat !== undefined && responseFormat.type !== 'text'
      return { model, others, wantsJson }
    },
    { maxEntries: 8, maxLength: 64 * 1024 },
  ),
)

/** The same request about nothing: it is one of its dialect if the whole is. */
function withoutHistory(body: JsonObject, { field, systemField }: HistoryRules): JsonObject {
  const history = body[field] ?? null
  const nothing = typeof history === 'string' ? '' : Array.isArray(history) ? [] : history
  const request = { ...body, tools: [], [field]: nothing }
  return systemField ? { ...request, [systemField]: null } : request
}

function requestOf({ dialect }: Wire, body: unknown): ChatRequest | undefined {
  try {
    return dialect.decodeRequest(body)
  } catch {
    // Not a request of this dialect: the server will say so.
    return undefined
  }
}

/** `/v1beta/models/gemini-3-flash:generateContent` */
function modelIn(path: string): string {
  return /\/models\/([^/:]+)/.exec(path)?.[1] ?? ''
}
