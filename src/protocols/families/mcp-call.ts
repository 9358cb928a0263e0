/**
 * Syntax factory: calls that name a server and one of its tools.
 *
 *     <use_mcp_tool>
 *     <server_name>weather</server_name>
 *     <tool_name>get_weather</tool_name>
 *     <arguments>
 *     {"city": "Oslo"}
 *     </arguments>
 *     </use_mcp_tool>
 */
import type { Opener, ToolTable } from '../../core/protocol.ts'
import { marker } from '../../core/text/marker.ts'
import { type Groups, namedJson } from '../../core/text/named-json.ts'
import {
  literally,
  oneOf,
  optional,
  type Pattern,
  SPACE,
  sequence,
} from '../../core/text/pattern.ts'
import { toolTags } from '../../core/text/tool-tags.ts'

const TOOL = 'use_mcp_tool'
const OPEN = `<${TOOL}>`
const CLOSE = `</${TOOL}>`

/** Hosts declare a server's tools under both names with one of these between, or under the tool's own. */
const BETWEEN = ['__', '.', '/', '_', '-']

/** The header may look this long like one before a reply that ends in it was a call cut off. */
const CUT = OPEN.length + 8

const HEADER = sequence(
  ...[literally(OPEN), SPACE, optional(element('server_name', 'server'), SPACE)],
  ...[element('tool_name', 'tool'), SPACE, optional(element('server_name', 'serverBehind'), SPACE)],
  // Without arguments the call is over.
  oneOf(literally('<arguments>'), '(?=<\\/)'),
)

function element(tag: string, group: string): Pattern {
  const value = `(?<${group}>[^<\\s]{1,128})`
  return sequence(literally(`<${tag}>`), SPACE, value, SPACE, literally(`</${tag}>`))
}

/** A host that declares `use_mcp_tool` itself gets calls to that, with its parameters as they stand. */
export function mcpCalls(tools: ToolTable): readonly Opener[] {
  if (!tools.names.includes(TOOL)) return [serverCall(tools)]
  return toolTags({ ...tools, names: [TOOL] }, { body: 'elements', trim: 'space' })
}

function serverCall(tools: ToolTable): Opener {
  return {
    prefix: marker(OPEN).prefix,
    ...namedJson({
      header: HEADER,
      open: literally(OPEN),
      cut: CUT,
      close: sequence(optional(literally('</arguments>'), SPACE), literally(CLOSE)),
      closer: CLOSE,
      identify: (groups) => ({ name: nameOf(groups, tools) }),
    }),
  }
}

/** The more exact name first: two servers may have a tool of the same name. */
function nameOf({ server, serverBehind, tool = '' }: Groups, tools: ToolTable): string {
  const owner = server ?? serverBehind
  const names = [`mcp__${owner}__${tool}`, ...BETWEEN.map((mark) => owner + mark + tool)]
  return names.find((name) => owner && tools.names.includes(name)) ?? tool
}
