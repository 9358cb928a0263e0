/** Tool definitions as somebody types them. */
import { jsonErrorAt } from '../../src/core/json/error-position.ts'
import { isJsonObject, type JsonValue } from '../../src/core/json/value.ts'
import type { Tool } from '../../src/core/model.ts'
import { locator } from '../../src/core/position.ts'
import { normalizeTools } from '../../src/core/schema/tool.ts'

export interface TypedTools {
  /** Undefined: any tool may be called. */
  readonly tools: readonly Tool[] | undefined
  /** Why the text cannot be used. */
  readonly problem?: string
}

/** A list, a record from names to definitions, or `{ "tools": … }`, in any provider's spelling. */
export function readToolsText(text: string): TypedTools {
  if (text.trim() === '') return { tools: undefined }
  const { value, problem } = readJsonText(text)
  if (problem !== undefined) return { tools: undefined, problem }
  const list = isJsonObject(value) && 'tools' in value ? value['tools'] : value
  if (!Array.isArray(list) && !isJsonObject(list)) {
    return {
      tools: undefined,
      problem: 'Expected a list of tools, or a record from names to tools',
    }
  }
  try {
    return { tools: normalizeTools(list) }
  } catch (error) {
    return { tools: undefined, problem: error instanceof Error ? error.message : String(error) }
  }
}

/** The value of a JSON text, or where it stops being JSON. */
export function readJsonText(
  text: string,
): { readonly value: JsonValue; readonly problem?: undefined } | JsonProblem {
  try {
    return { value: JSON.parse(text) as JsonValue } // JSON.parse makes nothing else
  } catch {
    return {
      value: undefined,
      problem: `Not JSON from line ${locator(text)(jsonErrorAt(text))} on`,
    }
  }
}

interface JsonProblem {
  readonly value: undefined
  readonly problem: string
}
