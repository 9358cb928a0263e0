/** The list of tools as it stands in a prompt. */
import type { Tool } from './model.ts'

/**
 * Names, descriptions and schemas for a model to read. The order of tools and of the keys in their
 * schemas is the given one, so the same tools always give the same text.
 */
export function listTools(tools: readonly Tool[]): string {
  return tools.map(fullEntry).join('\n\n')
}

function fullEntry({ name, description, inputSchema }: Tool): string {
  const head = `- \`${labelOf(name)}\`${dashed(description?.trim())}`
  return `${head}\n  Schema: ${JSON.stringify(inputSchema)}\n`
}

export function labelOf(name: string): string {
  return name || '<unnamed>'
}

export function dashed(description: string | undefined): string {
  return description ? ` — ${description}` : ''
}
