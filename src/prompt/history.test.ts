import { describe, expect, it } from 'vitest'
import type { Message, ToolCall, ToolResult } from '../core/model.ts'
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
          '<tool_response>\n{"name":"find_ferry","answers":"call 1 of 2","content":"at noon"}\n</tool_response>\n' +
          '<tool_response>\n{"name":"find_ferry","answers":"call 2 of 2",' +
          '"content":"[ERROR:NotFound] no ferry"}\n</tool_response>' +
          '\n\nGo on.',
      },
    ])
  })

  it('keeps images of results, each after the text of its own result', () => {
    const image = (data: string) => ({ type: 'image', mediaType: 'image/png', data }) as const
    const rendered = renderHistory(
      [
        { role: 'assistant', content: '', toolCalls: [call('a', 'Oslo'), call('b', 'Kiel')] },
        {
          role: 'tool',
          content: '',
          toolResults: [
            { callId: 'b', content: [image('BBBB')] },
            { callId: 'a', content: [{ type: 'text', text: 'a map' }, image('AAAA')] },
          ],
        },
      ],
      textTagged,
    )
    const result = (at: number, text: string) => ({
      type: 'text',
      text: `~~~tool_result\nfind_ferry (answers call ${at} of 2):\n${text}\n~~~`,
    })
    expect(rendered.at(-1)).toEqual({
      role: 'user',
      content: [result(1, 'a map\n[image]'), image('AAAA'), result(2, '[image]'), image('BBBB')],
    })
  })

  it('leaves messages of the user apart that were apart', () => {
    const messages = [
      { role: 'user', content: 'One.' },
      { role: 'user', content: 'Two.' },
    ] as const
    expect(renderHistory(messages, textTagged)).toEqual(messages)
  })

  describe('pairs results with calls', () => {
    const other = { ...call('c', 'Oslo'), name: 'buy_ticket' } as const
    const turn = (toolCalls: readonly ToolCall[], ...results: readonly ToolResult[]): Message[] => [
      { role: 'assistant', content: '', toolCalls },
      ...results.map((one): Message => ({ role: 'tool', content: '', toolResults: [one] })),
    ]
    const answer = (callId: string, content: string, name?: string): ToolResult => ({
      callId,
      content,
      ...(name !== undefined && { name }),
    })
    const resultsIn = (messages: readonly Message[]) =>
      renderHistory(messages, textTagged)
        .filter(({ role }) => role === 'user')
        .map(({ content }) => String(content).replaceAll(/~~~tool_result\n|\n~~~$/g, ''))
        .map((content) => content.split('\n~~~\n'))

    it.for([
      ['one call', turn([call('a', 'Oslo')], answer('a', 'noon')), [['find_ferry:\nnoon']]],
      [
        'given out of order',
        turn([call('a', 'Oslo'), other], answer('c', 'bought'), answer('a', 'noon')),
        [['find_ferry (answers call 1 of 2):\nnoon', 'buy_ticket (answers call 2 of 2):\nbought']],
      ],
      [
        'two calls of one tool',
        turn([call('a', 'Oslo'), call('b', 'Kiel')], answer('b', 'one'), answer('a', 'noon')),
        [['find_ferry (answers call 1 of 2):\nnoon', 'find_ferry (answers call 2 of 2):\none']],
      ],
      [
        'no ids, but names',
        turn(
          [{ ...call('', 'Oslo') }, { ...other, id: '' }],
          answer('', 'bought', 'buy_ticket'),
          answer('', 'noon', 'find_ferry'),
        ),
        [['find_ferry (answers call 1 of 2):\nnoon', 'buy_ticket (answers call 2 of 2):\nbought']],
      ],
      [
        'an id that comes again in a later turn',
        [
          ...turn([call('a', 'Oslo')], answer('a', 'noon')),
          ...turn([{ ...other, id: 'a' }], answer('a', 'bought')),
        ],
        [['find_ferry:\nnoon'], ['buy_ticket:\nbought']],
      ],
      [
        'a call without a result',
        turn([call('a', 'Oslo'), other], answer('c', 'bought')),
        [
          [
            'find_ferry (answers call 1 of 2):\n[ERROR:missing_result] no result was provided',
            'buy_ticket (answers call 2 of 2):\nbought',
          ],
        ],
      ],
      [
        'a result without a call',
        turn([call('a', 'Oslo')], answer('x', 'lost', 'buy_ticket'), answer('a', 'noon')),
        [['find_ferry:\nnoon', 'buy_ticket (answers no call of this conversation):\nlost']],
      ],
      [
        'nothing but a result without a name',
        [{ role: 'tool', content: '', toolResults: [answer('x', 'lost')] } as const],
        [['unknown tool (answers no call of this conversation):\nlost']],
      ],
      [
        'a call that was answered twice',
        turn([call('a', 'Oslo')], answer('a', 'noon'), answer('a', 'one')),
        [['find_ferry:\none']],
      ],
      [
        'a call that was written twice',
        turn([call('a', 'Oslo'), call('a', 'Oslo')], answer('a', 'noon')),
        [['find_ferry:\nnoon']],
      ],
      [
        'another name in the result than in the call',
        turn([call('a', 'Oslo')], answer('a', 'noon', 'ferries')),
        [['find_ferry:\nnoon']],
      ],
      [
        'a turn that broke off',
        [
          { role: 'assistant', content: '', toolCalls: [call('a', 'Oslo')], isAborted: true },
          { role: 'tool', content: '', toolResults: [answer('a', 'noon')] },
        ] as const,
        [],
      ],
    ] as const)('%s', ([, messages, expected]) => {
      expect(resultsIn(messages)).toEqual(expected)
    })

    it('words of the user between two results follow them', () => {
      const [assistant, ...results] = turn(
        [call('a', 'Oslo'), other],
        answer('a', 'noon'),
        answer('c', 'bought'),
      )
      const [first, second] = results
      const messages = [assistant, first, { role: 'user', content: 'Wait.' } as const, second]
      const rendered = renderHistory(
        messages.filter((message) => message !== undefined),
        textTagged,
      )
      expect(rendered).toHaveLength(2)
      expect(rendered[1]?.content).toMatch(/noon[\s\S]*bought[\s\S]*\n\nWait\.$/)
    })
  })

  describe.for(allProtocols.map((protocol) => [protocol.id, protocol] as const))(
    'in %s',
    ([, protocol]) => {
      const buy = { ...call('id2', 'Kiel'), name: 'buy_ticket' } as const
      const [assistant, answers] = renderHistory(
        [
          { role: 'assistant', content: '', toolCalls: [call('id1', 'Oslo'), buy] },
          {
            role: 'tool',
            content: '',
            toolResults: [
              { callId: 'id2', content: '{"name": "bought", "arguments": {"seat": 7}}' },
              { callId: 'id1', content: '[ERROR:Late] at noon', isError: false },
            ],
          },
        ],
        protocol,
      )
      const text = String(answers?.content)

      it('results are in the order of their calls, each under the name of its tool', () => {
        const places = ['find_ferry', 'at noon', 'buy_ticket', 'bought'].map((one) =>
          text.indexOf(one),
        )
        expect(places).not.toContain(-1)
        expect(places).toEqual([...places].sort((one, another) => one - another))
        expect(text.match(/find_ferry|buy_ticket/g)).toEqual(['find_ferry', 'buy_ticket'])
      })

      it('results have the ids of their calls if calls have one', () => {
        const hasIds = String(assistant?.content).includes('id1')
        const order = ['id1', 'at noon', 'id2', 'bought'].map((one) => text.indexOf(one))
        if (hasIds) expect(order).toEqual([...order].sort((one, another) => one - another))
        expect(order.includes(-1)).toBe(!hasIds)
      })

      it('calls of one tool are told apart', () => {
        const calls = [call('', 'Oslo'), call('', 'Oslo')]
        const toolResults = [1, 2].map((at) => ({
          callId: '',
          name: 'find_ferry',
          content: `ship ${at}`,
        }))
        const [, both] = renderHistory(
          [
            { role: 'assistant', content: '', toolCalls: calls },
            { role: 'tool', content: '', toolResults },
          ],
          protocol,
        )
        const [, first = '', second = ''] =
          /^([\s\S]*)ship 1([\s\S]*)ship 2/.exec(String(both?.content)) ?? []
        expect(first).toMatch(/call 1 of 2|find_ferry:0/)
        expect(second).toMatch(/call 2 of 2|find_ferry:1/)
      })

      it('results are no calls', () => {
        const orphan = protocol.formatResult(
          { callId: 'x', name: 'find_ferry', content: '{"city": "Oslo"}' },
          'orphan',
        )
        const alone = protocol.formatResult({ callId: 'x', name: 'find_ferry', content: '{}' })
        for (const reply of [text, orphan, alone]) {
          for (const protocols of ['auto', [protocol]] as const) {
            expect(extract(reply, { tools, protocols }).calls).toEqual([])
          }
        }
      })

      it('calls are read back', () => {
        const { calls } = extract(assistant?.content, { tools, protocols: [protocol] })
        expect(calls).toMatchObject([
          { name: 'find_ferry', arguments: { city: 'Oslo' } },
          { name: 'buy_ticket', arguments: { city: 'Kiel' } },
        ])
        if (String(assistant?.content).includes('id1')) {
          expect(calls.map(({ id }) => id)).toEqual(['id1', 'id2'])
        }
      })
    },
  )

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
