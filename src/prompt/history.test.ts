import { describe, expect, it } from 'vitest'
import { extract } from '../extract.ts'
import { hermes } from '../protocols/hermes.ts'
import { allProtocols } from '../protocols/registry.ts'
import { textTagged } from '../protocols/text-tagged.ts'
import { renderHistory } from './history.ts'
import { writeTextRequest } from './text-request.ts'

const call = (id: string, city: string) =>
  ({ id, name: 'find_ferry', arguments: { city }, origin: 'native' }) as const
const tools = [
  {
    name: 'find_ferry',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
  },
  { name: 'buy_ticket', inputSchema: { type: 'object' } },
]

describe('a history for a model without tools', () => {
  it('has calls in the words of the assistant and results in those of the user', () => {
    const rendered = renderHistory(
      [
        { role: 'user', content: 'A ferry to Oslo and one to Kiel.' },
        {
          role: 'assistant',
          content: 'I look.',
          toolCalls: [call('a', 'Oslo'), call('b', 'Kiel')],
        },
        {
          role: 'tool',
          content: '',
          toolResults: [
            { callId: 'a', content: 'at noon' },
            { callId: 'b', content: 'no ferry', isError: true, errorCode: 'NotFound' },
          ],
        },
        { role: 'user', content: 'Go on.' },
      ],
      hermes,
    )
    expect(rendered).toEqual([
      { role: 'user', content: 'A ferry to Oslo and one to Kiel.' },
      {
        role: 'assistant',
        content:
          'I look.\n<tool_call>\n{"name":"find_ferry","arguments":{"city":"Oslo"}}\n</tool_call>\n' +
          '<tool_call>\n{"name":"find_ferry","arguments":{"city":"Kiel"}}\n</tool_call>',
      },
      {
        role: 'user',
        content:
          '<tool_response>\n{"name":"find_ferry","content":"at noon"}\n</tool_response>\n' +
          '<tool_response>\n{"name":"find_ferry","content":"[ERROR:NotFound] no ferry"}\n</tool_response>' +
          '\n\nGo on.',
      },
    ])
  })

  it('keeps images of results', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const
    const toolResults = [{ callId: 'a', name: 'find_ferry', content: [image] }]
    const [message] = renderHistory([{ role: 'tool', content: '', toolResults }], textTagged)
    expect(message).toEqual({
      role: 'user',
      content: [{ type: 'text', text: '~~~tool_result\n[image]\n~~~' }, image],
    })
  })

  it('leaves messages of the user apart that were apart', () => {
    const messages = [
      { role: 'user', content: 'One.' },
      { role: 'user', content: 'Two.' },
    ] as const
    expect(renderHistory(messages, textTagged)).toEqual(messages)
  })

  it.for(allProtocols.map((protocol) => [protocol.id, protocol] as const))(
    'can be read again when written in %s',
    ([, protocol]) => {
      const [message] = renderHistory(
        [{ role: 'assistant', content: '', toolCalls: [call('a', 'Oslo')] }],
        protocol,
      )
      const { calls } = extract(message?.content, { tools, protocols: [protocol] })
      expect(calls).toMatchObject([{ name: 'find_ferry', arguments: { city: 'Oslo' } }])
    },
  )
})

describe('a request for a model without tools', () => {
  const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools } as const
  const system = (
    choice?: Parameters<typeof writeTextRequest>[0]['toolChoice'],
    single = false,
  ) => {
    const written = writeTextRequest(
      {
        ...request,
        ...(choice !== undefined && { toolChoice: choice }),
        ...(single && { parallelToolCalls: false }),
      },
      { protocol: textTagged },
    )
    expect(written).not.toHaveProperty('tools')
    expect(written).not.toHaveProperty('toolChoice')
    expect(written).not.toHaveProperty('parallelToolCalls')
    const [first] = written.messages
    return first?.role === 'system' ? String(first.content) : ''
  }

  it('describes the tools', () => {
    expect(system()).toContain('find_ferry')
    expect(system()).toContain('~~~tool_call')
    expect(system()).not.toContain('You must call')
  })

  it('says in words that a call is wanted', () => {
    expect(system('required')).toContain('You must call at least one tool')
    expect(system({ name: 'buy_ticket' })).toContain('You must call the tool buy_ticket')
    expect(system({ name: 'buy_ticket' })).not.toContain('find_ferry')
    expect(system({ names: ['buy_ticket'], required: true })).toContain(
      'You must call at least one',
    )
    expect(system({ names: ['buy_ticket'] })).not.toContain('find_ferry')
    expect(system('auto', true)).toContain('at most one tool')
  })

  it('does not offer what must not be called', () => {
    expect(system('none')).not.toContain('find_ferry')
    expect(system('none')).toContain('Do not call any tool')
  })

  it('asks for JSON in words, which a call is not held to', () => {
    const responseFormat = { type: 'json-schema', schema: { type: 'object' } } as const
    const written = writeTextRequest({ ...request, responseFormat }, { protocol: textTagged })
    expect(written).not.toHaveProperty('responseFormat')
    expect(written.messages[0]?.content).toContain('JSON Schema: {"type":"object"}')
    const { tools: _, ...bare } = request
    expect(writeTextRequest({ ...bare, responseFormat }, { protocol: textTagged })).toMatchObject({
      responseFormat,
    })
  })

  it('adds to the system prompt that there is', () => {
    const messages = [{ role: 'system', content: 'Be brief.' }, ...request.messages] as const
    const written = writeTextRequest({ ...request, messages }, { protocol: textTagged })
    expect(written.messages[0]?.content).toMatch(/^Be brief\.\n\n.*find_ferry/s)
    expect(written.messages).toHaveLength(2)
  })
})
