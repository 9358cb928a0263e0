/**
 * The recorded vectors of the four seed systems, run as they are. They live beside the repository
 * and not in it; `seeds.test.ts` says the same in our own words and runs everywhere.
 */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { budgetCacheMarkers, limitCacheMarkers } from '../src/dialects/anthropic-cache.ts'
import { heal } from '../src/dialects/transcode.ts'
import {
  augmentSystemPrompt,
  coerce,
  createExtractor,
  decodeResponse,
  type ExtractOptions,
  errorCodeOf,
  extract,
  formatAssistantMessage,
  formatToolResult,
  formatTools,
  type JsonObject,
  type JsonSchema,
  type PresetName,
  parseArguments,
  parseToolCalls,
  repairJson,
  type TracedExtraction,
} from '../src/index.ts'
import {
  checkBatchResults,
  checkBudget,
  checkGuard,
  checkPartition,
  checkPermissions,
  checkReplay,
  checkRunBatch,
  checkScenario,
  checkStarvation,
  checkStrict,
  checkStructured,
} from './support/seed-agent.ts'
import {
  type CountingClient,
  countingClient,
  errorOf,
  isKind,
  patientChain,
} from './support/seed-chain.ts'
import { healHistory, readHistory, toolMessage, writeHistory } from './support/seed-history.ts'

type Fields = Readonly<Record<string, unknown>>

/** The vectors about chains have no conversation of their own. */
const QUESTION = [{ role: 'user', content: 'Hello' }] as const

/** One recorded vector. Which fields there are depends on the section and on `fn`. */
interface Vector extends Fields {
  readonly id: string
  readonly fn?: string
  readonly gen?: string
  readonly bug?: boolean
  readonly in?: unknown
  readonly out?: unknown
  readonly error?: string
  readonly cases?: readonly (readonly unknown[])[]
}

/** Our result in the form in which the vector records its own. */
type Run = (vector: Vector) => unknown
/** Compares our result with the recorded one, at once or in a promise. */
type Check = (vector: Vector) => unknown

const FILE = new URL('../../shared/vectors/seeds.json', import.meta.url)
const found = existsSync(FILE)
const sections: Readonly<Record<string, readonly Vector[]>> = found
  ? JSON.parse(readFileSync(FILE, 'utf8'))
  : {}

// ── what is left for later ──────────────────────────────────────────────────────────────────────

const LATER: Readonly<Record<string, string>> = {
  '2.8 executeToolCalls': 'the agent loop',
  '2.8 formatToolResults': 'the agent loop',
  '2.8 formatValidationError': 'the agent loop',
  '2.9 looksLikeObjectLiteral': 'a helper of that system without a counterpart',
  '2.10': 'a list of codes, each of which other vectors cover',
  '2.10 wrapLegacy': 'the agent loop; tested beside its source',
  '2.11 supportsTools': 'what a provider can do',
  '2.11 requestExtras': 'the client',
}

// ── where we are better ─────────────────────────────────────────────────────────────────────────

/** What we give where the recorded answer is a mistake. */
const BETTER: Readonly<Record<string, unknown>> = {
  'EA-N15': [],
  'EA-T14': [{ name: 'a', arguments: {} }],
  'EA-T15': [
    { name: 'a', arguments: {} },
    { name: 'b', arguments: {} },
  ],
  'EA-T16': [{ name: 'a', arguments: {} }],
  'EA-T17': [],
  'EA-R20': [],
  'EA-R21': [{ name: 'a', arguments: { x: 1 } }],
  'EA-X14': [],
  'EA-X15': [{ name: 't', arguments: {} }],
  'EA-F16': 'a\n\nIMPORTANT ANSWER',
  'EA-F17': 'I use `~~~tool_call\n` fences. Then more text',
  'GA-v11': [{ name: 'foo', arguments: { x: 1 } }],
  'GA-v13': [],
  'GA-v14': [{ name: 'calc', arguments: { expr: 'f(2)', y: 3 } }],
  'GA-v15': [{ name: 'write', arguments: { text: 'a (b) c', n: 1 } }],
  'GA-v16': [],
  'GA-v17': [],
  'GA-v29': { code: '02134', v: '1.0', ok: 'true', grade: 'F' },
  'GA-v30': { arg0: 'a=b' },
  'GA-v31': { q: 'x', arg1: '5' },
  'CC-P25': ['@a', '@b'],
  'CC-P26': [{ name: '@x', arguments: { q: 1 } }],
  'CC-P27': ['read'],
  'CC-P28': ['@x'],
  'CC-P29': [{ name: '@x', arguments: { q: 'set name=foo' } }],
  'CC-P30': [{ name: '@x', arguments: { p: 'C:\\dir' } }],
  'CC-P31': [],
  'CC-P32': ['read_file'],
  'CC-F14': ['context_length_exceeded', 'overloaded', 'timeout'],
  'AG-v06': [
    { name: 'add', arguments: '{"a":1}' },
    { name: 'add', arguments: '{"a":2}' },
  ],
  'AG-v08': [{ name: 'f', arguments: '{"a":1}' }],
}

