/** In words, what a request says about tools where there is no field for it. */
import type { ChatRequest, ToolChoice } from '../core/chat.ts'
import type { Message, Tool } from '../core/model.ts'

/** The tools that may be called under a choice. */
export function allowedTools(
  tools: readonly Tool[],
  choice: ToolChoice | undefined,
): readonly Tool[] {
  if (choice === 'none') return []
  if (typeof choice !== 'object') return tools
  const names = 'name' in choice ? [choice.name] : choice.names
  return tools.filter(({ name }) => names.includes(name))
}

/** What the model is told about the choice; undefined when it is free. */
export function describeChoice(choice: ToolChoice | undefined): string | undefined {
  if (choice === 'required') return MUST_CALL
  if (choice === 'none') return 'Do not call any tool now. Answer in plain text.'
  if (typeof choice !== 'object') return undefined
  if ('name' in choice) {
    return `You must call the tool ${choice.name} in your next answer. Do not answer in plain text.`
  }
  return choice.required ? MUST_CALL : undefined
}

const MUST_CALL =
  'You must call at least one tool in your next answer. Do not answer in plain text.'

/** What the model is told when it may call one tool at a time. */
export function describeLimit({ parallelToolCalls }: ChatRequest): string | undefined {
  return parallelToolCalls === false ? 'Call at most one tool in an answer.' : undefined
}

/** The conversation with words at the end of its system prompt, or with them as its system prompt. */
export function addToSystem(
  messages: readonly Message[],
  add: (system: string | undefined) => string,
): Message[] {
  const [first, ...rest] = messages
  if (first?.role !== 'system') return [{ role: 'system', content: add(undefined) }, ...messages]
  const { content } = first
  if (typeof content === 'string') return [{ ...first, content: add(content) }, ...rest]
  return [{ ...first, content: [...content, { type: 'text', text: add(undefined) }] }, ...rest]
}
