/** Choices of tools that a service has no field for, said in another way. */
import type { ChatRequest, ToolChoice } from '../core/chat.ts'
import type { Quirks } from '../core/dialect.ts'
import { addToSystem, allowedTools, describeChoice } from '../prompt/tool-choice.ts'
import type { ClientRequest } from './chat-client.ts'
import { bringsTools } from './client-request.ts'

/** Whether a request has tools that the model may call. */
export function needsTools(request: Pick<ClientRequest, 'tools' | 'toolChoice'>): boolean {
  return bringsTools(request) && request.toolChoice !== 'none'
}

/**
 * The request with a choice that the service takes. Where it has none, tools that may not be called are
 * left out, and that one must be called is said in the system prompt.
 */
export function fitChoice(request: ChatRequest, quirks: Quirks = {}): ChatRequest {
  const { toolChoice, tools = [], ...rest } = request
  if (toolChoice === undefined || tools.length === 0) return request
  if (!quirks.toolChoices || quirks.toolChoices.includes(kindOf(toolChoice))) return request
  const allowed = allowedTools(tools, toolChoice)
  const words = toolChoice === 'none' ? undefined : describeChoice(toolChoice)
  return {
    ...rest,
    ...(allowed.length > 0 && { tools: allowed }),
    ...(words !== undefined && {
      messages: addToSystem(request.messages, (system) =>
        system?.trim() ? `${system}\n\n${words}` : words,
      ),
    }),
  }
}

function kindOf(choice: ToolChoice): 'auto' | 'none' | 'required' | 'named' {
  return typeof choice === 'string' ? choice : 'named'
}
