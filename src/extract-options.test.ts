/** What callers pass by mistake is told at once, in words that say what to do. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  augmentSystemPrompt,
  coerce,
  createExtractor,
  detect,
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
    [{ tools: 'get_weather' }, 'tools cannot be "get_weather"; it takes a list or a record'],
    [{ tools: new Set(['get_weather']) }, 'tools cannot be an object; it takes a list'],
    [{ protocols: 'hermes' }, 'protocols cannot be "hermes"; it takes \'auto\' or a list'],
    [{ protocols: {} }, 'protocols cannot be an object'],
    [{ protocols: [undefined] }, 'unknown protocol "undefined"; known are:'],
    [{ protocols: [{ id: 'hermes' }] }, 'unknown protocol "[object Object]"; known are:'],
    [{ preset: 'nobody' }, 'unknown preset "nobody"; known are:'],
    [{ repair: 'none' }, 'repair cannot be "none"; it takes off, safe, guess'],
    [{ repair: false }, 'repair cannot be false; it takes off, safe, guess'],
    [
      { onMalformed: 'throw' },
      'onMalformed cannot be "throw"; it takes issue, error, sentinel, raw,',
    ],
    [{ dedupe: true }, 'dedupe cannot be true; it takes false, exact, adjacent'],
    [{ rawJson: 'no' }, 'rawJson cannot be "no"; it takes message, ending, anywhere, off'],
    [{ reasoning: 'off' }, 'reasoning cannot be "off"; it takes split, text'],
    [{ inReasoning: 'never' }, 'inReasoning cannot be "never"; it takes protocol, ignore, allow'],
    [{ ids: 'uuid' }, 'ids cannot be "uuid"; it takes random, sequential'],
    [{ limits: { maxCalls: 'many' } }, 'a limit cannot be "many"; it takes a number'],
    [{ limits: { maxCalls: undefined } }, 'a limit cannot be undefined; it takes a number'],
    [{ protocol: 'hermes' }, 'extract: unknown option "protocol"; did you mean "protocols"?'],
    [{ tool: ['get_weather'] }, 'extract: unknown option "tool"; did you mean "tools"?'],
    [{ colour: 'red' }, 'extract: unknown option "colour"; known are tools, expect, protocols,'],
    [{ limits: { maxCall: 1 } }, 'limits: unknown option "maxCall"; did you mean "maxCalls"?'],
    [{ capabilities: { native: true } }, 'capabilities: unknown option "native"'],
    [{ usedIds: 5 }, 'usedIds cannot be 5; it takes a list of ids'],
    // As in extract(reply, tools): without a word, nothing would be checked against them.
    [
      ['get_weather'],
      'the options of extract cannot be a list; it takes an object, as in { tools: [...] }',
    ],
  ])('%j', ([options, message]) => {
    expect(mistake((given) => extract(REPLY, given), options)).toContain(message)
    expect(mistake((given) => createExtractor(given), options)).toContain(message)
  })

  test('those that are undefined are not there', () => {
    const options = { tools: undefined, protocols: undefined, preset: undefined, repair: undefined }
    expect(extract(REPLY, options as object).calls).toHaveLength(1)
  })

  test('what JSON has for nothing is no word', () => {
    const options = { model: null, finishReason: null, repair: null, dedupe: null, limits: null }
    expect(extract(REPLY, options as object).calls).toHaveLength(1)
  })

  test('null is no options', () => {
    const message = mistake((given) => extract(REPLY, given), null)
    expect(message).toContain(
      'the options of extract cannot be null; it takes an object, as in { tools',
    )
  })

  test.for(['length', 'max_tokens', 'MAX_TOKENS'])('%s is a word for a reply cut off', (word) => {
    const unclosed = '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n'
    expect(extract(unclosed).calls).toHaveLength(1)
    const given = { finishReason: word } as object
    expect(extract(unclosed, given).issues.map(({ code }) => code)).toEqual(['truncated-call'])
    const extractor = createExtractor()
    extractor.push(unclosed)
    extractor.end(given)
    expect(extractor.result().calls).toEqual([])
  })

  test.for(['tool_calls', 'end_turn', 'a word of tomorrow'])('%s is none', (word) => {
    const extractor = createExtractor({ finishReason: word } as object)
    extractor.push(REPLY)
    extractor.end({ finishReason: word } as object)
    expect(extractor.result().calls).toHaveLength(1)
  })
})

describe('replies that have not arrived', () => {
  test.for<[string, unknown, string]>([
    ['a Response', new Response('{}'), 'pass await response.json()'],
    ['a Promise', Promise.resolve('{}'), 'await it'],
    ['a stream', new Response('{}').body, 'extractStream reads streams'],
  ])('%s', ([, reply, hint]) => {
    expect(mistake((given) => extract(given), reply)).toContain(hint)
  })
})

describe('chunks of a stream', () => {
  test.for<[unknown, string]>([
    [undefined, 'a chunk cannot be undefined'],
    [null, 'a chunk cannot be null'],
    [new Uint8Array(1), 'it takes text; pass the text of each chunk, as in chunk.choices[0]'],
    [{ choices: [] }, 'it takes text; pass the text of each chunk, as in chunk.choices[0]'],
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
      'a chunk cannot be an object; it takes text',
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
    ['coerce, schema', () => coerce({}, [] as never), 'it takes JSON Schema'],
    [
      'coerce, schema of a library',
      () => coerce({}, z.object({}) as never),
      'inputSchema: schema }).inputSchema converts it',
    ],
    [
      'repairJson, options',
      () => repairJson('{}', null as never),
      'options of repairJson cannot be null',
    ],
    [
      'repairJson, repair',
      () => repairJson('{}', { repair: 'none' as never }),
      'repair cannot be "none"; it takes off, safe, guess',
    ],
    [
      'repairJson, schema',
      () => repairJson('{}', { schema: z.object({}) as never }),
      'a schema cannot be one of a library',
    ],
    ['detect', () => detect({ choices: [] } as never), 'a text to look at cannot be an object'],
    [
      'augmentSystemPrompt',
      () => augmentSystemPrompt(5 as never, []),
      'the system prompt cannot be 5; it takes text',
    ],
    [
      'its tools',
      () => augmentSystemPrompt('', 'now' as never),
      'tools cannot be "now"; it takes a list',
    ],
    [
      'its options',
      () => augmentSystemPrompt('', [], null as never),
      'of augmentSystemPrompt cannot be null',
    ],
    [
      'its protocol',
      () => augmentSystemPrompt('', [], { protocol: 5 as never }),
      'protocol cannot be 5; it takes an id or a protocol of your own',
    ],
    ['tool', () => tool(undefined as never), 'a tool needs a name'],
  ])('%s', ([, call, message]) => {
    expect(mistake(call, undefined)).toContain(message)
  })
})