/** What we give where the recorded answer is no mistake, but the notes beside it ask for more. */
const OURS: Readonly<Record<string, { readonly why: string; readonly out: unknown }>> = {
  'EA-P10': {
    why: 'a compact list keeps unions, the kind of the items and one level of keys',
    out: ['- t(a?: object[], o?: {x?: string}, u?: string|null)'],
  },
  'GA-v25': {
    why: 'a key with a colon and an object in braces are understood',
    out: [{ timeout: 30 }, { path: '/tmp' }, { key: 'value' }],
  },
  'GA-v51': {
    why: 'arguments sent as an object are not lost',
    out: [[], [], [{ name: 'x', arguments: {} }], [{ name: 'x', arguments: { k: 1 } }]],
  },
  'GA-v61': {
    why: 'a fraction is not cut off',
    out: [42, 'error', 123, -50, 'error', 'error'],
  },
  'GA-v62': {
    why: 'only 0 and 1 are truth values among the numbers',
    out: [true, true, false, false, 'error', 'error', false, 'error'],
  },
}

// ── our functions under their names ─────────────────────────────────────────────────────────────

const GENERATIONS: Readonly<Record<string, PresetName>> = {
  '0': 'exathena-0.4',
  '1': 'exathena-0.4.6',
  '2': 'exathena',
}

/** The presets of the generations that the vector speaks of. */
function presetsOf({ gen = '0,1,2' }: Vector): PresetName[] {
  return gen.split(',').map((one) => GENERATIONS[one] ?? 'exathena')
}

function callsOf(reply: unknown, options: ExtractOptions): Fields[] {
  return extract(reply, options).calls.map(({ name, arguments: args }) => ({
    name,
    arguments: args,
  }))
}

function namesOf(reply: unknown, options: ExtractOptions): string[] {
  return extract(reply, options).calls.map(({ name }) => name)
}

function toolsOf(...names: readonly string[]): ExtractOptions {
  return { tools: names.map((name) => ({ name })) }
}

function visibleText(vector: Vector): { before: string; visible: string } {
  const extractor = createExtractor({ preset: 'exathena-0.4' })
  const told: string[] = []
  const tell = (events: ReturnType<typeof extractor.push>) => {
    for (const event of events) if (event.type === 'text-delta') told.push(event.text)
  }
  for (const chunk of listOf(vector['chunks'])) tell(extractor.push(String(chunk)))
  const before = told.join('')
  tell(extractor.end())
  expect(extractor.result().text).toBe(told.join(''))
  return { before, visible: told.join('') }
}

function wireCalls(vector: Vector): Fields[] {
  const calls = parseToolCalls(vector.in, String(vector['provider']))
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
  return calls.map(({ name, arguments: args }) => ({ name, arguments: args }))
}

function toolResult(input: unknown, provider: string): Fields {
  const [id = '', name = '', content = ''] = listOf(input)
  return formatToolResult({ id: String(id), name: String(name), content }, provider)
}

function convert(value: unknown, type: string): unknown {
  const { value: converted, issues } = coerce(value as never, { type })
  return issues.length > 0 ? 'error' : converted
}

// ── running them ────────────────────────────────────────────────────────────────────────────────

