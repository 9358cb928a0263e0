import { describe, expect, test } from 'vitest'
import type { ChatRequest, ChatResponse } from '../../core/chat.ts'
import type { Message, Tool } from '../../core/model.ts'
import { validate } from '../../core/schema/validate.ts'
import { createExtractor, extract } from '../../extract.ts'
import { allProtocols } from '../../protocols/registry.ts'
import { readAsked, type SampledCall } from './asked.ts'
import { findDemoModel, listDemoModels } from './demo-models.ts'
import { habitsOf } from './habits.ts'
import { piecesOf, replyTo } from './reply.ts'

const WEATHER: Tool = {
  name: 'get_weather',
  description: 'The weather of a city',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
    required: ['city'],
  },
}

const BOOKING: Tool = {
  name: 'book-trip',
  inputSchema: {
    type: 'object',
    properties: {
      travellers: { type: 'array', items: { $ref: '#/$defs/person' }, minItems: 2 },
      class: { enum: ['second', 'first'] },
      price: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
      flexible: { type: 'boolean' },
      remark: { type: 'string', maxLength: 40 },
      options: { type: 'object', properties: { seat: { type: 'string', pattern: '^[A-F]\\d+$' } } },
    },
    required: ['travellers', 'class', 'price', 'flexible', 'options'],
    $defs: {
      person: {
        type: 'object',
        properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 18 } },
        required: ['name', 'age'],
      },
    },
  },
}

const PING: Tool = { name: 'ping', inputSchema: { type: 'object', properties: {} } }

const TOOLS = [WEATHER, BOOKING, PING]

/** What is said to the models, and the tools that fits. */
const QUESTIONS = {
  'a simple tool': 'How is the weather?',
  'a text in quotes': 'Call get_weather for "Saint-Jean-de-Luz, it\'s \\ <b>there</b>".',
  'a nested schema': 'Please book trip to the coast.',
} as const

function ask(model: string, question: string, more: Partial<ChatRequest> = {}): ChatRequest {
  return { model, messages: [{ role: 'user', content: question }], tools: TOOLS, ...more }
}

function reply(request: ChatRequest): ChatResponse {
  const model = findDemoModel(request.model)
  if (!model) throw new Error(`no model ${request.model}`)
  return replyTo(request, model)
}

/** The calls that a model is to make of a question, and whether they are in order. */
function expected(question: string): readonly [SampledCall, SampledCall] {
  const { calls } = readAsked(ask('hermes', question))
  const [one, other] = calls
  if (!one || !other) throw new Error('no calls')
  return [one, other]
}

/** Read as a gateway reads it: every format, at once and in the pieces of the stream. */
function read(request: ChatRequest) {
  const { message, finishReason } = reply(request)
  const content = String(message.content)
  const options = { tools: request.tools ?? [], ids: 'sequential', finishReason } as const
  const whole = extract(content, options)
  const extractor = createExtractor(options)
  const pieces = [...piecesOf(content)]
  for (const piece of pieces) extractor.push(piece)
  extractor.end({ finishReason })
  expect(extractor.result()).toEqual(whole)
  const knowing = extract(content, { ...options, model: `demo/${request.model}` })
  expect(knowing.calls.map(bare)).toEqual(whole.calls.map(bare))
  expect(knowing.text).toBe(whole.text)
  expect(pieces.join('')).toBe(content)
  return { ...whole, content, finishReason, calls: whole.calls.map(bare) }
}

function bare({ name, arguments: args }: SampledCall): SampledCall {
  return { name, arguments: args }
}

function expectNoMarkup(text: string, { name }: SampledCall): void {
  expect(['', `I will use ${name} for this.`]).toContain(text.trim())
}

const questions = Object.entries(QUESTIONS)

