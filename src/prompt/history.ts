/** Conversations for models without tools: calls and results as text, the way a protocol writes them. */
import type { Message, Part, ToolResult } from '../core/model.ts'
import type { Protocol } from '../core/protocol.ts'

/**
 * The same conversation without calls and results: what the assistant called stands in its text, results
 * come in a message of the user. Messages of the user that come to stand side by side become one, because
 * the templates of many models want turns.
 */
export function renderHistory(messages: readonly Message[], protocol: Protocol): Message[] {
  const names = new Map<string, string>()
  const rendered: Message[] = []
  let hasResults = false
  for (const message of messages) {
    // Ids may come again in later turns; the latest call is the one that is answered.
    for (const { id, name } of message.toolCalls ?? []) names.set(id, name)
    const next = renderMessage(message, protocol, names)
    const isResult = message.role === 'tool'
    const before = rendered.at(-1)
    if (before?.role === 'user' && next.role === 'user' && (isResult || hasResults)) {
      rendered[rendered.length - 1] = join(before, next)
      hasResults = true
    } else {
      rendered.push(next)
      hasResults = isResult
    }
  }
  return rendered
}

function renderMessage(
  message: Message,
  protocol: Protocol,
  names: ReadonlyMap<string, string>,
): Message {
  if (message.role === 'tool') {
    return { role: 'user', content: renderResults(message, protocol, names) }
  }
  const { toolCalls = [], toolResults: _, extra: __, ...rest } = message
  if (toolCalls.length === 0) return message
  // What a provider keeps of its own reply has the calls as calls, so it stays behind.
  const calls = toolCalls.map((call) => protocol.formatCall(call)).join('\n')
  return { ...rest, content: withText(rest.content, calls) }
}

function renderResults(
  { content, toolResults = [] }: Message,
  protocol: Protocol,
  names: ReadonlyMap<string, string>,
): string | readonly Part[] {
  const texts = toolResults.map((result) => {
    const name = result.name ?? names.get(result.callId)
    return protocol.formatResult(name === undefined ? result : { ...result, name })
  })
  const text = texts.join('\n')
  const others = [...toolResults.flatMap(attachments), ...partsOf(content)]
  return others.length === 0 ? text : [{ type: 'text', text }, ...others]
}

/** What a text can only name: the images and files themselves. */
function attachments({ content }: ToolResult): readonly Part[] {
  return typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text')
}

function join(first: Message, second: Message): Message {
  const { content } = first
  const both =
    typeof content === 'string' && typeof second.content === 'string'
      ? `${content}\n\n${second.content}`
      : [...partsOf(content), ...partsOf(second.content)]
  return { ...first, content: both }
}

function partsOf(content: Message['content']): readonly Part[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}

/** The content with a text behind it. */
function withText(content: Message['content'], text: string): Message['content'] {
  if (typeof content !== 'string') return [...content, { type: 'text', text }]
  return content.trim() === '' ? text : `${content}\n${text}`
}
