/** No silent loss: what begins like a call and does not become one is an issue with a span. */
import { describe, expect, test } from 'vitest'
import { createExtractor, type Extraction, extract } from '../src/index.ts'
import { allProtocols } from '../src/protocols/registry.ts'

const text = { type: 'string' } as const
const tools = [
  {
    name: 'get_weather',
    inputSchema: { type: 'object', properties: { city: text, days: { type: 'integer' } } },
  },
  { name: 'read_file', inputSchema: { type: 'object', properties: { path: text } } },
] as const

const json = '{"name": "read_file", "arguments": {"path": "/x"}}'
const made = { name: 'read_file', arguments: { path: '/x' } }

/** Character by character it must be the same. */
function read(reply: string, options: object = {}): Extraction {
  const whole = extract(reply, { tools, ids: 'sequential', ...options })
  const extractor = createExtractor({ tools, ids: 'sequential', ...options })
  for (const character of reply.split('')) extractor.push(character)
  extractor.end()
  expect(extractor.result()).toEqual(whole)
  for (const { span = [-1, -1] } of whole.issues) {
    expect(span[0]).toBeGreaterThanOrEqual(0)
    expect(span[1]).toBeGreaterThan(span[0])
  }
  return whole
}

describe('a block on one line is a call', () => {
  test.for([
    [`~~~tool_call ${json} ~~~`, 1],
    [`~~~tool_call ${json}\n~~~`, 1],
    [`~~~tool_call ${json}`, 1],
    [`~~~tool_call ${json} ~~~ ~~~tool_call ${json} ~~~`, 2],
    [`~~~tool_call ${json} ~~~\n~~~tool_call\n${json}\n~~~`, 2],
  ] as const)('%s', ([reply, count]) => {
    const calls = Array.from({ length: count }, () => made)
    expect(read(reply).calls).toMatchObject(calls)
    expect(read(reply, { protocols: ['text-tagged'] }).calls).toMatchObject(calls)
  })

  test.for([
    `\`\`\`json ${json} \`\`\``,
    `\`\`\`json ${json}\n\`\`\``,
    `\`\`\`${json}\`\`\``,
    `Let me look.\n\`\`\`json ${json} \`\`\``,
    '```json {"tool_call": "read_file", "args": {"path": "/x"}} ```',
    '```tool_code print(read_file(path="/x")) ```',
    '```python [read_file(path="/x")] ```',
    '```read_file(path="/x")```',
    `~~~TOOL_CALL ${json} ~~~`,
    `~~~ tool_call ${json} ~~~`,
  ])('%s', (reply) => {
    const { calls, issues } = read(reply)
    expect(calls).toMatchObject([made])
    expect(issues).toEqual([])
  })

  test('a block on one line that is no call does not make code of the rest', () => {
    const other = '{"name": "launch", "arguments": {"path": "/y"}}'
    const { calls } = read(`~~~json ${other} ~~~\nThen:\n~~~tool_call\n${json}\n~~~`)
    expect(calls).toMatchObject([made])
  })
})

describe('what is not made is an issue', () => {
  test.for([
    // A fence that does not begin its line, or says more.
    `Sure: ~~~tool_call ${json} ~~~`,
    `1. ~~~tool_call\n${json}\n~~~`,
    `\`\`\`json ${json} \`\`\` and then`,
    `See \`\`\`json ${json} \`\`\``,
    // Code that other text follows, or that is quoted.
    `Let me look.\n\`\`\`json ${json} \`\`\`\nOne moment.`,
    `> ~~~tool_call ${json} ~~~`,
    `\`\`\`json\n${json}\n// for example\n\`\`\``,
    // Formats without markers, among words, in code, in quotation marks.
    'Let me search.\nread_file(path="/x")',
    'Let me search.\nread_file()',
    'I call [read_file(path="/x")] now',
    '[read_file(path="/x")]I am reading',
    'Use read_file(path="/x") for it.',
    'Let me search.\nread_file (path="/x")',
    'Use read_file ("/x") for it.',
    '- read_file ({"path": "/x"})',
    '`read_file(path="/x")`',
    '“read_file(path="/x")”',
    '**read_file(path="/x")**',
    '```python\nread_file(path="/x")\nprint(1)\n```',
    `\`${json}\``,
    `"${json}"`,
    `**${json}**`,
    `Ok: ${json}`,
    `Ok: ${json} done`,
    'read_file {"path": "/x"} it is',
    // Cut off, or in a quotation.
    'read_file(path="/x"',
    '{"name": "read_file", "argu',
    '<function name="get_weather',
    '> <tool_call>\n> <function=get_weather>\n> <parameter=city>\n> Oslo\n> </parameter>\n> </function>\n> </tool_call>',
  ])('%s', (reply) => {
    const { calls, issues, text: visible } = read(reply)
    expect(calls).toEqual([])
    expect(issues).toHaveLength(1)
    expect(['quoted-call', 'truncated-call']).toContain(issues[0]?.code)
    expect(visible).toBe(reply)
  })

  test.for([
    `<think>Hm.\n${json}`,
    '<think>Hm. read_file(path="/x")',
    `<think>Hm. ~~~tool_call\n${json}\n~~~`,
  ])('in reasoning left open: %s', (reply) => {
    expect(read(reply)).toMatchObject({ calls: [], issues: [{ code: 'reasoning-call' }] })
  })

  test('a format that is not looked for', () => {
    const reply = `<TOOL_CALL>\n${json}\n</TOOL_CALL>`
    expect(read(reply, { protocols: ['kimi-k2'] }).issues).toMatchObject([{ code: 'quoted-call' }])
  })
})

