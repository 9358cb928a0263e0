import { describe, expect, test } from 'vitest'
import { createExtractor, extract, type ToolCall } from '../src/index.ts'
import { allProtocols } from '../src/protocols/registry.ts'

const text = { type: 'string' } as const

const tools = [
  {
    name: 'get_weather',
    inputSchema: {
      type: 'object',
      properties: { city: text, days: { type: 'integer' }, detail: { type: 'boolean' } },
    },
  },
  {
    name: 'write_file',
    inputSchema: {
      type: 'object',
      properties: { path: text, content: text, tags: { type: 'array', items: text } },
    },
  },
  { name: 'list_dir', inputSchema: { type: 'object', properties: {} } },
  { name: 'погода', inputSchema: { type: 'object', properties: { город: text } } },
] as const

const calls = [
  { name: 'get_weather', arguments: { city: 'Oslo', days: 3, detail: true } },
  { name: 'write_file', arguments: { path: 'a.txt', content: 'one\n"two"', tags: ['x', 'y z'] } },
  { name: 'list_dir', arguments: {} },
  { name: 'погода', arguments: { город: 'Осло' } },
]

/** What templates put before a reply, when a server forgets to leave it out. */
const HEADERS = [
  '<s>',
  '<bos>',
  '<|begin_of_text|>',
  '<|im_start|>assistant\n',
  '<|start_header_id|>assistant<|end_header_id|>\n\n',
  '<｜Assistant｜>',
]

/** And what models end it with. */
const ENDS = [
  '</s>',
  '<eos>',
  '<end_of_turn>',
  '<|im_end|>',
  '<|eot_id|>',
  '<|endoftext|>',
  '<｜end▁of▁sentence｜>',
  '\n<|im_end|>\n<|endoftext|>',
]

/** What has nothing to do with the call before it. */
const OTHERS = [
  '<b>x</b>',
  '\n<city>Rome</city>',
  '<br/>',
  ' ok',
  '\n\nDone.',
  '\n{"a": 1}',
  '[1]',
  ' (note)',
  ' "quoted"',
  '\ncity: Rome',
  '\n```py\nx = 1\n```',
  '\nThe tool get_weather(city) was called.',
]

/** A token of a template, and any marker. */
const SPECIAL = /<\|[^|>]*\|>|<｜[^｜]*｜>/g
const MARKER = /<[^<>\n]{1,60}>|\[[A-Z_]+\]/

/** Without its tokens nothing tells the key from the value, or the id from the name. */
const ILLEGIBLE: ReadonlySet<string> = new Set(['kimi-k3', 'muse-atem', 'solar'])
/** The first marker needs the word behind it. */
const WORD_BEHIND: ReadonlySet<string> = new Set(['harmony', 'muse-atem', 'minicpm5', 'minimax-m3'])
/** Behind text, what is left of it may be a line of a program. */
const CODE = 'function-pattern'
const CODE_IN_TAGS = 'olmo3'
/** The first marker is all of the call, or says who is called. */
const WHOLE = 'xml-attributes'
const NAMED_FIRST: ReadonlySet<string> = new Set([
  'functionary-v31',
  'mcp-xml',
  'minicpm5',
  'morph-xml',
  'yaml-xml',
  WHOLE,
])

/** What is left of an empty result is what the prompt stops at. */
const REACT = 'react'
/** Results that nothing but their words tells from other text or JSON, or that servers show as text. */
const SHOWN_RESULTS: ReadonlySet<string> = new Set([
  'bracket',
  'deepseek-v3',
  'deepseek-v31',
  'function-pattern',
  'json-shim',
  'minimax-m2',
  'raw-json',
])

/** What models end a turn with in the formats that are read when asked for by name. */
const OWN_ENDS: Readonly<Record<string, readonly string[]>> = {
  'command-r-plus': ['<|END_OF_TURN_TOKEN|>'],
  firefunction: ['<|eot_id|>'],
  'functionary-v31': ['<|eot_id|>', '<|eom_id|>'],
  'functionary-v32': ['<|eot_id|>', '<|eom_id|>'],
  'granite-20b-fc': ['<|endoftext|>'],
  jamba: ['<|eom|>'],
  'qwen25-tools': ['<|im_end|>', '<|endoftext|>'],
  step3: ['<｜end▁of▁sentence｜>'],
  xlam: ['<|eot_id|>', '<|im_end|>'],
}

