/**
 * MCP calls in tags: the server, the tool and its arguments as JSON.
 *
 *     <use_mcp_tool>
 *     <server_name>weather</server_name>
 *     <tool_name>get_weather</tool_name>
 *     <arguments>
 *     {"city": "Oslo"}
 *     </arguments>
 *     </use_mcp_tool>
 *
 * The call is to the tool itself, by the name under which it was declared: `get_weather`,
 * `weather.get_weather`, `mcp__weather__get_weather` and the like.
 *
 * @see https://github.com/MiroMindAI/MiroThinker
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { writeNamedCall } from '../core/text/named-json.ts'
import { mcpCalls } from './families/mcp-call.ts'

export const mcpXml: Protocol<'mcp-xml'> = {
  id: 'mcp-xml',
  emitters: 'MiroThinker, models with the prompts of Cline and Roo Code',
  // A tool may have the name of one of these tags.
  before: ['morph-xml'],
  endsReasoning: true,
  openers: mcpCalls,
  strays: ['</arguments>', '</use_mcp_tool>'],
  ...writing(
    writeNamedCall(
      '<use_mcp_tool>\n<server_name>tools</server_name>\n<tool_name>',
      '</tool_name>\n<arguments>\n',
      '\n</arguments>\n</use_mcp_tool>',
    ),
  ),
}
