/** The registry: one line for each provider. */

export type { Quirks } from '../core/dialect.ts'
export { alibaba } from './alibaba.ts'
export { anthropic } from './anthropic.ts'
export type { ApiId, Apis, OllamaApiId, UsualApiId } from './apis.ts'
export { azureOpenai } from './azure-openai.ts'
export { bedrock } from './bedrock.ts'
export { cerebras } from './cerebras.ts'
export { cohere } from './cohere.ts'
export { deepseek } from './deepseek.ts'
export { fireworks } from './fireworks.ts'
export { githubCopilot } from './github-copilot.ts'
export { githubModels } from './github-models.ts'
export { google } from './google.ts'
export { googleInteractions } from './google-interactions.ts'
export { groq } from './groq.ts'
export { huggingFace } from './hugging-face.ts'
export { llamaCpp } from './llama-cpp.ts'
export { lmStudio } from './lm-studio.ts'
export { minimax } from './minimax.ts'
export { minimaxAnthropic } from './minimax-anthropic.ts'
export { mistral } from './mistral.ts'
export type { ModelFacts, ModelInfoSource } from './model-info.ts'
export { moonshot } from './moonshot.ts'
export { nvidia } from './nvidia.ts'
export { ollama } from './ollama.ts'
export { openai } from './openai.ts'
export { openaiCompatible } from './openai-compatible.ts'
export { openrouter } from './openrouter.ts'
export { perplexity } from './perplexity.ts'
export type {
  Auth,
  BearerAuth,
  BodySetting,
  Capabilities,
  Interfaces,
  ModelRoute,
  Paths,
  Provider,
  ProviderDialect,
  Route,
  Setting,
} from './provider.ts'
export type { ProviderId } from './registry.ts'
export { responsesCompatible } from './responses-compatible.ts'
export { sglang } from './sglang.ts'
export { stackspot } from './stackspot.ts'
export { together } from './together.ts'
export { vertex } from './vertex.ts'
export { vllm } from './vllm.ts'
export { xai } from './xai.ts'
export { zai } from './zai.ts'
