/** What the middleware makes of replies, part by part, and what it asks of the model. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  dynamicTool,
  generateText,
  InvalidToolInputError,
  jsonSchema,
  NoSuchToolError,
  stepCountIs,
  streamText,
  wrapLanguageModel,
} from 'ai'
import { describe, expect, test } from 'vitest'
import type { CallOptions, Content, Model, StreamPart } from '../../src/ai-sdk/language-model.ts'
import { toolglotMiddleware } from '../../src/ai-sdk/middleware.ts'
import type { MiddlewareOptions } from '../../src/ai-sdk/middleware-options.ts'
import type { Issue, Repair } from '../../src/core/issue.ts'
import { allProtocols, getProtocol } from '../../src/protocols/registry.ts'
import { startUpstream } from '../../src/testing/upstream.ts'
import { type LeakingModel, leakingModel, partsOf, type Script, streamOf } from './leaking-model.ts'
import { randomTexts } from './random-texts.ts'

const schema = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const }, days: { type: 'integer' as const } },
  required: ['city'],
}
const functionTools: NonNullable<CallOptions['tools']> = [
  { type: 'function', name: 'get_weather', description: 'Forecast', inputSchema: schema },
  { type: 'function', name: 'get_time', inputSchema: { type: 'object', properties: {} } },
]
const prompt: CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Do I need an umbrella?' }] },
]

const BERGEN = '<tool_call>{"name": "get_weather", "arguments": {"city": "Bergen"}}</tool_call>'
const TURKU = '<tool_call>{"name": "get_weather", "arguments": {"city": "Turku"}}</tool_call>'

test.for<[unknown, string]>([
  [null, 'the options of toolglotMiddleware cannot be null; it takes an object'],
  [{ mode: 'native' }, 'mode cannot be "native"; it takes rescue, text, auto'],
  [{ protocol: 'herms' }, 'unknown protocol "herms" (did you mean hermes?)'],
  [{ reasoning: 'off' }, 'reasoning cannot be "off"; it takes split, text'],
  [{ onIssue: 'log' }, 'onIssue cannot be "log"; it takes a function'],
])('%j is refused when the middleware is made', ([options, message]) => {
  // As a caller without types passes them.
  expect(() => toolglotMiddleware(options as never)).toThrow(message)
})

function wrap(model: Model, options: MiddlewareOptions = {}): Model {
  return wrapLanguageModel({ model, middleware: toolglotMiddleware(options) })
}

interface Asked extends MiddlewareOptions {
  readonly params?: Partial<CallOptions>
  readonly pieceLength?: number
}

async function whole(script: Script, { params, ...options }: Asked = {}) {
  const model = wrap(leakingModel([script]), { generateId: counter(), ...options })
  return model.doGenerate({ prompt, tools: functionTools, ...params })
}

async function streamed(script: Script, asked: Asked = {}): Promise<StreamPart[]> {
  const { params, pieceLength = 4, ...options } = asked
  const model = wrap(leakingModel([script], { pieceLength }), { generateId: counter(), ...options })
  const { stream } = await model.doStream({ prompt, tools: functionTools, ...params })
  return partsOf(stream)
}

function counter(): () => string {
  let count = 0
  return () => `id${++count}`
}

/** A stream in short: texts joined, inputs joined, everything else by its type. */
function brief(parts: readonly StreamPart[]): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const isDelta = part.type.endsWith('-delta') && 'delta' in part
    if (isDelta) lines[lines.length - 1] += part.delta
    else if (part.type === 'text-start' || part.type === 'reasoning-start')
      lines.push(`${part.id}: `)
    else if (part.type === 'tool-input-start') lines.push(`${part.id} ${part.toolName} `)
    else if (part.type === 'tool-call') lines.push(`${part.toolCallId} called with ${part.input}`)
    else lines.push(part.type === 'finish' ? part.finishReason.unified : part.type)
  }
  return lines
}

/** The same for whole replies. */
function outline(content: readonly Content[]): string[] {
  return content.map((part) => {
    if (part.type === 'text' || part.type === 'reasoning') return `${part.type}: ${part.text}`
    return part.type === 'tool-call' ? `${part.toolName} ${part.input}` : part.type
  })
}

