/** One tool, a call to it and its result: what the listings show every protocol with. */
import type { Tool, ToolCall, ToolResult } from '../core/model.ts'

export const SAMPLE_TOOL: Tool = {
  name: 'get_weather',
  description: 'Current weather of a city',
  inputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'Name of the city' },
      days: { type: 'integer' },
    },
    required: ['city'],
  },
}

export const SAMPLE_CALL: Pick<ToolCall, 'name' | 'arguments'> = {
  name: 'get_weather',
  arguments: { city: 'Oslo', days: 2 },
}

export const SAMPLE_RESULT: ToolResult = {
  callId: 'call_1',
  name: 'get_weather',
  content: '{"temperature": 4, "sky": "overcast"}',
}