function found(reply: string): { readonly calls: object[]; readonly text: string } {
  const whole = extract(reply, { tools })
  const extractor = createExtractor({ tools })
  for (const character of reply) extractor.push(character)
  extractor.end()
  const streamed = extractor.result()
  expect(streamed.calls.map(shown)).toEqual(whole.calls.map(shown))
  expect(streamed.text).toBe(whole.text)
  return { calls: whole.calls.map(shown), text: whole.text.trim() }
}

function shown({ name, arguments: args }: ToolCall): object {
  return { name, arguments: args }
}

describe.for(allProtocols)('$id', ({ id, formatCall, formatResult, free, auto }) => {
  const written = calls.map((call) => [formatCall?.(call) ?? '', call] as const)

  test.for(HEADERS)('behind %j', (header) => {
    for (const [block, call] of written)
      expect(found(header + block)).toEqual({ calls: [call], text: '' })
  })

  test.for(ENDS)('before %j', (end) => {
    for (const [block, call] of written)
      expect(found(block + end)).toEqual({ calls: [call], text: '' })
  })

  test.for(OWN_ENDS[id] ?? [])('before its own %j, pinned', (end) => {
    for (const reply of ['It is done.', ...written.map(([block]) => block)]) {
      const { text } = extract(reply, { tools, protocols: [id] })
      expect(extract(reply + end, { tools, protocols: [id] }).text).toBe(text)
    }
  })

  test.skipIf(ILLEGIBLE.has(id))('without its special tokens', () => {
    for (const [block, call] of written)
      expect(found(block.replaceAll(SPECIAL, '')).calls).toEqual([call])
  })

  test.skipIf(NAMED_FIRST.has(id))('without its first marker', () => {
    for (const [block, call] of written)
      expect(found(block.replace(MARKER, '')).calls).toEqual([call])
  })

  describe.skipIf(id === CODE)('behind a sentence', () => {
    const SAID = 'I look it up.\n'

    test('on lines of its own', () => {
      for (const [block, call] of written)
        expect(found(SAID + block)).toEqual({ calls: [call], text: SAID.trim() })
    })

    test.skipIf(ILLEGIBLE.has(id))('without its special tokens', () => {
      for (const [block, call] of written)
        expect(found(SAID + block.replaceAll(SPECIAL, '')).calls).toEqual([call])
    })

    test.skipIf(NAMED_FIRST.has(id) || id === CODE_IN_TAGS)('without its first marker', () => {
      for (const [block, call] of written)
        expect(found(SAID + block.replace(MARKER, '')).calls).toEqual([call])
    })
  })

  test.skipIf(free || WORD_BEHIND.has(id))('with a token behind its first marker', () => {
    for (const [block, call] of written) {
      for (const token of ['<bos>', '<eos>', '<pad>'])
        expect(found(`<bos>${block.replace(MARKER, `$&${token}`)}`)).toEqual({
          calls: [call],
          text: '',
        })
    }
  })

  test.skipIf(id === WHOLE)('with its first marker twice', () => {
    for (const [block, call] of written) {
      expect(found(block.replace(MARKER, '$&$&')).calls).toEqual([call])
      expect(found(block.replace(MARKER, '$&\n$&')).calls).toEqual([call])
    }
  })

  test.skipIf(free || auto === false || SHOWN_RESULTS.has(id))('before a made-up result', () => {
    for (const [block, call] of written) {
      for (const content of ['{"temp": 20}', 'It is 20 degrees.', '[1, 2]', '']) {
        const reply = block + formatResult({ callId: '1', name: call.name, content })
        expect(found(reply)).toEqual({ calls: [call], text: '' })
        if (content === '' && id === REACT) continue
        const codes = extract(reply, { tools }).issues.map(({ code }) => code)
        expect(codes).toEqual(['role-played-result'])
      }
    }
  })

  test.for(['tool_result', 'tool_response', 'function_output'])('inside a made-up <%s>', (tag) => {
    for (const [block] of written) {
      const reply = `Here it is.\n<${tag}>\nDone. ${block}\n</${tag}>\nAll went well.`
      for (const protocols of ['auto', [id]] as const) {
        const { calls, text, issues } = extract(reply, { tools, protocols })
        expect(calls).toEqual([])
        expect(text).toBe('Here it is.\n\nAll went well.')
        expect(issues.map(({ code }) => code)).toEqual(['role-played-result'])
      }
    }
  })

  // What has no marker must be all there is.
  test.skipIf(free || auto === false)('does not take in what follows', () => {
    for (const [block] of written) {
      const alone = found(block).calls
      for (const other of OTHERS) expect(found(block + other).calls, other).toEqual(alone)
    }
  })
})
