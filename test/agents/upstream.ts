/** A model server as people run it at home: the API of OpenAI, and calls that it leaves in the text. */
import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { FORMATS, type ScriptedCall } from './formats.ts'
import {
  callFor,
  LAST_WORDS,
  type OfferedTool,
  type Plan,
  SUBTASK,
  SUBTASK_ANSWER,
} from './plans.ts'

export interface UpstreamOptions {
  readonly port: number
  readonly plan: Plan
  /** The folder that stands for `{{work}}` in the plan. */
  readonly work: string
  /** Every request and its reply, one JSON object a line. */
  readonly log: string
}

/** What a name of a model asks for: a format, or `native`, and traits behind plus signs. */
interface Character {
  readonly format: string
  readonly traits: ReadonlySet<string>
}

export const TRAITS: Readonly<Record<string, string>> = {
  strict: 'refuses system messages that are not first, and roles that its template does not know',
  reasoning: 'thinks in reasoning_content',
  think: 'thinks in <think> tags',
  slow: 'takes 70 seconds for the first prompt',
  lost: 'loses the connection once, in the middle of a reply',
  busy: 'answers 503 once',
}

function readCharacter(model: string): Character {
  const [format = '', ...traits] = model.split('+')
  return { format, traits: new Set(traits) }
}

/** What of a request is looked at. */
interface ChatRequest {
  readonly model: string
  readonly stream?: boolean
  readonly messages?: readonly Message[]
  readonly tools?: readonly { readonly function: OfferedTool }[]
}

interface Message {
  readonly role: string
  readonly content?: string | readonly { readonly text?: string }[] | null
  readonly tool_calls?: readonly unknown[]
}

interface Reply {
  readonly reasoning: string
  readonly content: string
  readonly calls: readonly ScriptedCall[]
}

export async function startUpstream(options: UpstreamOptions): Promise<{ close(): void }> {
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error)) // only our own code throws
  })
  const { log, plan, work } = options
  const mishaps = new Set<string>()
  let count = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '' } = request
    if (url.endsWith('/models')) return send(response, 200, MODELS)
    if (!url.endsWith('/chat/completions')) return send(response, 404, problem('Not Found', 404))
    const body = JSON.parse(await textOf(request)) as ChatRequest // sent by the gateway
    const { format, traits } = readCharacter(body.model)
    const refusal = traits.has('strict') ? refusedBy(body.messages ?? []) : undefined
    count += 1
    if (refusal !== undefined) {
      note({ body, refusal })
      return send(response, 400, problem(refusal, 400))
    }
    const decision = decide(body, plan, work)
    const reply = write(decision, format, traits)
    note({ body, wrote: reply })
    const isPlanned = decision.calls.length > 0
    if (once('busy', isPlanned && traits.has('busy'))) {
      return send(response, 503, problem('Loading model', 503))
    }
    if (once('slow', isPlanned && traits.has('slow'))) await sleep(70_000)
    const isLost = once('lost', decision.before > 0 && isPlanned && traits.has('lost'))
    const isNative = format === 'native'
    if (body.stream) return stream(response, body.model, reply, isNative, isLost)
    if (isLost) return void response.destroy()
    send(response, 200, whole(body.model, reply, isNative))
  }

  /** True the first time that it may happen. */
  function once(what: string, isPossible: boolean): boolean {
    if (!isPossible || mishaps.has(what)) return false
    mishaps.add(what)
    return true
  }

  function note(entry: object): void {
    appendFileSync(log, `${JSON.stringify({ count, ...entry })}\n`)
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  return {
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const MODELS = {
  object: 'list',
  data: ['native', ...Object.keys(FORMATS)].map((id) => {
    return { id, object: 'model', created: 1, owned_by: 'scripted', max_model_len: 131_072 }
  }),
}

function problem(message: string, code: number) {
  return { error: { message, type: 'BadRequestError', param: null, code } }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding was set
  return Buffer.concat(chunks).toString('utf8')
}

/** As chat templates of today's models do. */
function refusedBy(messages: readonly Message[]): string | undefined {
  const known = ['system', 'user', 'assistant', 'tool']
  if (messages.some(({ role }) => !known.includes(role))) return 'Unexpected message role.'
  const isLate = messages.some(({ role }, at) => at > 0 && role === 'system')
  return isLate ? 'System message must be at the beginning.' : undefined
}

// ── deciding ────────────────────────────────────────────────────────────────────────────────────

interface Decision {
  readonly text: string
  readonly calls: readonly ScriptedCall[]
  /** How many calls the conversation has already. */
  readonly before: number
}

function decide(body: ChatRequest, plan: Plan, work: string): Decision {
  const messages = body.messages ?? []
  const offered = (body.tools ?? []).map((tool) => tool.function)
  const said = messages.filter(({ role }) => role === 'user').map(contentOf)
  const isPlanned = said.some((text) => text.includes(plan.prompt)) && offered.length > 0
  const isSubtask = said.some((text) => text.includes(SUBTASK))
  if (isSubtask && !isPlanned) return { text: SUBTASK_ANSWER, calls: [], before: 0 }
  if (!isPlanned) return { text: 'A short title', calls: [], before: 0 }
  const before = messages.reduce((sum, { tool_calls: calls = [] }) => sum + calls.length, 0)
  return nextTurn(plan, before, offered, work)
}

/** Counted in calls, because some agents split the calls of one turn. */
function nextTurn(
  { turns }: Plan,
  before: number,
  offered: readonly OfferedTool[],
  work: string,
): Decision {
  let begun = 0
  const turn = turns.find((steps) => {
    const isNext = begun === before
    begun += steps.length
    return isNext
  })
  if (!turn) return { text: `That was all. ${LAST_WORDS}`, calls: [], before }
  const written = turn.map((step) => callFor(inFolder(step, work), offered))
  const missing = written.flatMap((one) => ('missing' in one ? [one.missing] : []))
  if (missing.length > 0) return { text: `PLAN-FAILED: ${missing.join('; ')}`, calls: [], before }
  const calls = written.flatMap((one) => ('call' in one ? [one.call] : []))
  return { text: before === 0 ? 'I begin.\n\n' : '', calls, before }
}

function inFolder<Value>(value: Value, work: string): Value {
  return JSON.parse(JSON.stringify(value).replaceAll('{{work}}', work)) as Value // the same shape
}

function contentOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text = '' }) => text).join('\n')
}

