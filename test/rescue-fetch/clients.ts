/** Clients as people use them, each told to fetch with ours. */

import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import {
  dynamicTool,
  generateText,
  jsonSchema,
  type LanguageModel,
  streamText,
  type ToolSet,
} from 'ai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import type { FetchLike } from '../../src/fetch.ts'

/** What a client made of a reply. */
export interface Outcome {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[]
  readonly ids: readonly string[]
  readonly finish: string | null | undefined
}

export interface Client {
  readonly name: string
  /** How the API says that tools are to be called. */
  readonly finish: string
  whole(url: string, fetch: FetchLike): Promise<Outcome>
  streamed(url: string, fetch: FetchLike): Promise<Outcome>
}

const question = 'What will the weather be in Bergen?'
const description = 'The weather in a city'
const parameters = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const }, days: { type: 'integer' as const } },
  required: ['city'],
}
const openaiTool = {
  type: 'function' as const,
  function: { name: 'get_weather', description, parameters },
}
const messages = [{ role: 'user' as const, content: question }]

function openai(url: string, fetch: FetchLike): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0, fetch })
}

function chatOutcome(choice: OpenAI.ChatCompletion.Choice | undefined): Outcome {
  const calls = (choice?.message.tool_calls ?? []).flatMap((call) =>
    call.type === 'function' ? [call] : [],
  )
  return {
    text: choice?.message.content ?? '',
    calls: calls.map((call) => ({
      name: call.function.name,
      arguments: JSON.parse(call.function.arguments),
    })),
    ids: calls.map(({ id }) => id),
    finish: choice?.finish_reason,
  }
}

const openaiChat: Client = {
  name: 'openai, chat',
  finish: 'tool_calls',
  async whole(url, fetch) {
    const reply = await openai(url, fetch).chat.completions.create({
      model: 'm',
      messages,
      tools: [openaiTool],
    })
    return chatOutcome(reply.choices[0])
  },
  async streamed(url, fetch) {
    const stream = openai(url, fetch).chat.completions.stream({
      model: 'm',
      messages,
      tools: [openaiTool],
    })
    const reply = await stream.finalChatCompletion()
    return chatOutcome(reply.choices[0])
  },
}

function responsesOutcome(reply: OpenAI.Responses.Response): Outcome {
  const calls = reply.output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
  const texts = reply.output.flatMap((item) => (item.type === 'message' ? item.content : []))
  return {
    text: texts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
    calls: calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) })),
    ids: calls.map((call) => call.call_id),
    finish: reply.status,
  }
}

const responsesRequest = {
  model: 'm',
  input: question,
  tools: [
    { type: 'function' as const, name: 'get_weather', description, parameters, strict: false },
  ],
}

const openaiResponses: Client = {
  name: 'openai, responses',
  finish: 'completed',
  whole: async (url, fetch) =>
    responsesOutcome(await openai(url, fetch).responses.create(responsesRequest)),
  async streamed(url, fetch) {
    const stream = openai(url, fetch).responses.stream(responsesRequest)
    const texts: string[] = []
    stream.on('response.output_text.delta', ({ delta }) => void texts.push(delta))
    const outcome = responsesOutcome(await stream.finalResponse())
    return { ...outcome, text: texts.join('') }
  },
}

const anthropicRequest: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'm',
  max_tokens: 100,
  messages,
  tools: [{ name: 'get_weather', description, input_schema: parameters }],
}

function anthropicOutcome({ content, stop_reason: finish }: Anthropic.Message): Outcome {
  const calls = content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  // The API refuses blocks without text when they come back.
  if (texts.some((text) => text.trim() === '')) throw new Error('a block without text')
  return {
    text: texts.join(''),
    calls: calls.map(({ name, input }) => ({ name, arguments: input })),
    ids: calls.map(({ id }) => id),
    finish,
  }
}

function anthropicClient(baseURL: string, fetch: FetchLike): Anthropic {
  return new Anthropic({ baseURL, apiKey: 'none', maxRetries: 0, fetch })
}

const anthropic: Client = {
  name: '@anthropic-ai/sdk',
  finish: 'tool_use',
  whole: async (url, fetch) =>
    anthropicOutcome(await anthropicClient(url, fetch).messages.create(anthropicRequest)),
  streamed: async (url, fetch) =>
    anthropicOutcome(
      await anthropicClient(url, fetch).messages.stream(anthropicRequest).finalMessage(),
    ),
}

