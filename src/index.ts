/**
 * Toolglot: make any model call tools, through any API, in any format.
 *
 * @module
 */

export type { ParsedArguments } from './core/arguments/parse.ts'
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
} from './core/chat.ts'
export type {
  DecodeResponseOptions,
  Dialect,
  FormatAssistantOptions,
  FormatWireToolsOptions,
  ParseToolCallsOptions,
  WireToolCall,
} from './core/dialect.ts'
export { errorCodeOf } from './core/error-code.ts'
export { InvalidInputError, isToolglotError, ToolglotError } from './core/errors.ts'
export type { Heard } from './core/heard.ts'
export type { IdMintOptions } from './core/ids.ts'
export type { Issue, IssueCode, JsonPath, Repair, RepairCode, Span } from './core/issue.ts'
export type { RepairedJson, RepairJsonOptions } from './core/json/repair.ts'
export type { JsonObject, JsonValue } from './core/json/value.ts'
export type {
  CacheControl,
  CallEvidence,
  ExtractEvent,
  Extraction,
  FinishReason,
  Freeform,
  Grammar,
  JsonSchema,
  Message,
  Part,
  Speaker,
  Tool,
  ToolAnnotations,
  ToolCall,
  ToolResult,
} from './core/model.ts'
export type { ExtractLimits, IdStyle, OnMalformed, RepairLevel, Segment } from './core/options.ts'
export type { Protocol } from './core/protocol.ts'
export type { Coercion } from './core/schema/coerce.ts'
export type { ToolDefinitions } from './core/schema/tool.ts'
export type {
  StandardIssue,
  StandardJsonSchema,
  StandardResult,
  StandardSchema,
} from './core/standard-schema.ts'
export type { Extractor, TracedExtraction } from './core/text/extractor.ts'
export { type Detection, detect } from './detect.ts'
export type { HealOptions } from './dialects/heal.ts'
export type { DialectId } from './dialects/registry.ts'
export type { ToolResultInput } from './dialects/tool-result.ts'
export {
  createExtractor,
  type ExtractOptions,
  type ExtractStream,
  extract,
  extractStream,
} from './extract.ts'
export { coerce, parseArguments, repairJson } from './parsing.ts'
export { PRESET_NAMES, type PresetName } from './presets/index.ts'
export type { AugmentOptions } from './prompt/augment.ts'
export { augmentSystemPrompt } from './prompt/augment.ts'
export { allProtocols, findProtocol, getProtocol, type ProtocolId } from './protocols/registry.ts'
export type { ProviderId } from './providers/registry.ts'
export type { DialectName } from './providers/spoken-dialect.ts'
export type { ApprovalContext, ForeignTool, Signal as ToolSignal, ToolInput } from './tool.ts'
export {
  type RunnableTool,
  type ToolContext,
  type ToolDefinition,
  type ToolSchema,
  tool,
} from './tool.ts'
export {
  decodeResponse,
  formatAssistantMessage,
  formatToolResult,
  formatToolResults,
  formatTools,
  heal,
  parseToolCalls,
  type TranscodeOptions,
  transcode,
} from './wire.ts'
