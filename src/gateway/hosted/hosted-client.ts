/**
 * A client whose model may call tools that the gateway runs. It asks again with the results until the model has
 * answered, and what comes out is one reply with all that was said and searched.
 */
import type { ChatClient, ClientRequest, RequestOptions } from '../../client/chat-client.ts'
import { createChatStream, type Ending } from '../../client/chat-stream.ts'
import type { ChatEvent, ChatRequest, ChatResponse, Extra, Usage } from '../../core/chat.ts'
import { textOf } from '../../core/message.ts'
import type { Message, ToolCall, ToolResult } from '../../core/model.ts'
import { definitionsText } from '../../dialects/anthropic/tool-search.ts'
import { errorText, resultsText } from './answer-text.ts'
import type { HostedForm, HostedRound, HostedRun, HostedTool } from './hosted-tool.ts'

type Asked = Omit<ChatRequest, 'model' | 'stream'>

/** As often as Anthropic's own service goes on by itself; then the client is asked to. */
const MAX_ROUNDS = 10

export interface Hosting {
  readonly form: HostedForm
  readonly tools: readonly HostedTool[]
  readonly signal: AbortSignal
}

export function hostedClient(client: ChatClient, hosting: Hosting): ChatClient {
  // The cast: the lane hands over tools in the neutral model, and no other spelling.
  const begin = (request: ClientRequest): Turn => createTurn(request as Asked, hosting)
  return {
    provider: client.provider,
    model: client.model,
    capabilities: client.capabilities,
    async complete(request, options = {}) {
      const turn = begin(request)
      while (true) {
        const response = await client.complete(turn.request(), options)
        if (await turn.take(response)) return turn.response()
      }
    },
    stream(request, options = {}) {
      return createChatStream((ending) => streamTurn(client, begin(request), options, ending))
    },
  }
}

async function* streamTurn(
  client: ChatClient,
  turn: Turn,
  options: RequestOptions,
  ending: Ending,
): AsyncGenerator<ChatEvent, void> {
  let isStarted = false
  let isDone = false
  while (!isDone) {
    const stream = client.stream(turn.request(), options)
    const shown = turn.openRound()
    for await (const event of stream) {
      if (event.type === 'error') {
        const { error: failure } = event
        ending.reject(
          await stream.response.then(
            () => failure,
            (error: unknown) => error,
          ),
        )
        yield event
        return
      }
      if (event.type === 'finish') {
        isDone = await turn.take(event.response)
        for (const extra of turn.lastResults()) yield { type: 'extra', extra }
      } else if (event.type !== 'start' || !isStarted) {
        yield* shown(event)
      }
      isStarted = true
    }
  }
  const response = turn.response()
  ending.resolve(response)
  yield { type: 'finish', response }
}

/** All that the model says and the gateway runs until the client has its reply. */
interface Turn {
  /** What the model is asked next. */
  request(): Asked
  /** Takes an answer and runs what it calls; true when nothing is left for the model to go on with. */
  take(response: ChatResponse): Promise<boolean>
  response(): ChatResponse
  /** What the client sees of the events of the next answer. */
  openRound(): (event: ChatEvent) => ChatEvent[]
  /** What the calls of the last answer came to. */
  lastResults(): Extra[]
}

