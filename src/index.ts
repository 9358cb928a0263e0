/**
 * Toolglot: make any model call tools, through any API, in any format.
 *
 * @module
 */
export { errorCodeOf } from './core/error-code.ts'
export { isToolglotError, ToolglotError } from './core/errors.ts'
export type { Issue, IssueCode, JsonPath, Repair, RepairCode, Span } from './core/issue.ts'
export type { JsonObject, JsonValue } from './core/json/value.ts'
export type {
  ExtractEvent,
  Extraction,
  FinishReason,
  JsonSchema,
  Message,
  Part,
  Tool,
  ToolAnnotations,
  ToolCall,
  ToolResult,
} from './core/model.ts'
export type { ExtractLimits, OnMalformed, RepairLevel, Segment } from './core/options.ts'
export type { Protocol } from './core/protocol.ts'
export type { Extractor, TracedExtraction } from './core/text/extractor.ts'
export { type Detection, detect } from './detect.ts'
export {
  decodeResponse,
  formatAssistantMessage,
  formatToolResult,
  formatToolResults,
  formatTools,
  parseToolCalls,
} from './dialects/registry.ts'
export { heal, type TranscodeOptions, transcode } from './dialects/transcode.ts'
export {
  createExtractor,
  type ExtractOptions,
  type ExtractStream,
  extract,
  extractStream,
} from './extract.ts'
export { coerce, parseArguments, repairJson } from './parsing.ts'
export { PRESET_NAMES, type PresetName } from './presets/index.ts'
export { augmentSystemPrompt } from './prompt/augment.ts'
export { allProtocols, findProtocol, getProtocol, type ProtocolId } from './protocols/registry.ts'
export {
  type RunnableTool,
  type ToolContext,
  type ToolDefinition,
  type ToolSchema,
  tool,
} from './tool.ts'
