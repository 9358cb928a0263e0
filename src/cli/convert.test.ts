import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { anthropic } from '../dialects/anthropic.ts'
import { augmentSystemPrompt } from '../prompt/augment.ts'
import { UsageError } from './command.ts'
import { convertCommand } from './convert.ts'
import { createTerminal } from './terminal.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolglot-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  vi.restoreAllMocks()
})

function convert(document: unknown, ...args: readonly string[]) {
  const file = join(folder, 'document.json')
  writeFileSync(file, JSON.stringify(document))
  return convertCommand.run([file, ...args], createTerminal({ write: () => true }, {}, true))
}

describe('what cannot be converted', () => {
  test('is told as a mistake in what was given', async () => {
    const request = { model: 'm', prompt: 'no messages here' }
    const run = convert(request, '--from', 'openai-chat', '--to', 'anthropic')
    await expect(run).rejects.toThrow(UsageError)
    await expect(run).rejects.toThrow(/has a list of messages/)
  })

  test('because we are wrong is told as what it is', async () => {
    const mistake = new TypeError('undefined is not a function')
    vi.spyOn(anthropic, 'encodeRequest').mockImplementation(() => {
      throw mistake
    })
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hello?' }] }
    const run = convert(request, '--from', 'openai-chat', '--to', 'anthropic')
    await expect(run).rejects.toBe(mistake)
  })
})

describe('parts of a conversation', () => {
  async function converted(document: unknown, ...args: readonly string[]): Promise<string> {
    const file = join(folder, 'document.json')
    writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document))
    const lines: string[] = []
    const terminal = createTerminal({ write: (text) => lines.push(String(text)) > 0 }, {}, true)
    await convertCommand.run([file, ...args], terminal)
    return lines.join('')
  }
  async function json(document: unknown, ...args: readonly string[]): Promise<unknown> {
    return JSON.parse(await converted(document, ...args))
  }

  const args = '{"city":"Oslo"}'
  const REPLIES: readonly (readonly [string, object])[] = [
    [
      'anthropic',
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c1', name: 'read', input: { city: 'Oslo' } }],
        stop_reason: 'tool_use',
      },
    ],
    [
      'openai',
      {
        choices: [
          {
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id: 'c1', type: 'function', function: { name: 'read', arguments: args } },
              ],
            },
          },
        ],
      },
    ],
    [
      'ollama',
      {
        message: {
          role: 'assistant',
          tool_calls: [{ id: 'c1', function: { name: 'read', arguments: { city: 'Oslo' } } }],
        },
        done: true,
      },
    ],
  ]

  test.for(REPLIES)('calls of a reply of %s', async ([from, reply]) => {
    const calls = [{ id: 'c1', name: 'read', arguments: args }]
    expect(await json(reply, '--kind', 'calls')).toEqual(calls)
    expect(await json(reply, '--kind', 'calls', '--from', from)).toEqual(calls)
    expect(await converted(reply, '--kind', 'calls', '--compact')).toBe(
      `${JSON.stringify(calls)}\n`,
    )
  })

  test('no calls are an empty list', async () => {
    const reply = { choices: [{ message: { role: 'assistant', content: 'Hello.' } }] }
    expect(await json(reply, '--kind', 'calls')).toEqual([])
  })

  test('calls of a stream', async () => {
    const frames = [
      {
        choices: [{ delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'read' } }] } }],
      },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: args } }] } }] },
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    ]
    const stream = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')
    expect(await json(`${stream}data: [DONE]\n\n`, '--kind', 'calls')).toEqual([
      { id: 'c1', name: 'read', arguments: args },
    ])
  })

  test('a reply as the assistant message of another API', async () => {
    const [, [, chat = {}] = []] = REPLIES
    expect(await json(chat, '--kind', 'assistant', '--to', 'claude')).toEqual({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'c1', name: 'read', input: { city: 'Oslo' } }],
    })
  })

  const failed = { id: 'c1', name: 'read', content: 'gone', isError: true, errorCode: 'ENOENT' }

  test.for([
    ['openai', { role: 'tool', tool_call_id: 'c1', content: '[ERROR:ENOENT] gone' }],
    ['kimi', { role: 'tool', tool_call_id: 'c1', content: '[ERROR:ENOENT] gone' }],
    ['ollama', { role: 'tool', tool_name: 'read', content: '[ERROR:ENOENT] gone' }],
  ] as const)('a result for %s', async ([to, message]) => {
    expect(await json(failed, '--kind', 'result', '--to', to)).toMatchObject(message)
  })

  test('the results of a turn', async () => {
    const results = [failed, { tool_call_id: 'c2', content: { rows: 3 } }]
    expect(await json(results, '--kind', 'result', '--to', 'anthropic')).toMatchObject([
      {
        role: 'user',
        content: [
          { tool_use_id: 'c1', is_error: true },
          { tool_use_id: 'c2', content: '{"rows":3}' },
        ],
      },
    ])
  })

  const tools = [{ name: 'read_file', description: 'Reads', schema: { type: 'object' } }]

  test('a prompt is a text', async () => {
    const prompt = await converted({ tools }, '--kind', 'prompt', '--system', 'Be brief.')
    expect(prompt).toBe(`${augmentSystemPrompt('Be brief.', tools)}\n`)
    const other = await converted(tools, '--kind', 'prompt', '--protocol', 'hermes', '--compact')
    expect(other).toBe(
      `${augmentSystemPrompt(undefined, tools, { protocol: 'hermes', compact: true })}\n`,
    )
  })

  test.for<[unknown, readonly string[], string]>([
    [{ error: {} }, ['--kind', 'calls'], 'this is no reply of a known API'],
    [{}, ['--kind', 'result'], '--to is missing: say whose API the result is for'],
    [{ content: 'x' }, ['--kind', 'result', '--to', 'openai'], 'a tool result is {"id": '],
    ['nothing', ['--kind', 'result', '--to', 'openai'], 'a result must be JSON'],
    ['nothing', ['--kind', 'prompt'], 'a list of tools must be JSON'],
    [5, ['--kind', 'prompt'], 'a prompt is made of tools'],
    [[{}], ['--kind', 'prompt'], 'tools[0] has no name'],
    [tools, ['--kind', 'prompt', '--protocol', 'herms'], 'did you mean hermes?'],
    [tools, ['--kind', 'prompt', '--to', 'openai'], '--to means nothing with --kind prompt'],
    [{}, ['--kind', 'calls', '--whole'], '--whole means nothing with --kind calls'],
    [tools, ['--to', 'openai', '--system', 'x'], '--system means nothing without --kind prompt'],
    [tools, ['--kind', 'promt'], 'did you mean prompt?'],
  ])('%j with %j is refused', async ([document, more, message]) => {
    const run = converted(document, ...more)
    await expect(run).rejects.toThrow(UsageError)
    await expect(run).rejects.toThrow(message)
  })
})
