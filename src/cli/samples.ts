/** Replies as models really write them, for `toolglot demo`. */
import type { FinishReason, Tool } from '../core/model.ts'
import { SAMPLE_TOOL } from './sample-tool.ts'

export interface Sample {
  readonly title: string
  readonly reply: string
  readonly finishReason?: FinishReason
}

export const SAMPLE_TOOLS: readonly Tool[] = [
  SAMPLE_TOOL,
  {
    name: 'write_file',
    description: 'Writes a text file',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
  {
    name: 'search',
    description: 'Searches the web',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer' },
        exact: { type: 'boolean' },
      },
      required: ['query'],
    },
  },
]

export const SAMPLES: readonly Sample[] = [
  {
    title: 'JSON with the mistakes models make: single quotes, Python literals, a comma too many',
    reply: `Let me look that up.
<tool_call>
{'name': 'search', 'arguments': {'query': "fjord ferries", 'limit': "5", 'exact': True,}}
</tool_call>`,
  },
  {
    title: 'A native call that the server did not recognise and let through as text',
    reply: `{"type": "function", "name": "get_weather", "parameters": {"city": "Oslo", "days": "2"}}`,
  },
  {
    title: 'Another format, its arguments in an attribute, and a name spelled differently',
    reply: `On it: <tool_call name="getWeather" args='{"city": "Bergen", "days": 3}' /> One moment.`,
  },
  {
    title: 'An example in a code block is not a call',
    reply: `To ask for the weather, a model writes this:

\`\`\`
Example:
<tool_call>
{"name": "get_weather", "arguments": {"city": "Oslo"}}
</tool_call>
\`\`\`

Shall I do it now?`,
  },
  {
    title: 'Reasoning is split off, and a call that was only considered there is not made',
    reply: `<think>I could write <tool_call>{"name": "search", "arguments": {"query": "Oslo"}}</tool_call>
but the weather tool fits better.</think>Checking the weather.
<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>`,
  },
  {
    title: 'Several calls in one reply, and text that stays text',
    reply: `First Oslo:

~~~tool_call
{"name": "get_weather", "arguments": {"city": "Oslo"}}
~~~

and for the trip back:

~~~tool_call
{"name": "get_weather", "arguments": {"city": "Bergen"}}
~~~`,
  },
  {
    title: 'A file whose content quotes the format itself',
    reply: `<tool_call>
{"name": "write_file", "arguments": {"path": "C:\\\\notes.md", "content": "A call ends with </tool_call>.
The next line."}}
</tool_call>Saved.`,
  },
  {
    title: 'Cut off by the token limit: half a call is never made',
    reply: `Writing it.
<tool_call>
{"name": "write_file", "arguments": {"path": "report.md", "content": "# Quarter`,
    finishReason: 'length',
  },
]
