/** Conversations and replies that every dialect must carry. */
import type { ChatEvent, ChatRequest, ChatResponse } from '../../src/core/chat.ts'
import type { Message, Tool, ToolCall } from '../../src/core/model.ts'

export const weather: Tool = {
  name: 'get_weather',
  description: 'The weather in a city',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
  },
}

export const clock: Tool = {
  name: 'get_time',
  description: 'The time in a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

export function call(id: string, name: string, args: ToolCall['arguments']): ToolCall {
  return { id, name, arguments: args, origin: 'native' }
}

const parallel: Message[] = [
  { role: 'user', content: 'Weather and time in Oslo?' },
  {
    role: 'assistant',
    content: 'I will look.',
    toolCalls: [
      call('callaaaa1', 'get_weather', { city: 'Oslo', days: 2 }),
      call('callbbbb2', 'get_time', { city: 'Oslo' }),
    ],
  },
  {
    role: 'tool',
    content: '',
    toolResults: [
      { callId: 'callaaaa1', name: 'get_weather', content: '4 °C, "light" rain\nWind: 3' },
      {
        callId: 'callbbbb2',
        name: 'get_time',
        content: 'no clock',
        isError: true,
        errorCode: 'Timeout',
      },
    ],
  },
]

export const requests: Readonly<Record<string, ChatRequest>> = {
  plain: { model: 'm', messages: [{ role: 'user', content: 'Hello' }] },
  system: {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: 'Grüße “ø” 😀' },
    ],
    temperature: 0.5,
    topP: 0.9,
    maxTokens: 200,
    stop: ['END'],
  },
  tools: { model: 'm', messages: parallel, tools: [weather, clock], toolChoice: 'auto' },
  noArguments: {
    model: 'm',
    messages: [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: '', toolCalls: [call('callcccc3', 'get_time', {})] },
      {
        role: 'tool',
        content: '',
        toolResults: [{ callId: 'callcccc3', name: 'get_time', content: '12:00' }],
      },
    ],
    tools: [clock],
  },
  image: {
    model: 'm',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
        ],
      },
    ],
  },
}

export const responses: Readonly<Record<string, ChatResponse>> = {
  text: {
    id: 'r1',
    model: 'm',
    message: { role: 'assistant', content: 'Hello there, “ø” 😀.' },
    finishReason: 'stop',
    usage: { inputTokens: 10, outputTokens: 4, totalTokens: 14 },
    issues: [],
  },
  calls: {
    id: 'r2',
    model: 'm',
    message: {
      role: 'assistant',
      content: 'I will look.',
      toolCalls: [
        call('callaaaa1', 'get_weather', { city: 'Oslo', days: 2 }),
        call('callbbbb2', 'get_time', {}),
      ],
    },
    finishReason: 'tool-calls',
    usage: { inputTokens: 30, outputTokens: 12, totalTokens: 42, cacheReadTokens: 8 },
    issues: [],
  },
  cut: {
    id: 'r3',
    model: 'm',
    message: { role: 'assistant', content: 'And so' },
    finishReason: 'length',
    usage: { inputTokens: 10, outputTokens: 2, totalTokens: 12 },
    issues: [],
  },
}

/** The events that a stream of this reply brings, its texts and arguments in small pieces. */
export function eventsOf(response: ChatResponse): ChatEvent[] {
  const { message, id, model } = response
  const { content, toolCalls = [], reasoning = '' } = message
  const text = typeof content === 'string' ? content : ''
  return [
    { type: 'start', ...(id && { id }), ...(model && { model }) },
    ...pieces(reasoning).map((piece) => ({ type: 'reasoning-delta', text: piece }) as const),
    ...pieces(text).map((piece) => ({ type: 'text-delta', text: piece }) as const),
    ...toolCalls.flatMap((one, index): ChatEvent[] => [
      { type: 'call-start', index, id: one.id, name: one.name },
      ...pieces(JSON.stringify(one.arguments)).map(
        (argumentsDelta) => ({ type: 'call-delta', index, argumentsDelta }) as const,
      ),
      { type: 'call-end', index, call: one },
    ]),
    { type: 'finish', response },
  ]
}

function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,5}/gu) ?? []
}
