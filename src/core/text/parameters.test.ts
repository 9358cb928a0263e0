import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../model.ts'
import { DEFAULT_LIMITS } from '../options.ts'
import type { CallDraft, ReadContext } from '../protocol.ts'
import { schemaFit } from '../schema/fit.ts'
import { createParameters, type ParameterOptions, type Parameters } from './parameters.ts'

interface Written {
  /** The deltas so far. */
  readonly told: () => string
  readonly parameters: Parameters
  /** The arguments in the end. */
  readonly given: () => unknown
}

function write(schema?: JsonSchema, options?: ParameterOptions): Written {
  let told = ''
  const unused = () => {
    throw new Error('not to be used here')
  }
  const context: ReadContext = {
    tools: { known: false, names: [], key: '', find: unused },
    repair: 'guess',
    fit: schemaFit,
    limits: DEFAULT_LIMITS,
    deltas: true,
    alone: false,
    base: unused,
    find: unused,
    begin: unused,
    skip: unused,
    issue: unused,
  }
  const draft: CallDraft = {
    name: 't',
    schema,
    delta(json) {
      told += json
    },
    end: unused,
    fail: unused,
    retract: unused,
  }
  const parameters = createParameters(context, draft, options)
  return { told: () => told, parameters, given: () => JSON.parse(parameters.ending().json) }
}

function give({ parameters }: Written, key: string, ...pieces: string[]): void {
  parameters.begin(key)
  for (const piece of pieces) parameters.text(piece)
  parameters.end()
}

const schema: JsonSchema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    count: { type: 'integer' },
    label: { type: ['string', 'null'] },
    items: { type: 'array', items: { type: 'string' } },
  },
}

describe('deltas', () => {
  test('text is told while it arrives', () => {
    const call = write(schema)
    call.parameters.begin('title')
    call.parameters.text('a "')
    expect(call.told()).toBe('{"title":"a \\"')
    call.parameters.text('b"')
    call.parameters.end()
    expect(call.told()).toBe('{"title":"a \\"b\\""')
  })

  test('what the schema may change is told when it is complete', () => {
    const call = write(schema)
    call.parameters.begin('count')
    call.parameters.text('1')
    expect(call.told()).toBe('')
    call.parameters.text('2')
    call.parameters.end()
    expect(call.told()).toBe('{"count":12')
  })

  test('what the schema does not declare is told with the end of the call', () => {
    const call = write(schema)
    give(call, 'other', 'x')
    expect(call.told()).toBe('')
    expect(call.parameters.ending().streamed?.size).toBe(0)
  })
})

describe('white space', () => {
  const cases: readonly (readonly [ParameterOptions['trim'], string, string])[] = [
    ['line', '\n a \n', ' a '],
    ['line', '\n\na\n\n', '\na\n'],
    ['line', 'a\n', 'a'],
    ['line', '\r\na\r\n', 'a'],
    ['line', '\na\n  ', 'a'],
    ['block', '\na\n', 'a'],
    ['block', 'a\n', 'a\n'],
    ['space', ' \n a \n ', 'a'],
    ['none', ' \n a \n ', ' \n a \n '],
    ['line', '\n\n', ''],
    ['space', ' \n ', ''],
    ['none', ' ', ' '],
  ]
  test.for(cases)('%s: %j is %j', ([trim, text, value]) => {
    for (const pieces of [[text], [...text]]) {
      const call = write(undefined, { trim })
      give(call, 'title', ...pieces)
      expect(call.given()).toEqual({ title: value })
      expect(JSON.parse(`${call.told()}}`)).toEqual({ title: value })
    }
  })

  test('none is left out of what counts exactly', () => {
    const call = write(schema)
    call.parameters.begin('title')
    call.parameters.text('\n')
    call.parameters.exactText(' a ')
    call.parameters.exactText('\n')
    call.parameters.text('\n')
    call.parameters.end('space')
    expect(call.given()).toEqual({ title: ' a \n' })
  })
})

describe('types', () => {
  test('the schema decides, then the markup, then the format', () => {
    const call = write(schema, { untyped: 'json' })
    for (const [key, reading] of [
      ['count', 'text'],
      ['title', 'json'],
      ['other', 'text'],
      ['more', undefined],
    ] as const) {
      call.parameters.begin(key, reading)
      call.parameters.text('5')
      call.parameters.end()
    }
    expect(call.given()).toEqual({ count: 5, title: '5', other: '5', more: 5 })
  })

  test('the markup tells text from null where the schema allows both', () => {
    const call = write(schema)
    call.parameters.begin('label', 'text')
    call.parameters.text('null')
    call.parameters.end()
    expect(call.given()).toEqual({ label: 'null' })
    give(call, 'label', 'null')
    expect(call.given()).toEqual({ label: null })
  })

  test('a value in a tag of its own is unwrapped unless it is text', () => {
    const call = write(schema)
    give(call, 'count', '<value>5</value>')
    give(call, 'title', '<value>5</value>')
    expect(call.given()).toEqual({ count: 5, title: '<value>5</value>' })
  })
})

describe('a key given twice', () => {
  test('makes a list where nothing says that there is one value', () => {
    const call = write()
    for (const value of ['a', 'b', 'b', 'c']) give(call, 'x', value)
    expect(call.given()).toEqual({ x: ['a', 'b', 'b', 'c'] })
    expect(JSON.parse(`${call.told()}}`)).toEqual({ x: ['a', 'b', 'b', 'c'] })
  })

  test('adds to a list and replaces a single value', () => {
    const call = write(schema)
    for (const value of ['a', 'b']) {
      give(call, 'items', value)
      give(call, 'title', value)
    }
    expect(call.given()).toEqual({ items: ['a', 'b'], title: 'b' })
    expect(JSON.parse(`${call.told()}}`)).toEqual({ items: ['a', 'b'], title: 'b' })
  })
})

describe('all arguments in one parameter', () => {
  test('are unwrapped when the tool has no such parameter', () => {
    const call = write(schema)
    give(call, 'arguments', '{"title": "a"}')
    expect(call.given()).toEqual({ title: 'a' })
  })

  test('stay when it has one, or when nothing is known about it', () => {
    const own = write({ properties: { input: { type: 'string' } } })
    give(own, 'input', '{"title": "a"}')
    expect(own.given()).toEqual({ input: '{"title": "a"}' })
    const any = write()
    give(any, 'input', '{"title": "a"}')
    expect(any.given()).toEqual({ input: '{"title": "a"}' })
  })
})

test('keys of every object are ordinary keys', () => {
  const call = write()
  give(call, '__proto__', 'x')
  expect(Object.keys(JSON.parse(call.parameters.ending().json))).toEqual(['__proto__'])
})