describe.for(allProtocols)('demo/$id', (protocol) => {
  const { id } = protocol
  test.for(questions)('writes a call that is read: %s', ([, question]) => {
    const [call] = expected(question)
    const { calls, text, issues } = read(ask(id, question))
    expect(calls).toEqual([call])
    expectNoMarkup(text, call)
    expect(issues).toEqual([])
  })

  test.for(questions)('breaks a call so that it is mended: %s', ([, question]) => {
    const [call] = expected(question)
    const { calls, text, content } = read(ask(`${id}:broken`, question))
    expect(content).not.toBe(reply(ask(id, question)).message.content)
    expect(calls).toEqual([call])
    expectNoMarkup(text, call)
  })

  test.for(questions)('is cut off, and no call comes of it: %s', ([, question]) => {
    if (habitsOf(protocol).cutIsText) {
      expect(findDemoModel(`${id}:truncated`)).toBeUndefined()
      return
    }
    const [call] = expected(question)
    const { calls, text, issues, finishReason } = read(ask(`${id}:truncated`, question))
    expect(finishReason).toBe('length')
    expect(calls).toEqual([])
    expect(issues.map(({ code }) => code)).toEqual(['truncated-call'])
    expectNoMarkup(text, call)
  })

  test.for(questions)('drafts a call and makes another: %s', ([, question]) => {
    const [call] = expected(question)
    const { calls, text, reasoning } = read(ask(`${id}:thinking`, question))
    expect(calls).toEqual([call])
    expectNoMarkup(text, call)
    expect(reasoning).toContain('not what was asked for')
  })

  test.for(questions)('makes two calls: %s', ([, question]) => {
    const [call, other] = expected(question)
    const { calls, text, issues } = read(ask(`${id}:parallel`, question))
    expect(calls).toEqual([call, other])
    expectNoMarkup(text, call)
    expect(issues).toEqual([])
    const alone = read(ask(`${id}:parallel`, question, { parallelToolCalls: false }))
    expect(alone.calls).toEqual([call])
  })

  test.for(['', ':broken', ':thinking'])('calls a tool without arguments%s', (suffix) => {
    const { calls, text } = read(ask(id + suffix, 'ping'))
    expect(calls).toEqual([{ name: 'ping', arguments: {} }])
    expectNoMarkup(text, { name: 'ping', arguments: {} })
  })
})

function afterCall(...messages: readonly Message[]): ChatRequest {
  return {
    ...ask('hermes', 'How is the weather?'),
    messages: [
      { role: 'user', content: 'How is the weather?' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c1', name: 'get_weather', arguments: {}, origin: 'native' }],
      },
      ...messages,
    ],
  }
}

function result(content: string, isError = false): Message {
  return { role: 'tool', content: '', toolResults: [{ callId: 'c1', content, isError }] }
}

const textOfReply = (request: ChatRequest) => reply(request).message.content

describe('what they answer', () => {
  test('the result of a tool in prose', () => {
    expect(textOfReply(afterCall(result('4 °C')))).toBe('The tool answered: 4 °C')
  })

  test('a failure as a failure', () => {
    expect(textOfReply(afterCall(result('no such city', true)))).toBe(
      'The tool failed: no such city',
    )
  })

  test('all results of a turn', () => {
    expect(textOfReply(afterCall(result('4 °C'), result('9 °C')))).toBe(
      'The tool answered: 4 °C\nThe tool answered: 9 °C',
    )
  })

  test('a result also when the client adds a reminder behind it', () => {
    const reminder: Message = { role: 'user', content: 'Remember to be brief.' }
    expect(textOfReply(afterCall(result('4 °C'), reminder))).toBe('The tool answered: 4 °C')
  })

  test('a new question with a new call', () => {
    const request = afterCall(
      result('4 °C'),
      { role: 'assistant', content: 'The tool answered: 4 °C' },
      { role: 'user', content: 'And the weather in "Lima"?' },
    )
    expect(read(request).calls).toEqual([{ name: 'get_weather', arguments: { city: 'Lima' } }])
  })

  test.for(listDemoModels())('$id without tools in prose without markup', ({ id }) => {
    const said = String(textOfReply({ ...ask(id, 'Hello there.'), tools: [] }))
    expect(extract(said, { tools: TOOLS })).toMatchObject({ calls: [], issues: [], text: said })
    expect(said).toContain(id === 'echo' ? 'Hello there.' : `demo/${id}`)
  })

  test('no call where tools are there but not wanted', () => {
    const request = ask('hermes', 'How is the weather?', { toolChoice: 'none' })
    expect(read(request)).toMatchObject({ calls: [], issues: [] })
  })

  test('everything twice in the same way', () => {
    for (const { id } of listDemoModels()) {
      expect(reply(ask(id, QUESTIONS['a nested schema']))).toEqual(
        reply(ask(id, QUESTIONS['a nested schema'])),
      )
    }
  })

  test('with counts of words', () => {
    const request = { ...ask('echo', 'one two three') }
    expect(reply(request).usage).toEqual({ inputTokens: 3, outputTokens: 3, totalTokens: 6 })
  })
})