/** Where a recorded mistake is compared with what we do, safe options are what we would use. */
const BUG_RUNS: Readonly<Record<string, Run>> = {
  '2.1': ({ in: calls }) => callsOf(calls, {}),
  '2.2': ({ in: text }) => callsOf(text, { protocols: ['text-tagged'] }),
  '2.3': ({ in: text }) => callsOf(text, { protocols: ['raw-json'] }),
  '2.4': ({ in: reply }) => callsOf(reply, toolsOf('read', 't')),
  '2.6': (vector) => visibleText(vector).visible,
  '2.8': (vector) =>
    vector.id === 'GA-v13'
      ? namesOf(vector.in, toolsOf('file', 'foo', 'commit'))
      : inItsForm(vector, { preset: 'go-agentic' }),
  '2.8 parseArguments': ({ in: text }) => parseArguments(String(text)).arguments,
  '2.9': (vector) => inItsForm(vector, { preset: 'chatcli' }),
  '2.9 shim.parse': ({ in: text }) => namesOf(text, { protocols: ['json-shim'] }),
  '2.10 classify': ({ cases = [] }) => cases.map(([text]) => errorOf(String(text)).code),
  '2.11 parseToolCalls': wireCalls,
}

/** Names where the vector has names, calls where it has calls. */
function inItsForm(vector: Vector, options: ExtractOptions): unknown {
  return vector['names'] ? namesOf(vector.in, options) : callsOf(vector.in, options)
}

const OUR_RUNS: Readonly<Record<string, Run>> = {
  '2.5': (vector) => [promptOf(vector).trimEnd().split('\n').at(-1)],
  '2.8 parseArguments': ({ cases = [] }) =>
    cases.map(([text]) => parseArguments(String(text)).arguments),
  '2.8 openaiNative': ({ cases = [] }) =>
    cases.map(([call]) => callsOf([call], { preset: 'go-agentic' })),
  '2.8 coerceToInt': ({ cases = [] }) => cases.map(([value]) => convert(value, 'integer')),
  '2.8 coerceToBool': ({ cases = [] }) => cases.map(([value]) => convert(value, 'boolean')),
}

