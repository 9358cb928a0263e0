/** The tool with which a model says that it is done. */
import { type RunnableTool, tool } from '../tool.ts'
import { submit } from './tool-output.ts'

/** Ends the run; what is handed in is the result's `deliverable`. */
export function finishTool(description = 'Call this when the task is done.'): RunnableTool {
  return tool({
    name: 'finish',
    description,
    // It does nothing but end the run, so a call that a crash interrupted is made again.
    annotations: { idempotent: true },
    inputSchema: {
      type: 'object',
      properties: {
        deliverable: { type: 'string', description: 'The result, complete.' },
        summary: {
          type: 'string',
          description: 'What was done, when there is nothing to hand in.',
        },
      },
    },
    execute: ({ deliverable, summary }) => submit(textOf(deliverable) ?? textOf(summary) ?? null),
  })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
