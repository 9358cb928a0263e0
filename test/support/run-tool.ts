import type { RunnableTool, ToolContext } from '../../src/tool.ts'

/** Runs a tool as a run would, without one. */
export async function runTool(
  tool: RunnableTool,
  input: unknown,
  context: Partial<ToolContext> = {},
): Promise<unknown> {
  return tool.execute?.(input, {
    call: { id: 'call_1', name: tool.name, arguments: {}, origin: 'native' },
    signal: new AbortController().signal,
    key: 'key',
    messages: [],
    progress: () => {},
    ...context,
  })
}