const CHECKS: Readonly<Record<string, Check>> = {
  '2.7': checkScenario,
  '2.7 budget.exceeded': checkBudget,
  '2.7 detect_starvation': checkStarvation,
  '2.7 structured': checkStructured,
  '2.7 structured_strict': checkStrict,
  '2.7 replay': checkReplay,
  '2.7 permissions': checkPermissions,
  '2.10 partition': checkPartition,
  '2.10 runBatch': checkRunBatch,
  '2.10 batchResults': checkBatchResults,
  '2.10 toolGuard': checkGuard,
  '2.1': checkNative,
  '2.2': checkTextTagged,
  '2.3': (vector) => {
    expectCalls(extract(vector.in, { protocols: ['raw-json'] }), vector.out)
    expectCalls(extract(vector.in), vector.out)
  },
  '2.4': checkCascade,
  '2.5': checkPrompt,
  '2.6': (vector) => {
    const { before, visible } = visibleText(vector)
    expect(visible).toBe(vector['visible'])
    if (vector['beforeFlush'] !== undefined) expect(before).toBe(vector['beforeFlush'])
  },
  '2.8': (vector) => {
    const result = extract(vector.in, { preset: 'go-agentic' })
    if (vector['names']) expect(result.calls.map(({ name }) => name)).toEqual(vector['names'])
    else expectCalls(result, vector.out)
  },
  '2.8 parseArguments': (vector) => {
    for (const [text, out] of vector.cases ?? [[vector.in, vector.out]]) {
      expect(parseArguments(String(text)).arguments).toEqual(out)
    }
  },
  '2.8 splitArguments': ({ cases = [] }) => {
    for (const [text, count] of cases) {
      expect(Object.keys(parseArguments(String(text)).arguments)).toHaveLength(Number(count))
    }
  },
  '2.8 isIdentChar': ({ cases = [] }) => {
    for (const [character, isName] of cases) {
      const names = namesOf(`a${character}(1)`, { preset: 'go-agentic' })
      expect(names.includes(`a${character}`)).toBe(isName)
    }
  },
  '2.8 openaiNative': (vector) =>
    expectCalls(extract(vector.in, { preset: 'go-agentic' }), vector.out),
  '2.8 coerceToString': ({ cases = [] }) => {
    for (const [value, out] of cases) expect(convert(value, 'string')).toBe(out)
  },
  '2.9': checkChatcli,
  '2.9 jsonObjToToolCall': ({ cases = [] }) => {
    for (const [object, name] of cases) {
      const names = namesOf(JSON.stringify(object), { preset: 'chatcli' })
      expect(names).toEqual(name === null ? [] : [name])
    }
  },
  '2.9 normalizeArgs': (vector) =>
    expect(parseArguments(String(vector.in)).arguments).toEqual(vector.out),
  '2.9 aggressiveFix': (vector) =>
    expect(parseArguments(String(vector.in)).arguments).toEqual(vector.out),
  '2.9 wrapPlainString': ({ cases = [] }) => {
    for (const [, text, out] of cases) checkPlainText(String(text), out)
  },
  '2.9 repairInvalidEscapes': ({ cases = [] }) => {
    for (const [text, out] of cases) {
      expect(repairJson(String(text)).value).toEqual(JSON.parse(String(out)))
    }
  },
  '2.9 stripMarkup': ({ cases = [] }) => {
    for (const [text, out] of cases) expect(extract(text, { preset: 'chatcli' }).text).toBe(out)
    const tags = `<tool name="@a" args='{}'/><tool name="@a" args='{}'></tool><tool_call name="@a" args='{}'/><tool_call name="@a" args='{}'></tool_call>`
    expect(extract(`x${tags}y`, { preset: 'chatcli' }).text).toBe('xy')
  },
  '2.10 openaiToolContent': (vector) => {
    const result = { tool_call_id: 'c', content: '', ...fieldsOf(vector.in) }
    expect(formatToolResult(result, 'openai')['content']).toBe(vector.out)
  },
  '2.10 anthropicToolResult': (vector) => {
    const result = { content: '', ...fieldsOf(vector.in) }
    expect(formatToolResult(result, 'anthropic')).toEqual(vector.out)
  },
  '2.10 argumentsJSON': ({ cases = [] }) => {
    for (const [args, out] of cases) {
      const tool_calls = [{ id: 'c', function: { name: 'f', arguments: args } }]
      const [call] = parseToolCalls({ choices: [{ message: { tool_calls } }] }, 'openai')
      expect(call?.arguments).toBe(out)
    }
  },
  '2.10 openaiParse': checkOpenAiResponse,
  '2.10 messageValid': ({ cases = [] }) => {
    for (const [message, isValid] of cases) expect(isPaired(fieldsOf(message))).toBe(isValid)
  },
  '2.10 buildMessages': (vector) => {
    const { prompt, history } = fieldsOf(vector.in)
    const messages = [...listOf(history), { role: 'user', content: prompt }].map(fieldsOf)
    const sent = heal(messages, 'openai-chat')
    expect(sent.map(({ role }) => role)).toEqual(vector['roles'])
    expect(sent.at(-1)?.['content']).toBe(vector['last'])
  },
  '2.10 cacheMarkers': (vector) => {
    const { marked, max } = fieldsOf(vector.in)
    expect(marksOf(limitCacheMarkers(blocksOf(marked), Number(max)))).toEqual(vector.out)
  },
  '2.10 cacheBudget': (vector) => {
    const { system, tools, messages } = fieldsOf(vector.in)
    const request = {
      system: blocksOf(system),
      tools: blocksOf(tools),
      messages: [{ role: 'user', content: blocksOf(messages) }],
    }
    const budgeted = budgetCacheMarkers(request, Number(vector['max']))
    expect({
      system: marksOf(budgeted.system),
      tools: marksOf(budgeted.tools),
      messages: marksOf(budgeted.messages.flatMap(({ content }) => content)),
    }).toEqual(vector.out)
  },
  '2.10 pairing': checkPairing,
  '2.10 classify': ({ cases = [] }) => {
    for (const [text, kind] of cases) {
      expect(errorOf(String(text ?? '')).code).toSatisfy((code) => isKind(code, String(kind)))
    }
  },
  '2.10 chain': checkChain,
  '2.10 chainTools': async (vector) => {
    const clients = listOf(vector['entries']).map((name) =>
      countingClient(String(name), 'ok', name === 'toolAware'),
    )
    const tools = [{ name: 'look', inputSchema: {} }]
    const answer = patientChain(clients).chain.complete({ messages: QUESTION, tools })
    if (vector.error) return expect(answer).rejects.toMatchObject({ code: 'unsupported' })
    expect((await answer).message.content).toBe(vector.out)
    expect(clients.map(({ calls }) => calls)).toEqual(vector['calls'])
  },
  '2.10 getModelName': async ({ cases = [] }) => {
    for (const [what, name] of cases) {
      // A chain without clients is refused when it is made, and has no name.
      if (what === 'no providers') {
        expect(() => patientChain([])).toThrow('at least one client')
        continue
      }
      const first = countingClient('gpt-4', what === 'first cooling' ? '503 busy' : 'ok')
      const { chain } = patientChain([first, countingClient('claude-3')])
      await chain.complete({ messages: QUESTION })
      expect(chain.model).toBe(name)
    }
  },
  '2.10 classifyErrorCode': checkErrorCodes,
  '2.10 leadingWord': ({ cases = [] }) => {
    for (const [message, word] of cases) {
      const code = errorCodeOf(new Error(String(message)))
      const capitalized = String(word).replace(/^./, (letter) => letter.toUpperCase())
      expect(code).toBe(word === '' ? 'UnknownError' : `${capitalized}Error`)
    }
  },
  '2.10 agentCall': (vector) => {
    const { calls, issues } = extract(vector.in, { preset: 'chatcli' })
    if (vector.out) expect(calls.map(({ arguments: args }) => args)).toEqual(vector.out)
    if (!vector['agents']) return
    expect(calls.map(({ arguments: args }) => args['agent'])).toEqual(vector['agents'])
    expect(issues).toHaveLength(Number(vector['droppedReported']))
  },
  '2.11 formatTools': (vector) => {
    for (const provider of providersOf(vector)) {
      const out = vector.out === 'unchanged' ? vector.in : vector.out
      expect(formatTools(listOf(vector.in), provider)).toEqual(out)
    }
  },
  '2.11 parseToolCalls': checkWireCalls,
  '2.11 formatToolResult': (vector) => {
    for (const provider of providersOf(vector)) {
      expect(toolResult(vector.in, provider)).toEqual(vector.out)
    }
  },
  '2.11 toolResult': (vector) =>
    expect(toolResult(vector.in, String(vector['provider']))).toEqual(vector.out),
  '2.11 formatAssistantMessage': (vector) =>
    expect(formatAssistantMessage(vector.in, String(vector['provider']))).toEqual(vector.out),
}