const ollama: Client = {
  name: 'ollama',
  finish: 'stop',
  async whole(url, fetch) {
    const client = new Ollama({ host: url, fetch: fetch as typeof globalThis.fetch })
    const { message, done_reason: finish } = await client.chat({
      model: 'm',
      messages,
      tools: [openaiTool],
    })
    const calls = message.tool_calls ?? []
    return {
      text: message.content,
      calls: calls.map((call) => call.function).map(bare),
      ids: [],
      finish,
    }
  },
  async streamed(url, fetch) {
    const client = new Ollama({ host: url, fetch: fetch as typeof globalThis.fetch })
    const stream = await client.chat({ model: 'm', messages, tools: [openaiTool], stream: true })
    const texts: string[] = []
    const calls: Outcome['calls'][number][] = []
    let finish = ''
    for await (const { message, done_reason: reason } of stream) {
      texts.push(message.content)
      calls.push(...(message.tool_calls ?? []).map((call) => call.function).map(bare))
      finish = reason ?? finish
    }
    return { text: texts.join(''), calls, ids: [], finish }
  },
}

function bare(call: { name: string; arguments: unknown }): Outcome['calls'][number] {
  return { name: call.name, arguments: call.arguments }
}

const aiTools: ToolSet = {
  get_weather: dynamicTool({
    description,
    inputSchema: jsonSchema(parameters),
    execute: async () => 'rain',
  }),
}

function aiClient(name: string, modelAt: (url: string, fetch: FetchLike) => LanguageModel): Client {
  const outcome = (
    text: string,
    toolCalls: readonly { toolName: string; input: unknown; toolCallId: string }[],
    finish: string,
  ): Outcome => ({
    text,
    calls: toolCalls.map(({ toolName, input }) => ({ name: toolName, arguments: input })),
    ids: toolCalls.map(({ toolCallId }) => toolCallId),
    finish,
  })
  return {
    name,
    finish: 'tool-calls',
    async whole(url, fetch) {
      const model = modelAt(url, fetch)
      const reply = await generateText({ model, prompt: question, tools: aiTools, maxRetries: 0 })
      return outcome(reply.text, reply.toolCalls, reply.finishReason)
    },
    async streamed(url, fetch) {
      const model = modelAt(url, fetch)
      const reply = streamText({ model, prompt: question, tools: aiTools, maxRetries: 0 })
      return outcome(await reply.text, await reply.toolCalls, await reply.finishReason)
    },
  }
}

const aiCompatible = aiClient('ai, @ai-sdk/openai-compatible', (url, fetch) =>
  createOpenAICompatible({
    name: 'local',
    baseURL: `${url}/v1`,
    fetch: fetch as typeof globalThis.fetch,
  })('m'),
)

const aiOpenai = aiClient('ai, @ai-sdk/openai', (url, fetch) =>
  createOpenAI({
    baseURL: `${url}/v1`,
    apiKey: 'none',
    fetch: fetch as typeof globalThis.fetch,
  }).responses('m'),
)

function langchainModel(url: string, fetch: FetchLike) {
  return new ChatOpenAI({
    model: 'm',
    apiKey: 'none',
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1`, fetch },
  }).bindTools([openaiTool])
}

type LangchainReply = Awaited<ReturnType<ReturnType<typeof langchainModel>['invoke']>>

function langchainOutcome(reply: LangchainReply): Outcome {
  const calls = reply.tool_calls ?? []
  const { finish_reason: finish } = reply.response_metadata as { finish_reason?: string }
  return {
    text: reply.text,
    calls: calls.map(({ name, args }) => ({ name, arguments: args })),
    ids: calls.map(({ id }) => id ?? ''),
    finish,
  }
}

const langchain: Client = {
  name: '@langchain/openai',
  finish: 'tool_calls',
  whole: async (url, fetch) =>
    langchainOutcome(await langchainModel(url, fetch).invoke([new HumanMessage(question)])),
  async streamed(url, fetch) {
    const stream = await langchainModel(url, fetch).stream([new HumanMessage(question)])
    let whole: LangchainReply | undefined
    for await (const piece of stream) whole = whole ? whole.concat(piece) : piece
    if (!whole) throw new Error('nothing came')
    return langchainOutcome(whole)
  },
}

export const clients: readonly Client[] = [
  openaiChat,
  openaiResponses,
  anthropic,
  ollama,
  aiCompatible,
  aiOpenai,
  langchain,
]