function folded(parts: readonly StreamPart[]): string[] {
  const texts = new Map<string, number>()
  const lines: string[] = []
  for (const part of parts) {
    if (part.type === 'text-start') texts.set(part.id, lines.push('text: ') - 1)
    else if (part.type === 'reasoning-start') texts.set(part.id, lines.push('reasoning: ') - 1)
    else if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
      const at = texts.get(part.id) ?? -1
      lines[at] += part.delta
    } else if (part.type === 'tool-call') lines.push(`${part.toolName} ${part.input}`)
  }
  return lines
}

const nativeCall = (id: string, city: string): Content => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'get_weather',
  input: JSON.stringify({ city }),
})

describe('texts and calls', () => {
  test('keep their order, each text in a block of its own', async () => {
    const parts = await streamed(`Let me look.\n${BERGEN}\nAnd there:${TURKU} Done.`)
    expect(brief(parts)).toEqual([
      'stream-start',
      'p0: Let me look.\n',
      'text-end',
      'id1 get_weather {"city": "Bergen"}',
      'tool-input-end',
      'id1 called with {"city":"Bergen"}',
      'p0:1: \nAnd there:',
      'text-end',
      'id2 get_weather {"city": "Turku"}',
      'tool-input-end',
      'id2 called with {"city":"Turku"}',
      'p0:2:  Done.',
      'text-end',
      'tool-calls',
    ])
  })

  test('leave no blank texts between them', async () => {
    const script = `\n${BERGEN}\n\n${TURKU}\n`
    const { content, finishReason } = await whole(script)
    expect(outline(content)).toEqual([
      'get_weather {"city":"Bergen"}',
      'get_weather {"city":"Turku"}',
    ])
    expect(finishReason).toEqual({ unified: 'tool-calls', raw: 'stop' })
    expect(folded(await streamed(script))).toEqual(outline(content))
  })

  test('of several blocks stay in their blocks', async () => {
    const content: Content[] = [
      { type: 'text', text: `One. ${BERGEN}` },
      { type: 'reasoning', text: 'Hmm.' },
      { type: 'text', text: `${TURKU} Two.` },
    ]
    const expected = [
      'text: One. ',
      'get_weather {"city":"Bergen"}',
      'reasoning: Hmm.',
      'get_weather {"city":"Turku"}',
      'text:  Two.',
    ]
    expect(outline((await whole({ content })).content)).toEqual(expected)
    expect(folded(await streamed({ content }))).toEqual(expected)
  })

  test('tell the input while it arrives', async () => {
    const city = 'by the sea '.repeat(40)
    const parts = await streamed(BERGEN.replace('Bergen', city))
    const deltas = parts.flatMap((part) => (part.type === 'tool-input-delta' ? [part.delta] : []))
    expect(deltas.length).toBeGreaterThan(3)
    expect(JSON.parse(deltas.join(''))).toEqual({ city })
  })

  test.for(['Nothing to call here.', '', ' \n', 'a < b and <b>c</b>\n'])(
    'without calls pass as they are: %j',
    async (text) => {
      const { content, finishReason, providerMetadata } = await whole(text)
      expect(content).toEqual([{ type: 'text', text }])
      expect(finishReason.unified).toBe('stop')
      expect(providerMetadata).toBeUndefined()
      const parts = await streamed(text)
      expect(folded(parts)).toEqual([`text: ${text}`])
      expect(brief(parts).slice(-2)).toEqual(['text-end', 'stop'])
    },
  )

  test('keep what the provider says about a text', async () => {
    const metadata = { acme: { signature: 'abc' } }
    const text = { type: 'text' as const, text: `Look. ${BERGEN}`, providerMetadata: metadata }
    const [first] = (await whole({ content: [text] })).content
    expect(first).toEqual({ type: 'text', text: 'Look. ', providerMetadata: metadata })
    const start = (await streamed({ content: [text] })).find(({ type }) => type === 'text-start')
    expect(start).toMatchObject({ providerMetadata: metadata })
  })

  test('are the same whole and in pieces, whatever the text', async () => {
    for (const text of randomTexts(150)) {
      const { content } = await whole(text)
      for (const pieceLength of [1, 7]) {
        const parts = await streamed(text, { pieceLength })
        expect({ text, read: folded(parts) }).toEqual({ text, read: outline(content) })
      }
    }
  })

  test('make well-formed streams, whatever the text', async () => {
    for (const text of randomTexts(150)) {
      const open = new Set<string>()
      const seen = new Set<string>()
      for (const part of await streamed(text, { pieceLength: 3 })) {
        if (!('id' in part) || part.id === undefined) continue
        if (part.type.endsWith('-start')) {
          expect(seen.has(part.id)).toBe(false)
          seen.add(part.id)
          open.add(part.id)
        } else expect(open.has(part.id)).toBe(true)
        if (part.type.endsWith('-end')) open.delete(part.id)
      }
      expect(open.size).toBe(0)
    }
  })
})