// ── writing ─────────────────────────────────────────────────────────────────────────────────────

/** With a marker in it that must not be taken for a call. */
const THOUGHT = 'Something is to be done. I could write <tool_call> here, but first I think.\n'

function write(
  { text, calls, before }: Decision,
  format: string,
  traits: Character['traits'],
): Reply {
  const reasoning = traits.has('reasoning') ? THOUGHT : ''
  const tagged = traits.has('think') ? `<think>\n${THOUGHT}</think>\n\n` : ''
  const leaked = calls.length > 0 ? (FORMATS[format]?.(calls, before) ?? '') : ''
  return { reasoning, content: `${tagged}${text}${leaked}`, calls }
}

function nativeCalls(calls: readonly ScriptedCall[]) {
  return calls.map(({ name, args }) => ({
    id: `call_${Math.random().toString(36).slice(2, 12)}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }))
}

const USAGE = { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 }

function whole(model: string, { reasoning, content, calls }: Reply, isNative: boolean) {
  const own = isNative && calls.length > 0
  const message = {
    role: 'assistant',
    content,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(own && { tool_calls: nativeCalls(calls) }),
  }
  const choice = { index: 0, message, finish_reason: own ? 'tool_calls' : 'stop' }
  return { ...headOf(model), object: 'chat.completion', choices: [choice], usage: USAGE }
}

function headOf(model: string) {
  return { id: 'chatcmpl-1', created: 1, model }
}

/** About as much as a token or two. */
const CHUNK = 7

async function stream(
  response: ServerResponse,
  model: string,
  { reasoning, content, calls }: Reply,
  isNative: boolean,
  isLost: boolean,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const own = isNative ? nativeCalls(calls) : []
  const deltas = [
    { role: 'assistant', content: '' },
    ...chunks(reasoning).map((text) => ({ reasoning_content: text })),
    ...chunks(content).map((text) => ({ content: text })),
    ...own.flatMap((call, index) => callDeltas(call, index)),
  ]
  const frame = (delta: object, reason: string | null, rest: object = {}): void => {
    const choices = [{ index: 0, delta, finish_reason: reason }]
    const chunk = { ...headOf(model), object: 'chat.completion.chunk', choices, ...rest }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  const last = isLost ? Math.floor(deltas.length / 2) : deltas.length
  for (const [at, delta] of deltas.slice(0, last).entries()) {
    frame(delta, null)
    if (at % 10 === 0) await sleep(1)
  }
  if (isLost) return void response.destroy()
  frame({}, own.length > 0 ? 'tool_calls' : 'stop', { usage: USAGE })
  response.end('data: [DONE]\n\n')
}

function callDeltas(call: ReturnType<typeof nativeCalls>[number], index: number): object[] {
  const { arguments: args, name } = call.function
  const begin = { index, id: call.id, type: 'function', function: { name, arguments: '' } }
  const rest = chunks(args).map((text) => ({ index, function: { arguments: text } }))
  return [begin, ...rest].map((part) => ({ tool_calls: [part] }))
}

function chunks(text: string): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${CHUNK}}`, 'g')) ?? []
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
