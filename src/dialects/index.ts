/** The registry: one line for each dialect. */
export { anthropic } from './anthropic.ts'
export { ollama } from './ollama.ts'
export { openaiChat } from './openai-chat.ts'