describe('calls of the model itself', () => {
  test('are left alone', async () => {
    const content: Content[] = [{ type: 'text', text: 'Let me look.' }, nativeCall('own', 'Bergen')]
    const finish = { unified: 'tool-calls' as const, raw: 'tool_calls' }
    const model = leakingModel([{ content, finish }])
    const params = { prompt, tools: functionTools }
    expect(await wrap(model).doGenerate(params)).toEqual(await model.doGenerate(params))
    const [plain, read] = await Promise.all(
      [model, wrap(model)].map(async (one) => partsOf((await one.doStream(params)).stream)),
    )
    expect(brief(read ?? [])).toEqual(brief(plain ?? []))
  })

  test('are not made twice when they stand in the text as well', async () => {
    const content: Content[] = [
      { type: 'text', text: `Look: ${BERGEN}` },
      nativeCall('own', 'Bergen'),
    ]
    const issues: Issue[] = []
    const read = await whole({ content }, { onIssue: (issue) => issues.push(issue) })
    expect(read.content).toEqual([{ type: 'text', text: 'Look: ' }, nativeCall('own', 'Bergen')])
    const parts = await streamed({ content }, { onIssue: (issue) => issues.push(issue) })
    expect(parts.filter(({ type }) => type === 'tool-call')).toHaveLength(1)
    expect(parts.filter(({ type }) => type === 'tool-input-start')).toHaveLength(1)
    expect(issues.map(({ code }) => code)).toEqual(['duplicate-dropped', 'duplicate-dropped'])
  })

  test('are kept when the text repeats them behind', async () => {
    const content: Content[] = [
      nativeCall('own', 'Bergen'),
      { type: 'text', text: `${BERGEN}${TURKU}` },
    ]
    const expected = ['get_weather {"city":"Bergen"}', 'get_weather {"city":"Turku"}']
    expect(outline((await whole({ content })).content)).toEqual(expected)
    const parts = await streamed({ content })
    expect(folded(parts)).toEqual(expected)
    expect(parts.find(({ type }) => type === 'tool-call')).toMatchObject({ toolCallId: 'own' })
  })

  test('stand for one call in the text each', async () => {
    const text = { type: 'text' as const, text: BERGEN + BERGEN }
    const content: Content[] = [text, nativeCall('own', 'Bergen')]
    expect(outline((await whole({ content })).content)).toHaveLength(2)
    expect(folded(await streamed({ content }))).toHaveLength(2)
  })

  test('may be others than those in the text', async () => {
    const content: Content[] = [{ type: 'text', text: BERGEN }, nativeCall('own', 'Turku')]
    const expected = ['get_weather {"city":"Bergen"}', 'get_weather {"city":"Turku"}']
    expect(outline((await whole({ content })).content)).toEqual(expected)
    expect(folded(await streamed({ content }))).toEqual(expected)
  })
})

describe('reasoning in the text', () => {
  test('becomes reasoning', async () => {
    const script = `<think>Which city?</think>\nBergen then.${BERGEN}`
    const expected = [
      'reasoning: Which city?',
      'text: \nBergen then.',
      'get_weather {"city":"Bergen"}',
    ]
    expect(outline((await whole(script)).content)).toEqual(expected)
    expect(folded(await streamed(script))).toEqual(expected)
  })

  test('can be left where it is', async () => {
    const script = '<think>Which city?</think>Bergen.'
    const { content } = await whole(script, { reasoning: 'text' })
    expect(outline(content)).toEqual([`text: ${script}`])
  })

  test('that was never opened is told from a whole text', async () => {
    const { content } = await whole(`Which city?</think>Bergen then.${BERGEN}`)
    expect(outline(content)).toEqual([
      'reasoning: Which city?',
      'text: Bergen then.',
      'get_weather {"city":"Bergen"}',
    ])
  })

  test('that was never opened is a text of its own in a stream, for it was told already', async () => {
    expect(folded(await streamed('Which city?</think>Bergen then.'))).toEqual([
      'text: Which city?',
      'text: Bergen then.',
    ])
  })
})