function checkNative(vector: Vector): void {
  for (const preset of presetsOf(vector)) {
    const result = extract(vector.in, { preset })
    if (vector.out) expectCalls(result, vector.out)
    else if (preset !== 'exathena') expectError(result, vector.error)
  }
  if (vector.out && vector.gen === undefined) expectCalls(extract(vector.in), vector.out)
}

function checkTextTagged(vector: Vector): void {
  for (const preset of ['exathena-0.4', 'exathena-0.4.6'] as const) {
    const result = extract(vector.in, { preset })
    if (vector.out) expectCalls(result, vector.out)
    else expectError(result, vector.error)
  }
  if (vector.out) expectCalls(extract(vector.in), vector.out)
  // Without the strict preset a mistake is an issue; a list in one block is not even that.
  else if (vector.id !== 'EA-T12') expect(extract(vector.in).issues).toHaveLength(1)
}

function checkCascade(vector: Vector): void {
  const { native_tool_calls: native, self_contained_tools: own } = fieldsOf(vector['caps'])
  const capabilities = {
    ...(typeof native === 'boolean' && { nativeToolCalls: native }),
    ...(typeof own === 'boolean' && { selfContainedTools: own }),
  }
  for (const preset of presetsOf(vector)) {
    expectCalls(extract(vector.in, { preset, capabilities }), vector.out)
  }
}

function promptOf(vector: Vector): string {
  const base = vector['base'] === undefined ? undefined : (vector['base'] as string | null)
  return augmentSystemPrompt(base, listOf(vector['tools']), { compact: vector['compact'] === true })
}

