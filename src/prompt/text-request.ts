/** A request for a model without tools: everything about tools is said in words. */
import type { ChatRequest, ResponseFormat } from '../core/chat.ts'
import type { Protocol } from '../core/protocol.ts'
import { augmentSystemPrompt } from './augment.ts'
import { renderHistory } from './history.ts'
import { addToSystem, allowedTools, describeChoice, describeLimit } from './tool-choice.ts'

export interface TextRequestOptions {
  readonly protocol: Protocol
  /** One line a tool instead of its whole schema; `auto` does so when the schemas are long. */
  readonly compact?: boolean | 'auto' | undefined
}

/**
 * The same request without fields for tools: they are described in the system prompt, and calls and
 * results of the history are text, in the format that the model shall write.
 */
export function writeTextRequest(request: ChatRequest, options: TextRequestOptions): ChatRequest {
  const { tools = [], toolChoice, parallelToolCalls: _, ...others } = request
  const { protocol, compact = 'auto' } = options
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
    const listed =
      allowed.length > 0
        ? [augmentSystemPrompt(system, allowed, { protocol, compact })]
        : [system ?? '']
    return [...listed, ...words].filter((part) => part.trim() !== '').join('\n')
  })
  return { ...rest, messages: written }
}

function describeFormat(format: ResponseFormat | undefined): string | undefined {
  if (format === undefined || format.type === 'text') return undefined
  const what = 'When you call no tool, your whole answer must be one JSON value'
  if (format.type === 'json') return `${what}.`
  return `${what} that fits this JSON Schema: ${JSON.stringify(format.schema)}`
}
