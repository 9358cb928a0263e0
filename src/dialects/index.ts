/** The registry: one line for each dialect. */

export type {
  ChatEvent,
  ChatRequest,
  ChatResponse,
  ChatSettings,
  Extra,
  Reasoning,
  ReasoningEffort,
  ResponseFormat,
  StreamFailure,
  ToolChoice,
  Usage,
} from '../core/chat.ts'
export type {
  CodecOptions,
  DecodeRequestOptions,
  DecodeResponseOptions,
  Dialect,
  EncodeOptions,
  FormatAssistantOptions,
  FormatWireToolsOptions,
  Frame,
  Framing,
  HistoryRules,
  IdRule,
  NameRule,
  ParseToolCallsOptions,
  Quirks,
  ReasoningStyle,
  ServiceFeature,
  Setting,
  SettingFields,
  StreamDecoder,
  StreamEncoder,
  StreamEncoderOptions,
  ToolKind,
  WireToolCall,
} from '../core/dialect.ts'
export type { Steps } from '../core/steps.ts'
export { anthropic } from './anthropic.ts'
export { bedrock } from './bedrock.ts'
export { cohere } from './cohere.ts'
export { gemini } from './gemini.ts'
export { googleInteractions } from './google-interactions.ts'
export { mistral } from './mistral.ts'
export { ollama } from './ollama.ts'
export { openaiChat } from './openai-chat.ts'
export { openaiResponses } from './openai-responses.ts'