describe('what is no call', () => {
  test('stays text: an example in a sentence', async () => {
    const script = '{"name": "get_time", "arguments": {}} is how one would ask.'
    const parts = await streamed(script)
    expect(folded(parts)).toEqual([`text: ${script}`])
    expect(parts.some(({ type }) => type === 'tool-input-start')).toBe(false)
  })

  test('stays text: a tool that was not offered', async () => {
    const script = BERGEN.replace('get_weather', 'get_moon')
    expect(outline((await whole(script)).content)).toEqual([`text: ${script}`])
  })

  test('stays text: any call when none may be made', async () => {
    const { content } = await whole(BERGEN, { params: { toolChoice: { type: 'none' } } })
    expect(outline(content)).toEqual([`text: ${BERGEN}`])
    const without = await wrap(leakingModel([BERGEN])).doGenerate({ prompt })
    expect(outline(without.content)).toEqual([`text: ${BERGEN}`])
  })

  test('stays text: JSON when JSON was asked for', async () => {
    const script = '{"name": "get_time", "arguments": {}}'
    const { content } = await whole(script, { params: { responseFormat: { type: 'json' } } })
    expect(outline(content)).toEqual([`text: ${script}`])
  })
})

describe('calls that cannot be read', () => {
  const broken = '<tool_call>{"name": "get_weather", "arguments": ["Bergen"]}</tool_call>'
  const tools = {
    get_weather: dynamicTool({ inputSchema: jsonSchema(schema), execute: () => 'rain' }),
  }

  test('go the way of the SDK for invalid inputs, back to the model', async () => {
    const model = leakingModel([broken, 'Sorry.'])
    const { steps, text } = await generateText({
      model: wrap(model),
      tools,
      prompt: 'Umbrella?',
      stopWhen: stepCountIs(3),
    })
    const [call] = steps[0]?.toolCalls ?? []
    expect(call).toMatchObject({ toolName: 'get_weather', invalid: true })
    expect(call && 'error' in call && InvalidToolInputError.isInstance(call.error)).toBe(true)
    expect(steps[0]?.providerMetadata?.['toolglot']).toMatchObject({
      issues: [{ code: 'invalid-arguments', raw: broken }],
    })
    const told = model.asked[1]?.prompt.at(-1)
    expect(JSON.stringify(told)).toContain('the arguments are not a JSON object')
    expect(text).toBe('Sorry.')
  })

  test('can be repaired there', async () => {
    const { toolResults } = streamText({
      model: wrap(leakingModel([broken, 'Rain.'])),
      tools,
      prompt: 'Umbrella?',
      experimental_repairToolCall: async ({ toolCall, error }) => {
        expect(InvalidToolInputError.isInstance(error)).toBe(true)
        expect(toolCall.input).toContain(broken)
        return { ...toolCall, input: '{"city":"Bergen"}' }
      },
    })
    expect(await toolResults).toMatchObject([{ input: { city: 'Bergen' }, output: 'rain' }])
  })

  test('are never run, even where all of them is JSON', async () => {
    const inputs: unknown[] = []
    const execute = (input: unknown): string => {
      inputs.push(input)
      return 'rain'
    }
    await generateText({
      model: wrap(leakingModel(['{"name": "get_weather", "arguments": [1]}'])),
      tools: { get_weather: dynamicTool({ inputSchema: jsonSchema(schema), execute }) },
      prompt: 'Umbrella?',
    })
    expect(inputs).toEqual([])
  })

  test('are not run when the reply was cut off', async () => {
    const finish = { unified: 'length' as const, raw: 'length' }
    const content: Content[] = [{ type: 'text', text: BERGEN.slice(0, -14) }]
    for (const parts of [
      folded(await streamed({ content, finish })),
      outline((await whole({ content, finish })).content),
    ]) {
      expect(parts).toHaveLength(1)
      expect(parts[0]).toMatch(/^get_weather the reply/)
    }
    const { finishReason } = await whole({ content, finish })
    expect(finishReason.unified).toBe('length')
  })

  test('are cut off as well when the stream ends without a word', async () => {
    const model: Model = {
      ...leakingModel(['']),
      doStream: async () => ({
        stream: streamOf<StreamPart>([
          { type: 'text-start', id: '0' },
          { type: 'text-delta', id: '0', delta: `Look. ${BERGEN.slice(0, 30)}` },
        ]),
      }),
    }
    const { stream } = await wrap(model).doStream({ prompt, tools: functionTools })
    const read = folded(await partsOf(stream))
    expect(read.join('\n')).toContain(BERGEN.slice(0, 30))
  })

  test('of tools that do not exist can go there, too', async () => {
    const { content } = await generateText({
      model: wrap(leakingModel([BERGEN.replace('get_weather', 'get_moon')]), {
        allowUnknownTools: true,
      }),
      tools,
      prompt: 'Moon?',
    })
    const call = content.find(({ type }) => type === 'tool-call')
    expect(call && 'error' in call && NoSuchToolError.isInstance(call.error)).toBe(true)
  })

  test('tell whoever listens, and a listener that throws does no harm', async () => {
    const issues: Issue[] = []
    const repairs: Repair[] = []
    const script = `<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Bergen', 'days': '3'}}</tool_call>${broken}`
    const { content } = await whole(script, {
      onIssue: (issue) => issues.push(issue),
      onRepair: (found) => repairs.push(...found),
    })
    expect(outline(content)[0]).toBe('get_weather {"city":"Bergen","days":3}')
    expect(issues.map(({ code }) => code)).toEqual(['invalid-arguments'])
    expect(repairs.map(({ code }) => code)).toContain('coerced-number')
    const fails = (): never => {
      throw new Error('not my day')
    }
    const quiet = await whole(script, { onIssue: fails, onRepair: fails })
    expect(quiet.content).toHaveLength(2)
  })
})

