/** What the API of a provider wants and sends, by the name of the provider or of its dialect. */
import { refused } from './core/caller-input.ts'
import type {
  ChatResponse,
  DecodeResponseOptions,
  FormatAssistantOptions,
  FormatWireToolsOptions,
  ParseToolCallsOptions,
  ToolChoice,
  WireToolCall,
} from './core/dialect.ts'
import { InvalidInputError } from './core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './core/json/value.ts'
import { normalizeTools } from './core/schema/tool.ts'
import type { HealOptions } from './dialects/heal.ts'
import { readToolResult, type ToolResultInput } from './dialects/tool-result.ts'
import * as histories from './dialects/transcode.ts'
import { type DialectName, spokenDialect } from './providers/spoken-dialect.ts'

/**
 * Tool definitions, in any known spelling, the way a provider wants them: a list, or a record by name.
 * Definitions that are in that form already are returned as they are.
 */
export function formatTools(
  tools: readonly unknown[] | Readonly<Record<string, unknown>>,
  dialect: DialectName,
  options?: FormatWireToolsOptions,
): JsonObject[] {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : normalizeTools(tools)
  return spokenDialect(dialect).formatTools(list, options)
}

/** The fields of a request that say whether and which tools may be called. */
export function formatToolChoice(choice: ToolChoice, dialect: DialectName): JsonObject {
  return spokenDialect(dialect).formatToolChoice(choice)
}

/** The calls of a provider's response, arguments as JSON text. */
export function parseToolCalls(
  response: unknown,
  dialect: DialectName,
  options?: ParseToolCallsOptions,
): WireToolCall[] {
  return spokenDialect(dialect).parseToolCalls(response, options)
}

/** A tool's result as a message. */
export function formatToolResult(result: ToolResultInput, dialect: DialectName): JsonObject {
  checkResult(result)
  return spokenDialect(dialect).formatToolResult(readToolResult(result))
}

/** The three functions of this kind in other systems take the id, the name and the content one by one. */
function checkResult(result: unknown): void {
  if (isJsonObject(result)) return
  throw new InvalidInputError(
    `formatToolResult takes the result as an object, not ${typeof result}: ` +
      "formatToolResult({ id, name, content }, 'openai')",
  )
}

/** All results of a turn, in the order of the calls, as the messages the provider wants. */
export function formatToolResults(
  results: readonly ToolResultInput[],
  dialect: DialectName,
): JsonObject[] {
  if (!Array.isArray(results)) throw refused('results', results, 'a list of tool results')
  return spokenDialect(dialect).formatToolResults(results.map(readToolResult))
}

/** The assistant message that goes back into the conversation, before the results. */
export function formatAssistantMessage(
  response: unknown,
  dialect: DialectName,
  options?: FormatAssistantOptions,
): JsonObject {
  return spokenDialect(dialect).formatAssistantMessage(response, options)
}

/** A provider's whole response in the neutral model. */
export function decodeResponse(
  body: unknown,
  dialect: DialectName,
  options?: DecodeResponseOptions,
): ChatResponse {
  return spokenDialect(dialect).decodeResponse(body, options)
}

export interface TranscodeOptions extends HealOptions {
  /** The dialect it is written in; told by its shape when left out. */
  readonly from?: DialectName
  readonly to: DialectName
}

/**
 * The same in another dialect. A request or reply comes back as one. A list of messages comes back as a
 * list, or, where the dialect keeps the system prompt elsewhere, as the fields of a request.
 *
 * Histories are healed on the way, and names that the other dialect does not allow are changed; what is
 * lost or changed is reported to `report`.
 */
export function transcode(conversation: unknown, options: TranscodeOptions): JsonValue {
  if (!isJsonObject(options)) throw refused('options', options, "{ to: 'anthropic' }")
  const { from, to }: Partial<TranscodeOptions> = options
  const spoken = { ...options, ...(from !== undefined && { from: spokenDialect(from) }) }
  // What is missing or misspelled is refused where the options are known.
  return histories.transcode(
    conversation,
    to === undefined ? spoken : { ...spoken, to: spokenDialect(to) },
  )
}

/**
 * A conversation that the dialect's servers accept: each call answered once and in its place, ids and
 * turns as the dialect wants them. Takes messages of that dialect or of the neutral model and returns
 * the same kind. Healing what is healed changes nothing.
 */
export function heal<T extends object>(
  messages: readonly T[],
  dialect: DialectName,
  options?: HealOptions,
): T[] {
  return histories.heal(messages, spokenDialect(dialect), options)
}