function checkPrompt(vector: Vector): void {
  if (vector['property'] === 'size') return checkCompactSize()
  const prompt = promptOf(vector)
  for (const part of listOf(vector['contains'])) expect(prompt).toContain(part)
  for (const part of listOf(vector['notContains'])) expect(prompt).not.toContain(part)
  if (vector['endsWith']) expect(prompt.endsWith(String(vector['endsWith']))).toBe(true)
}

function checkCompactSize(): void {
  const properties = Object.fromEntries(
    ['path', 'depth', 'pattern', 'limit', 'format'].map((key) => [
      key,
      { type: 'string', description: `The ${key} to use for this request` },
    ]),
  )
  const tools = Array.from({ length: 10 }, (_, index) => ({
    name: `tool_${index}`,
    description: 'Does one thing and does it well. Says what came of it.',
    schema: { type: 'object', properties, required: ['path'] },
  }))
  const size = (compact: boolean) =>
    Buffer.byteLength(augmentSystemPrompt(undefined, tools, { compact }))
  expect(size(true)).toBeLessThanOrEqual(0.8 * size(false))
}

function checkChatcli(vector: Vector): void {
  if (vector['none']) {
    for (const text of listOf(vector['none'])) {
      const result = extract(text, { preset: 'chatcli' })
      expect(result.calls).toEqual([])
      expect(result.text).toBe(text)
    }
    return
  }
  const result = extract(vector.in, { preset: 'chatcli' })
  if (vector['names']) expect(result.calls.map(({ name }) => name)).toEqual(vector['names'])
  if (vector.out) expectCalls(result, vector.out, String(vector.in))
  const parts = listOf(vector['argsContain'])
  if (parts.length === 0) return
  expect(result.calls).toHaveLength(parts.length)
  for (const [index, part] of parts.entries()) {
    expect(JSON.stringify(result.calls[index]?.arguments)).toContain(part)
  }
}

/** The tool's own field for a plain text is the one its schema requires. */
function checkPlainText(text: string, out: unknown): void {
  const [field] = Object.keys(fieldsOf(out))
  if (field === undefined) {
    expect(parseArguments(text).arguments).toEqual(
      text.startsWith('{') ? JSON.parse(text) : { arg0: text },
    )
    return
  }
  const schema: JsonSchema = { type: 'object', properties: { [field]: { type: 'string' } } }
  expect(parseArguments(text, schema).arguments).toEqual(out)
}

function checkOpenAiResponse(vector: Vector): void {
  for (const [body] of vector.cases ?? []) {
    expect(decodeResponse(parsed(String(body)), 'openai').error).toBeDefined()
  }
  if (vector.cases) return
  const { message, stopReason, usage } = decodeResponse(vector.in, 'openai', { onMalformed: 'raw' })
  const out = fieldsOf(vector.out)
  const calls = message.toolCalls?.map(({ id, name, arguments: args }) => ({
    id,
    name,
    arguments: args,
  }))
  expect(calls).toEqual(out['tool_calls'])
  expect(stopReason).toBe(out['stop_reason'])
  expectCalls(extract(vector.in, { preset: 'chatcli' }), out['tool_calls'])
  if (out['content'] !== undefined) expect(message.content).toBe(out['content'])
  if (out['usage'] === undefined) return
  expect({
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.totalTokens,
  }).toEqual(out['usage'])
}

function checkPairing(vector: Vector): void {
  // The last one only has a note: what a result looks like that was made up.
  const turns = vector.in === undefined ? ['A(f:0)'] : listOf(vector.in).map(String)
  const { messages, count } = healHistory(readHistory(turns))
  const wanted = vector.out === 'unchanged' ? turns : (vector.out ?? ['A(f:0)', 'T*(f:0)'])
  expect(writeHistory(messages)).toEqual(wanted)
  for (const [what, times] of Object.entries(fieldsOf(vector['report']))) {
    expect(count(what), what).toBe(times)
  }
  const results = messages.flatMap(({ toolResults = [] }) => toolResults)
  const madeUp = results.filter(({ isError }) => isError)
  expect(madeUp).toHaveLength(listOf(wanted).filter((turn) => /^T\*/.test(String(turn))).length)
  for (const { errorCode } of madeUp) expect(errorCode).toBe('missing_result')
}