describe('which tool they call', () => {
  const nameOf = (question: string, more: Partial<ChatRequest> = {}) =>
    readAsked(ask('hermes', question, more)).calls.map(({ name }) => name)

  test.for([
    ['none when nothing fits', 'Hello.', []],
    ['the one that is named', 'Please use book-trip.', ['book-trip', 'book-trip']],
    ['the one whose words are said', 'How about BOOK TRIP?', ['book-trip', 'book-trip']],
    ['no name inside another word', 'It is shipping.', []],
    ['two that are named, in their order', 'ping, then getWeather', ['ping', 'get_weather']],
  ] as const)('%s', ([, question, names]) => {
    expect(nameOf(question)).toEqual(names)
  })

  test('one that is harmless, when one must be called', () => {
    expect(nameOf('Hello.', { toolChoice: 'required' })).toEqual(['get_weather', 'get_weather'])
  })

  test('the one that must be called', () => {
    expect(nameOf('Use get_weather.', { toolChoice: { name: 'ping' } })).toEqual(['ping', 'ping'])
  })

  test('one of those that may be called', () => {
    const toolChoice = { names: ['book-trip', 'ping'], required: true }
    expect(nameOf('Use get_weather.', { toolChoice })).toEqual(['book-trip', 'book-trip'])
  })

  test('the longer of two names that begin alike', () => {
    const tools = ['search', 'search_files'].map((name) => ({ name, inputSchema: true }))
    expect(nameOf('search files', { tools })).toEqual(['search_files', 'search_files'])
  })

  test('texts in quotes are for the arguments, but the name of a tool is not', () => {
    const { calls } = readAsked(ask('hermes', "Call `get_weather` for “Oslo” and 'Lima'."))
    expect(calls.map(({ arguments: args }) => args['city'])).toEqual(['Oslo', 'Lima'])
  })
})

test('every model says what it does, and what is broken', () => {
  const models = listDemoModels()
  expect(new Set(models.map(({ id }) => id)).size).toBe(models.length)
  expect(models.length).toBeGreaterThan(5 * (allProtocols.length - 1))
  for (const { about } of models) expect(about).toMatch(/^I .+\.$/)
  expect(models.filter(({ about }) => about.includes('nothing wrong'))).toEqual([])
})

test('native calls are no text', () => {
  const [call] = expected('ping')
  const { message, finishReason } = reply(ask('native', 'ping'))
  expect(message).toEqual({
    role: 'assistant',
    content: '',
    toolCalls: [{ ...call, id: 'call_demo_1', origin: 'native' }],
  })
  expect(finishReason).toBe('tool-calls')
})

test('the next native call has another id', () => {
  const request = afterCall(
    result('4 °C'),
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'ping' },
  )
  const [call] = reply({ ...request, model: 'native' }).message.toolCalls ?? []
  expect(call?.id).toBe('call_demo_2')
})

test('the samples are valid', () => {
  for (const tool of TOOLS) {
    for (const { arguments: args } of readAsked(ask('hermes', tool.name)).calls) {
      expect(validate(args, tool.inputSchema)).toEqual([])
    }
  }
})

test('pieces are short, cut markers, and never a character', () => {
  const text = '<tool_call>👀👀👀👀👀👀👀👀</tool_call>'
  const pieces = [...piecesOf(text)]
  expect(pieces.join('')).toBe(text)
  expect(pieces[0]).toBe('<tool')
  for (const piece of pieces) {
    expect(piece.length).toBeLessThanOrEqual(8)
    expect(piece).not.toMatch(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/)
  }
})
