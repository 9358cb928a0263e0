/** Names for tools of several servers, none of them twice. */
import { ToolglotError } from '../core/errors.ts'

/**
 * True: every tool is named `server__tool`, so that a further server never renames one. `on-conflict`:
 * only tools whose name several servers use. False: names stay as they are, and two alike are an error.
 */
export type NamePrefix = boolean | 'on-conflict'

interface Named {
  readonly server: string
  readonly tool: string
}

/** The name of each tool, in order. What a dialect allows in a name is the dialect's business. */
export function nameTools(tools: readonly Named[], prefix: NamePrefix): string[] {
  const isShared = sharedNames(tools)
  const names = tools.map(({ server, tool }) => {
    const isPrefixed = prefix === 'on-conflict' ? isShared(tool) : prefix
    return isPrefixed ? `${server}__${tool}` : tool
  })
  refuseDuplicates(names, tools)
  return names
}

function sharedNames(tools: readonly Named[]): (tool: string) => boolean {
  const owners = new Map<string, Set<string>>()
  for (const { server, tool } of tools) {
    owners.set(tool, (owners.get(tool) ?? new Set()).add(server))
  }
  return (tool) => (owners.get(tool)?.size ?? 0) > 1
}

function refuseDuplicates(names: readonly string[], tools: readonly Named[]): void {
  const seen = new Map<string, string>()
  for (const [at, name] of names.entries()) {
    const server = tools[at]?.server ?? ''
    const other = seen.get(name)
    if (other !== undefined) {
      throw new ToolglotError(
        'mcp_name_conflict',
        `MCP servers "${other}" and "${server}" both have a tool named "${name}"; ` +
          "pass prefix: true or 'on-conflict', or rename one of the servers",
      )
    }
    seen.set(name, server)
  }
}
