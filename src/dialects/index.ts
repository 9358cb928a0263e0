/** The registry: one line for each dialect. */
export { anthropic } from './anthropic.ts'
export { bedrock } from './bedrock.ts'
export { cohere } from './cohere.ts'
export { gemini } from './gemini.ts'
export { mistral } from './mistral.ts'
export { ollama } from './ollama.ts'
export { openaiChat } from './openai-chat.ts'
export { openaiResponses } from './openai-responses.ts'
