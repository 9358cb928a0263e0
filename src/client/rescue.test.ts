/** Calls in reasoning that a server keeps apart, whole and streamed. */
import { describe, expect, it } from 'vitest'
import type { ChatEvent, ChatResponse } from '../core/chat.ts'
import type { Message, Tool } from '../core/model.ts'
import { replyEvents } from './reply-events.ts'
import { createStreamRescue, rescueResponse } from './rescue.ts'

const tools: readonly Tool[] = [
  { name: 'find_peak', inputSchema: { type: 'object', properties: { name: { type: 'string' } } } },
]
const CALL = '<tool_call>{"name": "find_peak", "arguments": {"name": "Watzmann"}}</tool_call>'
const thought = `They mean the one near Berchtesgaden.\n${CALL}`

function replyOf(message: Partial<Message>, finishReason: ChatResponse['finishReason'] = 'stop') {
  const whole = { role: 'assistant', content: '', ...message } as const
  return { message: whole, finishReason, usage: {}, issues: [] }
}

/** The events that come of a reply in pieces of this length, and the response at their end. */
function streamed(reply: ChatResponse, pieceLength: number, offered = tools) {
  const rescue = createStreamRescue({ tools: offered })
  const events = replyEvents(reply, pieceLength).flatMap((event) => rescue.push(event))
  const last = events.at(-1)
  if (last?.type !== 'finish') throw new Error('no end')
  return { events, response: last.response }
}

/** Ids are made up anew each time. */
function withoutIds({ message, ...response }: ChatResponse): unknown {
  return JSON.parse(
    JSON.stringify({ ...response, message }, (key, value) =>
      /^(id|callId)$/.test(key) ? 0 : value,
    ),
  )
}

function ofType<Type extends ChatEvent['type']>(events: readonly ChatEvent[], type: Type) {
  return events.filter((event): event is ChatEvent & { type: Type } => event.type === type)
}

describe('reasoning kept apart', () => {
  it.each([
    ['the call', replyOf({ reasoning: thought })],
    ['the call, beside white space', replyOf({ reasoning: thought, content: '\n\n' })],
    ['two calls and words', replyOf({ reasoning: `${CALL} ${CALL} So be it.` })],
    ['a call cut off', replyOf({ reasoning: thought.slice(0, -30) }, 'length')],
    ['a draft before text', replyOf({ reasoning: thought, content: 'It is high.' })],
    ['a draft before a call in the text', replyOf({ reasoning: thought, content: CALL })],
    [
      'a draft before a proper call',
      replyOf({
        reasoning: thought,
        toolCalls: [{ id: 'c', name: 'find_peak', arguments: {}, origin: 'native' }],
      }),
    ],
    ['no call', replyOf({ reasoning: 'Hm.', content: 'It is high.' })],
  ])('is the same whole and streamed: %s', (_, reply) => {
    const whole = rescueResponse(reply, { tools })
    for (const length of [1, 7, 1000]) {
      const { events, response } = streamed(reply, length)
      expect(withoutIds(response)).toEqual(withoutIds(whole))
      const calls = ofType(events, 'call-end')
      expect(calls.map(({ call }) => call)).toEqual(response.message.toolCalls ?? [])
      expect(calls.map(({ index }) => index)).toEqual(calls.map((__, i) => i))
      expect(ofType(events, 'issue').map(({ issue }) => issue)).toEqual(response.issues)
    }
  })

  it('makes the call that it ends with', () => {
    const { message, finishReason, issues } = rescueResponse(replyOf({ reasoning: thought }), {
      tools,
    })
    expect(message).toMatchObject({
      content: '',
      reasoning: 'They mean the one near Berchtesgaden.\n',
      toolCalls: [{ name: 'find_peak', arguments: { name: 'Watzmann' }, protocol: 'hermes' }],
    })
    expect({ finishReason, issues }).toEqual({ finishReason: 'tool-calls', issues: [] })
  })

  it('is gone when it was nothing but the call', () => {
    const { message } = rescueResponse(replyOf({ reasoning: CALL }), { tools })
    expect(message.toolCalls).toHaveLength(1)
    expect(message).not.toHaveProperty('reasoning')
  })

  it('is passed on while it comes, and the call follows at the end', () => {
    const { events } = streamed(replyOf({ reasoning: `${thought} Well.` }), 5)
    const deltas = ofType(events, 'reasoning-delta').map(({ text }) => text)
    expect(deltas.join('')).toBe(`${thought} Well.`)
    expect(events.slice(-5)).toMatchObject([
      { type: 'call-start', index: 0, name: 'find_peak' },
      { type: 'call-delta', index: 0, argumentsDelta: '{"name":"Watzmann"}' },
      { type: 'call-end', index: 0 },
      { type: 'text-delta', text: ' Well.' },
      { type: 'finish', response: { message: { content: ' Well.' } } },
    ])
  })

  it.each([
    ['text', { content: 'It is high.' }],
    [
      'a proper call',
      { toolCalls: [{ id: 'c', name: 'find_peak', arguments: {}, origin: 'native' }] },
    ],
  ] as const)('is a draft before %s, and told', (_, said) => {
    const reply = replyOf({ reasoning: thought, ...said })
    const { message, issues } = rescueResponse(reply, { tools })
    expect(message).toEqual(reply.message)
    expect(issues).toMatchObject([{ code: 'reasoning-call', raw: CALL }])
  })

  it('makes no call when the stream breaks off, which is told', () => {
    const rescue = createStreamRescue({ tools })
    rescue.push({ type: 'reasoning-delta', text: thought })
    const { message, issues } = rescue.breakOff(replyOf({ reasoning: thought }, 'error'))
    expect(message).not.toHaveProperty('toolCalls')
    expect(issues).toMatchObject([{ code: 'reasoning-call' }])
  })

  it('stays as it is when no tools were offered', () => {
    const reply = replyOf({ reasoning: thought })
    expect(rescueResponse(reply, { tools: [] })).toBe(reply)
    expect(streamed(reply, 5, []).response).toBe(reply)
  })
})
