/** What a request wants of a demo model. */
import type { ChatRequest, ToolChoice } from '../../core/chat.ts'
import { textOf } from '../../core/message.ts'
import type { Message, Tool, ToolCall, ToolResult } from '../../core/model.ts'
import { sampleArguments } from './sample-arguments.ts'
import { wordsOf } from './sample-words.ts'

export type SampledCall = Pick<ToolCall, 'name' | 'arguments'>

export interface Asked {
  /** What the tools answered since the model spoke last. */
  readonly results: readonly ToolResult[]
  /** Calls that fit the question: one to make, and another. None without tools. */
  readonly calls: readonly [] | readonly [SampledCall, SampledCall]
  /** False: at most one call. */
  readonly parallel: boolean
  /** What the user said last. */
  readonly words: string
  /** Calls in the history. */
  readonly callsBefore: number
}

export function readAsked(request: ChatRequest): Asked {
  const { messages, parallelToolCalls } = request
  const words = lastWords(messages)
  return {
    results: newResults(messages),
    calls: sampleCalls(offeredTools(request), words),
    parallel: parallelToolCalls !== false,
    words,
    callsBefore: messages.flatMap(({ toolCalls = [] }) => toolCalls).length,
  }
}

function lastWords(messages: readonly Message[]): string {
  const texts = messages.filter(({ role }) => role === 'user').map(textOf)
  return texts.findLast((text) => text.trim() !== '') ?? ''
}

// Clients put reminders and pictures behind the results, so the last message alone does not tell.
function newResults(messages: readonly Message[]): readonly ToolResult[] {
  const spoke = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages.slice(spoke + 1).flatMap(({ toolResults = [] }) => toolResults)
}

function offeredTools({ tools = [], toolChoice = 'auto' }: ChatRequest): readonly Tool[] {
  if (toolChoice === 'none') return []
  const names = namesIn(toolChoice)
  const chosen = tools.filter(({ name }) => names.includes(name))
  return chosen.length > 0 ? chosen : tools
}

function namesIn(choice: ToolChoice): readonly string[] {
  if (typeof choice === 'string') return []
  return 'name' in choice ? [choice.name] : choice.names
}

function sampleCalls(tools: readonly Tool[], words: string): Asked['calls'] {
  const named = toolsNamedIn(words, tools)
  const first = named[0] ?? tools[0]
  if (!first) return []
  const names = new Set(tools.map(({ name }) => name))
  const texts = quotedIn(words).filter((text) => !names.has(text))
  return [sampleCall(first, 0, texts), sampleCall(named[1] ?? first, 1, texts)]
}

function sampleCall({ name, inputSchema }: Tool, take: 0 | 1, texts: string[]): SampledCall {
  return { name, arguments: sampleArguments(inputSchema, { take, texts }) }
}

/** The tools that a text names, in its order: `get_weather`, `get weather` and `GetWeather` are one name. */
function toolsNamedIn(text: string, tools: readonly Tool[]): readonly Tool[] {
  const words = ` ${wordsOf(text)} `
  const found = tools
    .map((tool) => ({ tool, name: ` ${wordsOf(tool.name)} ` }))
    .map(({ tool, name }) => ({ tool, at: words.indexOf(name), length: name.length }))
    .filter(({ at }) => at !== -1)
    .sort((one, other) => one.at - other.at || other.length - one.length)
  // A name inside a longer one is not meant.
  return found
    .filter(({ at }, index) => found.slice(0, index).every((one) => one.at + one.length - 1 <= at))
    .map(({ tool }) => tool)
}

const QUOTED =
  /"([^"\n]{1,200})"|“([^”\n]{1,200})”|«([^»\n]{1,200})»|`([^`\n]{1,200})`|(?<![\p{L}\p{N}])'([^'\n]{1,200})'(?![\p{L}\p{N}])/gu

function quotedIn(text: string): string[] {
  return Array.from(text.matchAll(QUOTED), (match) => match.slice(1).find((one) => one) ?? '')
}