describe('ids', () => {
  test('come once in a conversation', async () => {
    const earlier: CallOptions['prompt'] = [
      ...prompt,
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'same', toolName: 'get_time', input: {} }],
      },
    ]
    const { content } = await whole(BERGEN + TURKU, {
      generateId: () => 'same',
      params: { prompt: earlier },
    })
    const ids = content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
    expect(new Set([...ids, 'same']).size).toBe(3)
  })

  test('come once in a reply of several texts', async () => {
    const text = { type: 'text' as const, text: BERGEN }
    const { content } = await whole({ content: [text, text] }, { generateId: () => 'same' })
    const ids = content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
    expect(new Set(ids).size).toBe(2)
  })
})

describe('text mode', () => {
  const history: CallOptions['prompt'] = [
    { role: 'system', content: 'Be brief.', providerOptions: { acme: { cache: true } } },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Umbrella?' },
        { type: 'file', mediaType: 'image/png', data: new URL('https://example.org/sky.png') },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'get_weather', input: { city: 'Bergen' } },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'c1',
          toolName: 'get_weather',
          output: { type: 'error-text', value: 'no connection' },
        },
      ],
    },
  ]

  async function askedOf(params: Partial<CallOptions>, options: MiddlewareOptions = {}) {
    const model = leakingModel(['Yes.'])
    const wrapped = wrap(model, { mode: 'text', ...options })
    const result = await wrapped.doGenerate({ prompt: history, tools: functionTools, ...params })
    const [asked] = model.asked
    if (!asked) throw new Error('nothing was asked')
    return { asked, result }
  }

  test('says everything about tools in words', async () => {
    const { asked } = await askedOf({ toolChoice: { type: 'tool', toolName: 'get_weather' } })
    expect(asked.tools).toBeUndefined()
    expect(asked.toolChoice).toBeUndefined()
    const [system, user, assistant, results] = asked.prompt
    expect(system).toMatchObject({ role: 'system', providerOptions: { acme: { cache: true } } })
    expect(system?.content).toMatch(/^Be brief\.\n/)
    expect(system?.content).toContain('Forecast')
    expect(system?.content).toContain('You must call the tool get_weather')
    expect(user).toEqual(history[1])
    const { formatCall, formatResult } = getProtocol('text-tagged')
    const call = formatCall({ name: 'get_weather', arguments: { city: 'Bergen' } })
    expect(assistant?.content).toEqual([{ type: 'text', text: `Let me look.\n${call}` }])
    const failed = { name: 'get_weather', content: 'no connection', isError: true, callId: 'c1' }
    expect(results).toEqual({
      role: 'user',
      content: [{ type: 'text', text: formatResult(failed) }],
    })
  })

  test('writes the format that was asked for', async () => {
    const { asked } = await askedOf({}, { protocol: 'hermes', compact: true })
    expect(JSON.stringify(asked.prompt)).toContain('<tool_call>')
    expect(JSON.stringify(asked.prompt)).toContain('<tool_response>')
  })

  test('says in which form the answer must be', async () => {
    const { asked } = await askedOf({ responseFormat: { type: 'json', schema } })
    expect(asked.responseFormat).toBeUndefined()
    expect(asked.prompt[0]?.content).toContain('JSON Schema')
    const { asked: toolless } = await askedOf({ responseFormat: { type: 'json' }, tools: [] })
    expect(toolless.responseFormat).toEqual({ type: 'json' })
  })

  test('warns of tools that only the provider can run', async () => {
    const search = {
      type: 'provider' as const,
      id: 'acme.search' as const,
      name: 'search',
      args: {},
    }
    const { result } = await askedOf({ tools: [...functionTools, search] })
    expect(result.warnings).toMatchObject([{ type: 'unsupported' }])
    const wrapped = wrap(leakingModel(['Yes.']), { mode: 'text' })
    const { stream } = await wrapped.doStream({ prompt, tools: [search] })
    const [start] = await partsOf(stream)
    expect(start).toMatchObject({ type: 'stream-start', warnings: [{ type: 'unsupported' }] })
  })

  test.for(allProtocols.map(({ id }) => id))('runs tools in %s', async (id) => {
    const { formatCall } = getProtocol(id)
    const call = formatCall({ name: 'get_weather', arguments: { city: 'Bergen' } })
    const model: LeakingModel = leakingModel([`I look.\n${call}\nOne moment.`, 'Take one.'])
    const { text, steps } = await generateText({
      model: wrap(model, { mode: 'text', protocol: id }),
      tools: {
        get_weather: dynamicTool({ inputSchema: jsonSchema(schema), execute: () => 'rain' }),
      },
      prompt: 'Umbrella?',
      stopWhen: stepCountIs(3),
    })
    expect(steps[0]?.toolResults).toMatchObject([{ input: { city: 'Bergen' }, output: 'rain' }])
    expect(text).toBe('Take one.')
    expect(model.asked.map(({ tools }) => tools)).toEqual([undefined, undefined])
    const roles = model.asked[1]?.prompt.map(({ role }) => role)
    expect(roles).toEqual(['system', 'user', 'assistant', 'user'])
    expect(JSON.stringify(model.asked[1]?.prompt.at(-1))).toContain('rain')
  })
})

