/** What callers pass by mistake is told at once, in words that say what to do. */
import { describe, expect, test } from 'vitest'
import {
  augmentSystemPrompt,
  coerce,
  createExtractor,
  extract,
  extractStream,
  isToolglotError,
  parseArguments,
  repairJson,
  tool,
} from './index.ts'

const REPLY = '<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>'

/** The error of a caller without types. */
function mistake(call: (untyped: never) => unknown, value: unknown): unknown {
  try {
    return call(value as never)
  } catch (error) {
    expect(isToolglotError(error)).toBe(true)
    return (error as Error).message // it is one
  }
}

describe('options', () => {
  test.for<[object, string]>([
    [{ tools: null }, 'tools cannot be null; it takes a list or a record'],
    [{ tools: 'get_weather' }, 'tools cannot be get_weather; it takes a list or a record'],
    [{ tools: new Set(['get_weather']) }, 'tools cannot be [object Set]'],
    [{ protocols: 'hermes' }, 'protocols cannot be hermes; it takes auto or a list'],
    [{ protocols: {} }, 'protocols cannot be [object Object]'],
    [{ preset: 'nobody' }, 'unknown preset "nobody"; known are:'],
  ])('%j', ([options, message]) => {
    expect(mistake((given) => extract(REPLY, given), options)).toContain(message)
    expect(mistake((given) => createExtractor(given), options)).toContain(message)
  })

  test('those that are undefined are not there', () => {
    const options = { tools: undefined, protocols: undefined, preset: undefined }
    expect(extract(REPLY, options as object).calls).toHaveLength(1)
  })
})

describe('pieces of a stream', () => {
  test.for<[unknown, string]>([
    [undefined, 'a chunk cannot be undefined'],
    [null, 'a chunk cannot be null'],
    [new Uint8Array(1), 'it takes text; take it out of what an API sends'],
    [{ choices: [] }, 'it takes text; take it out of what an API sends'],
  ])('%j is none, and spoils nothing', ([chunk, hint]) => {
    const extractor = createExtractor()
    extractor.push(REPLY.slice(0, 20))
    expect(mistake((given) => extractor.push(given), chunk)).toContain(hint)
    extractor.push(REPLY.slice(20))
    extractor.end()
    expect(extractor.result().calls).toHaveLength(1)
  })

  test.for([undefined, null, 5, {}])('a source cannot be %j', (source) => {
    const message = mistake((given) => extractStream(given), source)
    expect(message).toContain('it takes an AsyncIterable of text')
  })

  test('chunks of an API are told apart from text', async () => {
    async function* chunks(): AsyncGenerator<never> {
      // As a caller without types passes it.
      yield { choices: [{ delta: { content: 'Hello' } }] } as never
    }
    await expect(extractStream(chunks()).result).rejects.toThrow(
      'a chunk cannot be [object Object]',
    )
  })
})

describe('texts and schemas', () => {
  test.for<[string, () => unknown, string]>([
    ['parseArguments', () => parseArguments({ a: 1 } as never), 'is for coerce'],
    ['parseArguments, schema', () => parseArguments('', null as never), 'it takes JSON Schema'],
    [
      'repairJson',
      () => repairJson(undefined as never),
      'JSON to repair cannot be undefined; it takes text',
    ],
    [
      'coerce',
      () => coerce({}, undefined as never),
      'a schema cannot be undefined; it takes JSON Schema',
    ],
    [
      'augmentSystemPrompt',
      () => augmentSystemPrompt(5 as never, []),
      'the system prompt cannot be 5; it takes text',
    ],
    [
      'its tools',
      () => augmentSystemPrompt('', 'now' as never),
      'tools cannot be now; it takes a list',
    ],
    ['tool', () => tool(undefined as never), 'a tool needs a name'],
  ])('%s', ([, call, message]) => {
    expect(mistake(call, undefined)).toContain(message)
  })
})