function createTurn(asked: Asked, { form, tools, signal }: Hosting): Turn {
  const byName = new Map(tools.map((one) => [one.tool.name, one]))
  const rounds: HostedRound[] = []
  const responses: ChatResponse[] = []
  let messages = asked.messages
  let offered = [...(asked.tools ?? []), ...tools.map(({ tool }) => tool)]
  /** Calls that the client has seen. */
  let seen = 0
  let isPaused = false

  async function run(call: ToolCall): Promise<HostedRun[]> {
    const hosted = byName.get(call.name)
    if (!hosted) return []
    const answer = await hosted.run(call.arguments, signal)
    return [{ call, wish: hosted.wish, answer }]
  }

  async function take(response: ChatResponse): Promise<boolean> {
    const { message } = response
    const { toolCalls = [], reasoning = '' } = message
    const runs = (await Promise.all(toolCalls.map(run))).flat()
    const calls = toolCalls.filter(({ name }) => !byName.has(name))
    responses.push(response)
    rounds.push({ text: textOf(message), reasoning, runs, calls })
    offerFound(runs)
    messages = [...messages, message, resultsOf(runs)]
    isPaused = runs.length > 0 && calls.length === 0 && rounds.length >= MAX_ROUNDS
    return runs.length === 0 || calls.length > 0 || isPaused
  }

  function offerFound(runs: readonly HostedRun[]): void {
    const known = new Set(offered.map(({ name }) => name))
    const found = runs.flatMap(({ answer }) => ('found' in answer ? answer.found : []))
    offered = [...offered, ...found.filter(({ name }) => !known.has(name))]
  }

  function response(): ChatResponse {
    const last = responses.at(-1)
    if (!last) throw new Error('no answer was taken')
    const { extra: kept, ...message } = last.message
    const searches = rounds.flatMap(({ runs }) => runs).filter(hasSearched).length
    return {
      ...last,
      ...(isPaused && { stopReason: 'pause_turn', finishReason: 'stop' }),
      message: {
        ...messageOf(rounds, message),
        extra: { ...kept, ...form.reply(rounds) },
      },
      usage: responses.map(({ usage }) => usage).reduce(addUsage),
      issues: responses.flatMap(({ issues }) => issues),
      extra: { ...last.extra, ...(searches > 0 && form.usage(searches)) },
    }
  }

  function openRound(): (event: ChatEvent) => ChatEvent[] {
    /** Places of calls in the answer, and in what the client sees. */
    const places = new Map<number, number>()
    return (event) => {
      if (!('index' in event)) return [event]
      if (event.type === 'call-start' && !byName.has(event.name)) places.set(event.index, seen++)
      const index = places.get(event.index)
      if (index !== undefined) return [{ ...event, index }]
      return event.type === 'call-end' ? [{ type: 'extra', extra: form.callExtra(event.call) }] : []
    }
  }

  return {
    take,
    response,
    openRound,
    request: () => ({
      ...asked,
      messages,
      tools: offered,
      // A model that must call a tool would never come to an answer.
      ...(rounds.length > 0 && asked.toolChoice !== undefined && { toolChoice: 'auto' as const }),
    }),
    lastResults: () => (rounds.at(-1)?.runs ?? []).map(form.resultExtra),
  }
}

function messageOf(rounds: readonly HostedRound[], last: Message): Message {
  const texts = rounds.map(({ text }) => text).filter((text) => text !== '')
  const reasoning = rounds.map((round) => round.reasoning).join('')
  const toolCalls = rounds.flatMap(({ calls }) => calls)
  const { toolCalls: _, reasoning: __, ...rest } = last
  return {
    ...rest,
    content: texts.join('\n'),
    ...(reasoning !== '' && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
  }
}

function hasSearched({ wish, answer }: HostedRun): boolean {
  return wish.feature === 'web-search' && 'results' in answer
}

function resultsOf(runs: readonly HostedRun[]): Message {
  return { role: 'tool', content: '', toolResults: runs.map(resultOf) }
}

function resultOf({ call, wish, answer }: HostedRun): ToolResult {
  const { id: callId, name } = call
  if ('error' in answer) {
    return { callId, name, content: errorText(answer.error, wish), isError: true }
  }
  if ('results' in answer) {
    return { callId, name, content: resultsText(String(call.arguments['query']), answer.results) }
  }
  const names = answer.found.map((tool) => tool.name)
  const lookup = (wanted: string) => answer.found.find((tool) => tool.name === wanted)
  return { callId, name, content: definitionsText(names, lookup) }
}

function addUsage(one: Usage, other: Usage): Usage {
  const sum: Record<string, number> = { ...one }
  for (const [key, count] of Object.entries(other)) {
    if (typeof count === 'number') sum[key] = (sum[key] ?? 0) + count
  }
  return sum
}
