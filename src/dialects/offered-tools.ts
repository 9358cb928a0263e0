/** The choice among tools for dialects that cannot name them: only those that may be called are offered. */
import type { ChatRequest } from '../core/chat.ts'
import type { CodecOptions } from '../core/dialect.ts'
import type { Tool } from '../core/model.ts'

/** The tools that the choice names; all of them when it names none. */
export function offeredTools(
  { tools = [], toolChoice }: Pick<ChatRequest, 'tools' | 'toolChoice'>,
  { report }: CodecOptions = {},
): readonly Tool[] {
  if (typeof toolChoice !== 'object') return tools
  const names = 'name' in toolChoice ? [toolChoice.name] : toolChoice.names
  const offered = tools.filter(({ name }) => names.includes(name))
  if (offered.length < tools.length) {
    const message = 'only the tools that may be called are offered; the others are left out'
    report?.({ code: 'not-expressible', message })
  }
  return offered
}
