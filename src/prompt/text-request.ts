/** A request for a model without tools: everything about tools is said in words. */
import type { ChatRequest, ResponseFormat } from '../core/chat.ts'
import type { Issue } from '../core/issue.ts'
import type { Tool } from '../core/model.ts'
import type { Protocol } from '../core/protocol.ts'
import { normalizeTools } from '../core/schema/tool.ts'
import { augmentSystemPrompt, fittedInstructions } from './augment.ts'
import { toolListRoom } from './fitted-list.ts'
import { renderHistory } from './history.ts'
import { addToSystem, allowedTools, describeChoice, describeLimit } from './tool-choice.ts'

export interface TextRequestOptions {
  readonly protocol: Protocol
  /** One line a tool instead of its whole schema; `auto` goes as far in that direction as it must. */
  readonly compact?: boolean | 'auto' | undefined
  /** How many characters the list of tools may take with `auto`. Default: what fits most models. */
  readonly toolListChars?: number | undefined
  readonly report?: ((issue: Issue) => void) | undefined
}

/**
 * The same request without fields for tools: they are described in the system prompt, and calls and
 * results of the history are text, in the format that the model shall write.
 */
export function writeTextRequest(request: ChatRequest, options: TextRequestOptions): ChatRequest {
  const { tools = [], toolChoice, parallelToolCalls: _, ...others } = request
  const { protocol } = options
  const messages = renderHistory(request.messages, protocol)
  const allowed = allowedTools(tools, toolChoice)
  if (tools.length === 0) return { ...others, messages }
  // A model that is held to JSON could not write a call.
  const { responseFormat, ...free } = others
  const rest = allowed.length > 0 ? free : others
  const sentences = [
    describeChoice(toolChoice),
    describeLimit(request),
    allowed.length > 0 ? describeFormat(responseFormat) : undefined,
  ]
  const words = sentences.filter((sentence) => sentence !== undefined)
  const written = addToSystem(messages, (system) => {
    const listed = allowed.length > 0 ? [withTools(system, allowed, options)] : [system ?? '']
    return [...listed, ...words].filter((part) => part.trim() !== '').join('\n')
  })
  return { ...rest, messages: written }
}

function withTools(
  system: string | undefined,
  tools: readonly Tool[],
  options: TextRequestOptions,
): string {
  const { protocol, compact = 'auto', toolListChars = toolListRoom(), report } = options
  if (compact !== 'auto') return augmentSystemPrompt(system, tools, { protocol, compact })
  const { text, loss } = fittedInstructions(protocol, normalizeTools(tools), toolListChars)
  if (loss !== undefined) report?.(tooLong(loss, toolListChars))
  return system?.trim() ? `${system}\n\n${text}` : text
}

function tooLong(loss: string, room: number): Issue {
  const message = `\`tools\` in the prompt may take ${room} characters (\`toolListChars\`): ${loss}`
  return { code: 'not-expressible', message }
}

function describeFormat(format: ResponseFormat | undefined): string | undefined {
  if (format === undefined || format.type === 'text') return undefined
  const what = 'When you call no tool, your whole answer must be one JSON value'
  if (format.type === 'json') return `${what}.`
  return `${what} that fits this JSON Schema: ${JSON.stringify(format.schema)}`
}
