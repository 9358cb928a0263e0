/** Dialects by name, and the functions that take one by name. */

import { refused } from '../core/caller-input.ts'
import type {
  ChatResponse,
  DecodeResponseOptions,
  Dialect,
  FormatAssistantOptions,
  FormatWireToolsOptions,
  ParseToolCallsOptions,
  ToolChoice,
  WireToolCall,
} from '../core/dialect.ts'
import { InvalidInputError } from '../core/errors.ts'
import type { JsonObject } from '../core/json/value.ts'
import { normalizeTools } from '../core/schema/tool.ts'
import * as dialects from './index.ts'
import { readToolResult, type ToolResultInput } from './tool-result.ts'

export type DialectId = (typeof dialects)[keyof typeof dialects]['id']

/** The name or alias of a dialect, or a dialect of the caller's own. */
export type DialectLike = DialectId | Dialect | (string & {})

/**
 * By id, because bundlers list the members of a module in orders of their own. Where several dialects
 * fit, the order decides, and `openai-chat`, which most others resemble, is behind those.
 */
export const allDialects: readonly Dialect[] = Object.values<Dialect>(dialects).sort((a, b) =>
  a.id < b.id ? -1 : 1,
)
const BY_NAME: ReadonlyMap<string, Dialect> = new Map(
  allDialects.flatMap((dialect) =>
    [dialect.id, ...dialect.aliases].map((name) => [name, dialect] as const),
  ),
)

/** The dialect with this id or alias. */
export function findDialect(name: string): Dialect | undefined {
  return BY_NAME.get(name)
}

/**
 * The dialect with this id or alias.
 *
 * @throws InvalidInputError when there is none.
 */
export function getDialect(dialect: DialectLike): Dialect {
  const found = typeof dialect === 'string' ? findDialect(dialect) : dialect
  // Callers without types pass anything.
  if (typeof found?.encodeRequest === 'function') return found
  const known = [...BY_NAME.keys()].join(', ')
  throw new InvalidInputError(`unknown dialect ${JSON.stringify(dialect)}; use one of ${known}`)
}

/**
 * Tool definitions, in any known spelling, the way a provider wants them: a list, or a record by name.
 * Definitions that are in that form already are returned as they are.
 */
export function formatTools(
  tools: readonly unknown[] | Readonly<Record<string, unknown>>,
  dialect: DialectLike,
  options?: FormatWireToolsOptions,
): JsonObject[] {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : normalizeTools(tools)
  return getDialect(dialect).formatTools(list, options)
}

/** The fields of a request that say whether and which tools may be called. */
export function formatToolChoice(choice: ToolChoice, dialect: DialectLike): JsonObject {
  return getDialect(dialect).formatToolChoice(choice)
}

/** The calls of a provider's response, arguments as JSON text. */
export function parseToolCalls(
  response: unknown,
  dialect: DialectLike,
  options?: ParseToolCallsOptions,
): WireToolCall[] {
  return getDialect(dialect).parseToolCalls(response, options)
}

/** A tool's result as a message. */
export function formatToolResult(result: ToolResultInput, dialect: DialectLike): JsonObject {
  return getDialect(dialect).formatToolResult(readToolResult(result))
}

/** All results of a turn, in the order of the calls, as the messages the provider wants. */
export function formatToolResults(
  results: readonly ToolResultInput[],
  dialect: DialectLike,
): JsonObject[] {
  if (!Array.isArray(results)) throw refused('results', results, 'a list of tool results')
  return getDialect(dialect).formatToolResults(results.map(readToolResult))
}

/** The assistant message that goes back into the conversation, before the results. */
export function formatAssistantMessage(
  response: unknown,
  dialect: DialectLike,
  options?: FormatAssistantOptions,
): JsonObject {
  return getDialect(dialect).formatAssistantMessage(response, options)
}

/** A provider's whole response in the neutral model. */
export function decodeResponse(
  body: unknown,
  dialect: DialectLike,
  options?: DecodeResponseOptions,
): ChatResponse {
  return getDialect(dialect).decodeResponse(body, options)
}
