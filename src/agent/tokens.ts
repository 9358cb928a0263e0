/** How long messages are for a model, as far as one can tell without its tokenizer. */
import type { Message } from '../core/model.ts'

const PER_MESSAGE = 8
const PER_CALL = 64
const PER_RESULT = 16
/** What images and files count as. */
const PER_ATTACHMENT = 1000
const CHARACTERS_PER_TOKEN = 4

export function estimateTokens(message: Message): number {
  const { content, reasoning = '', toolCalls = [], toolResults = [] } = message
  let tokens = PER_MESSAGE + contentTokens(content) + textTokens(reasoning)
  for (const { name, arguments: args } of toolCalls) {
    tokens += PER_CALL + textTokens(name) + textTokens(JSON.stringify(args))
  }
  for (const result of toolResults) tokens += PER_RESULT + contentTokens(result.content)
  return tokens
}

function contentTokens(content: Message['content']): number {
  if (typeof content === 'string') return textTokens(content)
  let tokens = 0
  for (const part of content) {
    tokens += part.type === 'text' ? textTokens(part.text) : PER_ATTACHMENT
  }
  return tokens
}

function textTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}