test.for([
  'Call read_file(path) or read_file() please.',
  'Use get_weather (2 days ahead) and read_file (of the disk).',
  'The tool get_weather is for the weather; read_file reads files.',
  'Tools: {"name": "read_file", "parameters": {"type": "object", "properties": {}}}.',
  '```python\ndef main():\n    print("hi")\n```',
  'Wrap calls in `<tool_call>` tags, or in ~~~ fences.',
])('a mention is no issue: %s', (reply) => {
  expect(read(reply)).toMatchObject({ calls: [], issues: [], text: reply })
})

/** What models do to the calls of any format. */
const DAMAGES: Readonly<Record<string, (call: string) => readonly string[]>> = {
  'on one line': (call) => {
    const line = call.replace(/\s*\n\s*/g, ' ')
    return [line, `Sure.\n${line}`, `${line}\nDone.`, `Sure. ${line}`, `${line} Done.`]
  },
  'words before it': (call) => [`Sure: ${call}`, `Sure.\n${call}`, `1. ${call}`],
  'words after it': (call) => [`${call} Done.`, `${call}\nDone.`, `${call}.`, `${call};`],
  'words on both sides': (call) => [`I call ${call} now`, `Sure.\n${call}\nDone.`],
  'the opener on the line of the rest': (call) => [call.replace('\n', ' '), call.replace('\n', '')],
  indented: (call) => ['    ', '\t', '> '].map((lead) => call.replace(/^/gm, lead)),
  'in inline code': (call) => [`\`${call}\``, `Use \`${call}\`.`],
  'in quotation marks': (call) => [`"${call}"`, `'${call}'`, `“${call}”`, `(${call})`],
  'in bold print': (call) => [`**${call}**`, `*${call}*`],
  'in a code block': (call) => [
    `\`\`\`\n${call}\n\`\`\``,
    `Ok\n\`\`\`\n${call}\nmore\n\`\`\``,
    `\`\`\`\n${call}`,
    `\`\`\`${call}\`\`\``,
    `- \`\`\`\n  ${call}\n  \`\`\``,
  ],
  'in reasoning': (call) => [`<think>${call}</think>`, `<think>Hm. ${call}`, `<think>Hm.\n${call}`],
  twice: (call) => [`${call}${call}`, `${call}\n${call}`],
}

/** YAML among the marks of a quotation is not read, and has nothing that tells it from a tag of HTML. */
const isIllegible = (id: string, damage: string): boolean =>
  id === 'yaml-xml' && damage === 'indented'

describe('a damaged call is a call or an issue', () => {
  test.for(allProtocols)('$id', (protocol) => {
    const call = protocol.formatCall({ name: 'get_weather', arguments: { city: 'Oslo', days: 3 } })
    for (const [damage, apply] of Object.entries(DAMAGES)) {
      if (isIllegible(protocol.id, damage)) continue
      for (const reply of apply(call)) {
        for (const options of [{ tools }, { tools, protocols: [protocol] }]) {
          const { calls, issues } = extract(reply, options)
          expect(calls.length + issues.length, `${damage}: ${reply}`).toBeGreaterThan(0)
        }
      }
    }
  })
})