/** True when a message can stand in a history as it is, with the call or the result that belongs to it. */
function isPaired({ role, tool_call_id: id = '', tool_calls: calls }: Fields): boolean {
  const ids = listOf(calls).map((call) => String(fieldsOf(call)['id']))
  const history =
    role === 'tool'
      ? [...readHistory(['A(call_1)']), toolMessage([String(id)])]
      : [...readHistory([`A(${ids.join()})`]), toolMessage(ids)]
  return writeHistory(healHistory(history).messages).join() === writeHistory(history).join()
}

function blocksOf(marked: unknown): JsonObject[] {
  return listOf(marked).map((isMarked) => ({
    type: 'text',
    text: 'some words',
    ...(isMarked === true && { cache_control: { type: 'ephemeral' } }),
  }))
}

function marksOf(blocks: readonly JsonObject[]): boolean[] {
  return blocks.map((block) => block['cache_control'] !== undefined)
}

async function checkChain(vector: Vector): Promise<void> {
  if (vector.id === 'CC-F09') return checkNoAnswer()
  if (vector.id === 'CC-F12') return checkCooldown()
  const { primary = '500 internal server error', maxRetries = 0 } = vector
  const clients = [countingClient('primary', String(primary)), countingClient('secondary')]
  const { chain } = patientChain(clients, Number(maxRetries))
  const isSecond = vector['primary'] === undefined
  if (isSecond) await chain.complete({ messages: QUESTION })
  for (const client of isSecond ? clients : []) client.calls = 0
  const { message } = await chain.complete({ messages: QUESTION })
  expect(clients.map(({ calls }) => calls)).toEqual(vector['calls'])
  expect(message.content).toBe(vector.out ?? 'primary')
}