test.for(['rescue', 'text'] as const)(
  'a preset says how replies are read, in mode %s',
  async (mode) => {
    const words = 'I look. get_weather(city="Bergen")'
    const params = { prompt, tools: functionTools }
    const usual = await wrap(leakingModel([words]), { mode }).doGenerate(params)
    expect(usual.content).toEqual([{ type: 'text', text: words }])
    const read = await wrap(leakingModel([words]), { mode, preset: 'go-agentic' }).doGenerate(
      params,
    )
    expect(read.content).toMatchObject([{ type: 'text' }, { toolName: 'get_weather' }])
    const wrong: object = { mode, preset: 'go-agnetic' }
    expect(() => wrap(leakingModel([words]), wrong)).toThrow('go-agnetic')
  },
)

test('a provider that refuses tools is asked in words from then on', async () => {
  const message = 'small-1 does not support tools'
  const upstream = await startUpstream(
    { fault: { kind: 'status', status: 400, message } },
    { reply: getProtocol('text-tagged').formatCall({ name: 'get_time', arguments: {} }) },
  )
  try {
    const provider = createOpenAICompatible({ name: 'local', baseURL: `${upstream.url}/v1` })
    const model = wrap(provider('small-1'))
    const params = { prompt, tools: functionTools }
    const first = await model.doGenerate(params)
    const second = await partsOf((await model.doStream(params)).stream)
    expect(outline(first.content)).toEqual(['get_time {}'])
    expect(folded(second)).toEqual(['get_time {}'])
    expect(upstream.requests.map(({ body }) => 'tools' in body)).toEqual([true, false, false])
  } finally {
    await upstream.close()
  }
})

test('other failures are passed on', async () => {
  const model: Model = {
    ...leakingModel(['']),
    doGenerate: async () => {
      throw new Error('no connection')
    },
  }
  await expect(wrap(model).doGenerate({ prompt, tools: functionTools })).rejects.toThrow(
    'connection',
  )
})
