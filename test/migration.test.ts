/** The pages for those who come from another system are true: every line of their tables is run. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as agent from '../src/agent/index.ts'
import * as clients from '../src/client/index.ts'
import * as toolglot from '../src/index.ts'
import { allProviders } from '../src/providers/registry.ts'
import { scriptedModel } from '../src/testing/index.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Row {
  readonly there: string
  readonly here: string
}

interface Table {
  readonly head: string
  readonly rows: readonly Row[]
}

/** The tables of a page, without backticks around a cell that is one code. */
function tablesOf(page: string): Table[] {
  const document = readFileSync(join(ROOT, 'docs', 'guides', page), 'utf8')
  const blocks = document.match(/(?:^\|.*\|\n)+/gm) ?? []
  return blocks.map((block) => {
    const [head = [], , ...rows] = block.trimEnd().split('\n').map(cellsOf)
    return {
      head: head[0] ?? '',
      rows: rows.map(([there = '', here = '']) => ({ there, here: plain(here) })),
    }
  })
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split(/ \| /)
    .map((cell) => cell.trim())
}

function plain(cell: string): string {
  return /^`([^`]*)`$/.exec(cell)?.[1] ?? cell
}

// ── what the examples speak of ──────────────────────────────────────────────────────────────────

const parameters = { type: 'object', properties: { path: { type: 'string' } } }
const definition = {
  type: 'function',
  function: { name: 'look', description: 'Looks', parameters },
}
const wireCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'look', arguments: '{"path":"a"}' },
}
const block = (body: string): string => `~~~tool_call\n${body}\n~~~`
const json = '{"name": "look", "arguments": {"path": "a"}}'
const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { path: 'a' } }

function scope(): Record<string, unknown> {
  return {
    ...toolglot,
    ...clients,
    ...agent,
    provider: 'ollama',
    model: 'qwen3',
    prompt: 'Be brief.',
    text: `Here:\n${block(json)}`,
    broken: block('look at the file'),
    json: `I look. ${json}`,
    call: 'SearchDatabase(query="go", limit=10)',
    xml: `<tool_call name="@coder" args='{"cmd":"read"}'/>`,
    calls: [wireCall],
    response: { text: null, tool_calls: [wireCall] },
    reply: { choices: [{ message: { role: 'assistant', content: null, tool_calls: [wireCall] } }] },
    claudeReply: {
      type: 'message',
      role: 'assistant',
      content: [toolUse],
      stop_reason: 'tool_use',
    },
    definition,
    tools: [definition],
    runnable: [{ ...definition, execute: () => 'seen' }],
    messages: [{ role: 'user', content: 'Look.' }],
    error: Object.assign(new Error('no such file'), { code: 'ENOENT' }),
    client: scriptedModel([
      { calls: [{ name: 'look', arguments: { path: 'a' } }] },
      { text: 'Ok.' },
    ]),
  }
}

/** The value of an example. */
async function evaluated(code: string): Promise<unknown> {
  const names = scope()
  // Examples are texts of documents of ours, and nothing but running them shows that they are right.
  const run = new Function(...Object.keys(names), `return (async () => (${code}))()`)
  return await run(...Object.values(names))
}

const look = { name: 'look', arguments: { path: 'a' } }
const chatTool = { role: 'tool', tool_call_id: 'call_1' }
const done = { finishReason: 'stop', text: 'Ok.' }
const asked = { message: { toolCalls: [look] }, finishReason: 'tool-calls' }

/** What each example gives, by what it stands for. */
const GIVES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'from-exathena.md': {
    '`ToolCalls.extract(response, capabilities)`': [look],
    '`ToolCalls.Native.parse(calls)`': [{ ...look, id: 'call_1' }],
    '`ToolCalls.TextTagged.parse(text)`': [look],
    '`ToolCalls.RawJson.parse(text)`': [look],
    '`ToolCalls.augment_system_prompt(prompt, tools)`': expect.stringMatching(
      /^Be brief\.[\s\S]*~~~tool_call[\s\S]*"path"/,
    ),
    '`augment_system_prompt(prompt, tools, compact: true)`':
      expect.stringContaining('look(path?: string)'),
    '`{:ok, calls}`': [look],
    '`{:error, reason}`': { code: 'invalid-json' },
    '`%ToolCall{id, name, arguments}`': { ...look, id: expect.stringMatching(/^call_/) },
    '`%ToolResult{tool_call_id, content, is_error}`': { ...chatTool, content: 'done' },
    '`"__invalid_json__"`': { __invalid_json__: expect.stringContaining('look at the file') },
    '`FenceFilter`': [{ text: expect.stringMatching(/^Here:\s*$/) }],
    '`ExAthena.query(prompt, tools)`': asked,
    '`ExAthena.stream(prompt, tools)`': asked,
    '`ExAthena.run(prompt, tools)`': done,
    '`native_tool_calls: false`': 'text',
    '`self_contained_tools: true`': [],
    '`compact_tool_schemas: true`': [definition],
    '`max_iterations: 25`': done,
    '`max_consecutive_mistakes: 3`': done,
    '`can_use_tool: fn`': done,
    '`hooks: %{PreToolUse: …}`': done,
    '`parallel_safe?`': { name: 'look', concurrencySafe: true },
    '`finish` tool': { name: 'finish' },
  },
  'from-go-agentic.md': {
    '`ExtractToolCallsFromText(text)`': [
      { id: 'SearchDatabase_0', arguments: { query: 'go', limit: 10 } },
    ],
    '`ParseArguments(args)`': { query: 'go', limit: 10 },
    '`ToolCall{ID, ToolName, Arguments}`': { name: 'SearchDatabase' },
    '`tool_calls` of OpenAI, text otherwise': [{ ...look, id: 'call_1' }],
    '`ProviderTool{Name, Description, Parameters}`': [
      { type: 'function', function: { name: 'look', description: 'Looks' } },
    ],
    '`GetProvider(providerType, providerURL, apiKey)`, `LLMProvider`': 'ollama',
    '`provider.Complete(ctx, request)`': asked,
    '`provider.CompleteStream(ctx, request, chunks)`': asked,
    '`CompletionResponse{Content, ToolCalls, Usage}`': asked.message,
    '`ExecuteTool`, `ExecuteToolCalls`': done,
    '`FormatToolResults(results)`': [{ ...chatTool, content: 'seen' }],
    '`Primary`, `Backup`': { message: {} },
    'ids `ToolName_index`': 'SearchDatabase_0',
    'equal calls once': [{ name: 'SearchDatabase' }],
    'the prompt that asks for `ToolName(args)`': expect.stringMatching(/\w\([\s\S]*look/),
    'text first, as with Ollama': 'text',
  },
  'from-chatcli.md': {
    '`LLMClient`, `ToolAwareClient`': 'openai',
    '`SendPrompt(ctx, prompt, history, maxTokens)`': { message: {} },
    '`SendPromptWithTools(ctx, prompt, history, tools, maxTokens)`': asked,
    '`SupportsNativeTools()`': true,
    '`AsToolAware(client)`': 'native',
    '`GetModelName()`': expect.any(String),
    '`FallbackChain`': asked,
    '`GetHealth()`': [{ state: expect.any(String) }],
    '`ToolDefinition{Type, Function}`': [{ name: 'look', input_schema: parameters }],
    '`ToolCall{ID, Name, Arguments}`': { ...look, id: 'call_1' },
    '`ToolCall.ArgumentsJSON()`': '{"path":"a"}',
    '`ToolResult{ToolCallID, Content, IsError, ErrorCode}`': {
      role: 'user',
      content: [{ tool_use_id: 'call_1', is_error: true, content: '[ERROR:ENOENT] gone' }],
    },
    '`NewToolResultMessage(id, content, isError, code)`': {
      ...chatTool,
      content: '[ERROR:ENOENT] gone',
    },
    '`LLMResponse{Content, ToolCalls, Usage, StopReason}`': {
      message: { content: expect.any(String) },
      usage: {},
      stopReason: expect.any(String),
    },
    '`LLMResponse.HasToolCalls()`': 'tool-calls',
    '`ContentBlock{Type, Text, CacheControl}`': { message: {} },
    '`SystemParts` with `cache_control`': { message: {} },
    '`ParseToolCalls(text)`': [{ name: '@coder', arguments: { cmd: 'read' } }],
    'the XML prompt': expect.stringContaining('<tool_call name='),
    'the code of an error': 'ENOENT',
    'the repair of calls without results': [{ role: 'user' }],
  },
  'from-ai-gents.md': {
    '`provider_format_tools`': [{ name: 'look', input_schema: parameters }],
    '`provider_parse_tool_calls`': [{ id: 'toolu_1', name: 'look', arguments: '{"path":"a"}' }],
    '`provider_format_tool_result`': { role: 'tool', tool_name: 'look', content: 'seen' },
    'results of a whole turn': [{ role: 'user', content: [{ tool_use_id: 'call_1' }] }],
    '`provider_format_assistant_message`': {
      role: 'assistant',
      tool_calls: [{ id: 'toolu_1', function: { arguments: '{"path":"a"}' } }],
    },
    '`provider_supports_tools`': true,
    '`function_call` in a reply': [{ name: 'look', arguments: {} }],
    '`functions` in a request': [{ name: 'look', input_schema: { type: 'object' } }],
    '`run_tool_loop`': done,
    '`HTTP-Referer`, `X-Title`': 'openrouter',
  },
}

const CHECKS: Readonly<Record<string, (row: Row) => void>> = {
  'provider there': ({ there, here }) => {
    const written = plain(there).replace(/^:/, '')
    const settings = { realm: 'r', integrationId: 'i' }
    const baseUrl = here === 'openai-compatible' ? 'http://localhost:8000/v1' : undefined
    const made = clients.createClient({ provider: written, model: 'm', env: {}, settings, baseUrl })
    expect(made.provider).toBe(here)
  },
  'variable there': ({ here }) => {
    const variables = allProviders.flatMap(
      ({ keyVariables, baseUrlVariables = [], settings = {} }) => [
        ...keyVariables,
        ...baseUrlVariables,
        ...Object.values(settings).flatMap((setting) => setting.variables),
      ],
    )
    expect(variables).toContain(here)
  },
  'error there': ({ here }) => expect(Object.keys(clients.PROVIDER_ERROR_CODES)).toContain(here),
  'finish reason there': ({ here }) => expect(Object.keys(agent.FINISH_CATEGORIES)).toContain(here),
  'error code there': ({ there, here }) => {
    expect(plain(there)).toBe(here)
    expect(toolglot.errorCodeOf(THROWN[here])).toBe(
      here.replace('N', here.endsWith(':N') ? '3' : 'N'),
    )
  },
}

const coded = (code: string): Error => Object.assign(new Error(code), { code })

const THROWN: Readonly<Record<string, unknown>> = {
  ENOENT: coded('ENOENT'),
  EACCES: coded('EACCES'),
  EISDIR: coded('EISDIR'),
  EEXIST: coded('EEXIST'),
  Timeout: new DOMException('late', 'TimeoutError'),
  Canceled: new DOMException('enough', 'AbortError'),
  'ExitCode:N': Object.assign(new Error('failed'), { exitCode: 3 }),
  NetworkError: new TypeError('fetch failed'),
  DNSError: coded('ENOTFOUND'),
  InvalidArgs: Object.assign(new Error('no'), { errorCode: 'InvalidArgs' }),
}

const SHELL = 'in AI-Gents'

/** What the commands print. */
const PRINTS: Readonly<Record<string, unknown>> = {
  provider_format_tools: [{ name: 'look', input_schema: parameters }],
  provider_parse_tool_calls: [{ id: 'toolu_1', name: 'look', arguments: '{"path":"a"}' }],
  provider_format_tool_result: { ...chatTool, content: 'seen' },
  provider_format_assistant_message: { role: 'assistant', tool_calls: [{ id: 'call_1' }] },
  provider_supports_tools: { id: 'openrouter', tools: 'by model' },
}

let folder: string

beforeAll(() => {
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'prepare.mjs')], { stdio: 'inherit' })
  folder = mkdtempSync(join(tmpdir(), 'toolglot-migration-'))
  const { reply, claudeReply, tools } = scope()
  const result = { id: 'call_1', name: 'look', content: 'seen' }
  const files = { reply, 'claude-reply': claudeReply, tools, result }
  for (const [name, value] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(value))
  }
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function printed(command: string): unknown {
  const [program, ...args] = command.split(' ')
  expect(program).toBe('toolglot')
  const main = join(ROOT, 'dist', 'cli', 'main.js')
  const output = execFileSync(process.execPath, [main, ...args], { cwd: folder, encoding: 'utf8' })
  return JSON.parse(output)
}

describe.for(Object.entries(GIVES))('%s', ([page, gives]) => {
  const tables = tablesOf(page)
  const examples = tables.filter(({ head }) => head === 'there').flatMap(({ rows }) => rows)

  test('has the examples that are expected, and no table that nobody checks', () => {
    expect(examples.map(({ there }) => there)).toEqual(Object.keys(gives))
    const known = ['there', SHELL, ...Object.keys(CHECKS)]
    expect(tables.map(({ head }) => head).filter((head) => !known.includes(head))).toEqual([])
  })

  test.for(examples)('$there', async ({ there, here }) => {
    const expected = gives[there]
    const value = await evaluated(here)
    if (typeof expected === 'object' && expected !== null && !('asymmetricMatch' in expected)) {
      expect(value).toMatchObject(expected)
      if (Array.isArray(expected)) expect(value).toHaveLength(expected.length)
    } else expect(value).toEqual(expected)
  })

  const others = tables.flatMap(({ head, rows }) => rows.map((row) => ({ ...row, head })))
  test.for(others.filter(({ head }) => head in CHECKS))('$head: $there is $here', (row) => {
    CHECKS[row.head]?.(row)
  })

  test.for(others.filter(({ head }) => head === SHELL))('$there is $here', ({ there, here }) => {
    const [name = ''] = plain(there).split(' ')
    expect(printed(here)).toMatchObject(Object(PRINTS[name]))
  })
})

test('the page about presets names what people look for', () => {
  const presets = readFileSync(join(ROOT, 'docs', 'reference', 'presets.md'), 'utf8')
  for (const page of Object.keys(GIVES)) expect(presets).toContain(`../guides/${page}`)
})