async function checkNoAnswer(): Promise<void> {
  const failing = [countingClient('primary', '503 busy'), countingClient('secondary', '401 no')]
  const ask = (clients: readonly CountingClient[], signal?: AbortSignal) =>
    patientChain(clients).chain.complete({ messages: QUESTION }, { signal })
  const cause = { code: 'unauthorized' }
  await expect(ask(failing)).rejects.toMatchObject({ provider: 'secondary', cause })
  expect(() => ask([])).toThrow('at least one client')
  await expect(ask(failing, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
}

async function checkCooldown(): Promise<void> {
  const client = countingClient('primary', '500 internal server error')
  const { chain, clock } = patientChain([client, countingClient('secondary')])
  const cooled: number[] = []
  for (const does of ['503 busy', '502 bad gateway', '401 unauthorized', 'ok']) {
    client.does = does
    await chain.complete({ messages: QUESTION })
    const [{ cooldownMs = 0, failures = 0 } = {}] = chain.health()
    cooled.push(failures, cooldownMs)
    clock.now += cooldownMs
  }
  expect(cooled).toEqual([1, 30_000, 2, 60_000, 3, 300_000, 0, 0])
}

function checkErrorCodes(vector: Vector): void {
  for (const [what, code] of vector.cases ?? []) {
    expect(errorCodeOf(errorFor(String(what)))).toBe(code)
  }
  for (const row of listOf(vector['messages'])) {
    const [message, code] = listOf(row)
    expect(errorCodeOf(new Error(String(message)))).toBe(code)
  }
}

/** Errors of Go as what they are in JavaScript. */
function errorFor(what: string): unknown {
  const [, errno] = /^errno:(\w+)$/.exec(what) ?? []
  if (errno) return Object.assign(new Error(`open x: ${errno}`), { code: errno })
  if (what === 'nil') return null
  if (what === 'DNSError') return Object.assign(new Error('lookup'), { code: 'ENOTFOUND' })
  if (what === 'net.OpError') return new Error('dial tcp 192.0.2.1:80: broken')
  if (what === 'net.OpError(timeout)') return new Error('dial tcp 192.0.2.1:80: i/o timeout')
  return new Error(what)
}

function checkWireCalls(vector: Vector): void {
  if (vector.cases) {
    const providers = ['openai', 'openrouter', 'anthropic', 'ollama']
    for (const [response, out] of vector.cases) {
      for (const provider of providers) expect(parseToolCalls(response, provider)).toEqual(out)
    }
    return
  }
  for (const provider of providersOf(vector)) {
    const calls = parseToolCalls(vector.in, provider)
    const wanted = listOf(vector.out).map(fieldsOf)
    expect(calls).toHaveLength(wanted.length)
    for (const [index, { id, ...call }] of wanted.entries()) {
      expect(calls[index]).toMatchObject(call)
      expectId(calls[index]?.id, id)
    }
  }
}

// ── comparing ───────────────────────────────────────────────────────────────────────────────────

/** Reasons of the older systems under our names. */
const CODES: Readonly<Record<string, string>> = {
  missing_tool_name: 'missing-name',
  invalid_arguments: 'invalid-arguments',
  '<json>': 'invalid-json',
}

function expectError({ calls, error }: TracedExtraction, reason = ''): void {
  expect(calls).toEqual([])
  expect(error).toBeDefined()
  if (CODES[reason]) expect(error?.code).toBe(CODES[reason])
}

function expectCalls(result: TracedExtraction, wanted: unknown, input = ''): void {
  expect(result.error).toBeUndefined()
  const list = listOf(wanted).map(fieldsOf)
  expect(result.calls.map(({ name }) => name)).toEqual(list.map(({ name }) => name))
  for (const [index, want] of list.entries()) expectCall(result.calls[index], want, input)
}

function expectCall(
  call: TracedExtraction['calls'][number] | undefined,
  want: Fields,
  input: string,
) {
  const args = want['arguments'] ?? want['args']
  if (fieldsOf(args)['__invalid_json__'] !== undefined) {
    expect(call?.arguments).toEqual({ __invalid_json__: expect.any(String) })
  } else if (args !== undefined) {
    expect(call?.arguments).toEqual(args)
  }
  const text = want['argsText']
  if (text !== undefined) expect(call?.arguments).toEqual(text === '' ? {} : { arg0: text })
  if (want['id'] !== undefined) expectId(call?.id, want['id'])
  const raw = want['rawContains']
  if (raw !== undefined) expect(input.slice(...(call?.span ?? [0, 0]))).toContain(raw)
}

function expectId(id: string | undefined, want: unknown): void {
  if (want === '<starts call_>') expect(id).toMatch(/^call_[\w-]{12}$/)
  else if (want === '<id!=x>') expect(id).not.toBe('x')
  else if (want === '<id>') expect(id).toMatch(/./)
  else expect(id).toBe(want)
}

function providersOf(vector: Vector): string[] {
  return String(vector['provider']).split('|')
}

function recorded(vector: Vector): unknown {
  return vector.out ?? vector['names'] ?? vector['visible'] ?? vector['contains'] ?? vector.cases
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

// ── the suites ──────────────────────────────────────────────────────────────────────────────────

const title = found
  ? 'the recorded vectors'
  : 'the recorded vectors, skipped because the file with them is not beside the repository'

describe.skipIf(!found)(title, () => {
  test('every exception belongs to a vector', () => {
    const vectors = Object.values(sections).flat()
    const bugs = vectors.filter(({ bug }) => bug)
    expect(bugs.map(({ id }) => id).sort()).toEqual(Object.keys(BETTER).sort())
    const ids = new Set(vectors.map(({ id }) => id))
    expect(Object.keys(OURS).filter((id) => !ids.has(id))).toEqual([])
  })

  for (const [name, vectors] of Object.entries(sections)) {
    const [section = ''] = name.split(' ')
    describe(name, () => {
      for (const vector of vectors) {
        const key = vector.fn ? `${section} ${vector.fn}` : section
        const later = LATER[key]
        const ours = OURS[vector.id]
        if (later) {
          test.skip(`${vector.id}: not covered, belongs to ${later}`)
        } else if (vector.bug) {
          test(`${vector.id}: better than recorded`, () => {
            const result = BUG_RUNS[key]?.(vector)
            expect(result).not.toEqual(recorded(vector))
            expect(result).toEqual(BETTER[vector.id])
          })
        } else if (ours) {
          test(`${vector.id}: not as recorded, ${ours.why}`, () => {
            const result = OUR_RUNS[key]?.(vector)
            expect(result).not.toEqual(recorded(vector))
            expect(result).toEqual(ours.out)
          })
        } else {
          test(`${vector.id}: as recorded`, () => {
            const check = CHECKS[key]
            expect(check, `nothing runs ${key}`).toBeDefined()
            return check?.(vector)
          })
        }
      }
    })
  }
})
