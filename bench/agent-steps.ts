/** A run of the agent loop with a model that answers at once. */
import { runAgent } from '../src/agent/run.ts'
import type { ChatClient, ChatStream } from '../src/client/chat-client.ts'
import type { ChatResponse } from '../src/core/chat.ts'
import type { Message } from '../src/core/model.ts'
import { tool } from '../src/tool.ts'

const weather = tool({
  name: 'get_weather',
  inputSchema: { type: 'object', properties: { turn: { type: 'integer' } }, required: ['turn'] },
  execute: ({ turn }) => `sunny on day ${turn}`,
})

/** The number of steps that were done. */
export async function runSteps(messages: readonly Message[], steps: number): Promise<number> {
  const run = runAgent({
    client: modelFor(steps),
    tools: [weather],
    messages,
    prompt: 'Coat or not?',
    maxSteps: steps + 1,
  })
  return (await run.result).steps
}

function modelFor(steps: number): ChatClient {
  let turn = 0
  const answer = (): ChatResponse => replyOf(turn++, steps)
  return {
    provider: 'bench',
    model: 'instant',
    capabilities: { nativeTools: true, streamsTools: true, toolMode: 'native' },
    complete: async () => answer(),
    stream: () => streamOf(answer()),
  }
}

function replyOf(turn: number, steps: number): ChatResponse {
  const call = {
    id: `call_${turn}`,
    name: 'get_weather',
    arguments: { turn },
    origin: 'native',
  } as const
  return {
    message: { role: 'assistant', content: '', ...(turn < steps && { toolCalls: [call] }) },
    finishReason: turn < steps ? 'tool-calls' : 'stop',
    usage: { inputTokens: 10, outputTokens: 5 },
    issues: [],
  }
}

function streamOf(response: ChatResponse): ChatStream {
  return {
    async *[Symbol.asyncIterator]() {
      yield { type: 'finish', response }
    },
    response: Promise.resolve(response),
  }
}
