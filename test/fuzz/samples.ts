/** Requests and replies in the neutral model that use most of what it has: what mutations begin with. */
import type { ChatRequest, ChatResponse } from '../../src/core/chat.ts'
import type { Message, Tool } from '../../src/core/model.ts'
import { allProtocols } from '../../src/protocols/registry.ts'
import { type Dice, filled } from './dice.ts'

const TOOLS: readonly Tool[] = [
  {
    name: 'get_weather',
    description: 'The weather of a city',
    inputSchema: {
      type: 'object',
      properties: { city: { type: 'string', pattern: '^\\w+$' }, days: { type: 'integer' } },
      required: ['city'],
    },
  },
  { name: 'write_file', inputSchema: { type: 'object', properties: { text: {}, path: {} } } },
]

const CALL = { name: 'get_weather', arguments: { city: 'Oslo', days: 3 } }
const PROTOCOLS = filled(allProtocols)

export function sampleRequest(model: string, dice: Dice): ChatRequest {
  const messages: Message[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How is the weather?' },
  ]
  for (let turns = dice.below(4); turns > 0; turns--) messages.push(...turn(`call_${turns}`))
  return {
    model,
    messages,
    ...(dice.chance(0.8) && { tools: TOOLS }),
    ...(dice.chance(0.3) && { temperature: 0.5, maxTokens: 100, stop: ['END'] }),
    ...(dice.chance(0.2) && { toolChoice: dice.pick(['auto', 'required', 'none']) }),
    ...(dice.chance(0.2) && { reasoning: { effort: 'low' } }),
  }
}

function turn(id: string): Message[] {
  const call = { ...CALL, id, origin: 'native' } as const
  const result = { callId: id, name: CALL.name, content: 'Rain.' }
  return [
    { role: 'assistant', content: 'One moment.', toolCalls: [call] },
    { role: 'tool', content: '', toolResults: [result] },
    { role: 'user', content: 'And tomorrow?' },
  ]
}

export function sampleReply(dice: Dice): ChatResponse {
  const isNative = dice.chance(0.4)
  const content = isNative ? 'Let me look.' : `Let me look.\n${textCall(dice)}`
  const call = { ...CALL, id: `call_${dice.below(1000)}`, origin: 'native' } as const
  return {
    id: 'reply_1',
    model: 'scripted',
    message: {
      role: 'assistant',
      content,
      ...(isNative && { toolCalls: [call, { ...call, id: `${call.id}b` }] }),
      ...(dice.chance(0.3) && { reasoning: 'The user wants the weather.' }),
    },
    finishReason: isNative ? 'tool-calls' : 'stop',
    usage: { inputTokens: 12, outputTokens: 7, totalTokens: 19 },
    issues: [],
  }
}

/** A call in some text format, or the beginning of one. */
function textCall(dice: Dice): string {
  const text = dice.pick(PROTOCOLS).formatCall(CALL)
  return dice.chance(0.8) ? text : text.slice(0, dice.below(text.length))
}
