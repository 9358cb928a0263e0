/**
 * The extractor without any registry: bring the protocols you need.
 *
 * @module
 * @example
 * import { extractText } from 'toolglot/core'
 * import { hermes } from 'toolglot/protocols/hermes'
 *
 * extractText(reply, { protocols: [hermes], tools })
 */

export type { ParsedArguments } from './arguments/parse.ts'
export { parseArguments } from './arguments/parse.ts'
export { InvalidInputError, isToolglotError, ToolglotError } from './errors.ts'
export { createHeard, type Heard } from './heard.ts'
export type { Issue, IssueCode, JsonPath, Repair, RepairCode, Span } from './issue.ts'
export { ISSUE_CODES, REPAIR_CODES } from './issue.ts'
export type { JsonReader } from './json/reader.ts'
export type { JsonKind } from './json/reading.ts'
export type { RepairedJson, RepairJsonOptions } from './json/repair.ts'
export { repairJson } from './json/repair.ts'
export type { JsonObject, JsonValue } from './json/value.ts'
export { writeJson } from './json/write.ts'
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
} from './model.ts'
export type {
  ArgumentStream,
  CoreOptions,
  ExtractLimits,
  Fit,
  FreeScope,
  IdStyle,
  OnMalformed,
  RepairLevel,
  SchemaView,
  Segment,
  Sought,
} from './options.ts'
export { DEFAULT_LIMITS } from './options.ts'
export type {
  CallDraft,
  CallEnding,
  CallPlace,
  FormatToolsOptions,
  FoundTool,
  Marker,
  Opener,
  Protocol,
  ReadContext,
  Reader,
  ReasoningTag,
  ResultBlock,
  ResultPlace,
  Search,
  ToolListing,
  ToolTable,
  WrittenCall,
} from './protocol.ts'
export { NEED_MORE, NO_MATCH } from './protocol.ts'
export { labelledResultText } from './result-text.ts'
export type { Coercion } from './schema/coerce.ts'
export { coerce } from './schema/coerce.ts'
export { schemaFit } from './schema/fit.ts'
export type { ToolDefinitions } from './schema/tool.ts'
export { normalizeTool, normalizeTools } from './schema/tool.ts'
export { markerAnyCase } from './text/any-case.ts'
export type { AttributeTag } from './text/attribute-tag.ts'
export { attributeTag } from './text/attribute-tag.ts'
export type { BracketedOptions } from './text/bracketed.ts'
export { bracketed } from './text/bracketed.ts'
export type { Call as ReaderCall, Ending as CallEndingInfo } from './text/call.ts'
export type { Manner } from './text/extractor.ts'
export {
  createExtractor,
  type Extractor,
  extractText,
  type TracedExtraction,
  type TracingExtractor,
} from './text/extractor.ts'
export type { FreeJsonOptions } from './text/free-json.ts'
export { freeJson } from './text/free-json.ts'
export { functionCalls } from './text/function-call.ts'
export type { JsonBlockOptions } from './text/json-block.ts'
export { jsonBlock } from './text/json-block.ts'
export type { Identity as CallIdentity, JsonCall, JsonCalls } from './text/json-calls.ts'
export { type CallKeys, COMMON_KEYS } from './text/json-calls.ts'
export type { FrameCalls, Groups as FrameGroups, JsonFrame, ReadWords } from './text/json-frame.ts'
export type { Follows, Match as MarkerMatch } from './text/marker.ts'
export { literal, marker } from './text/marker.ts'
export type { Found as PatternFound, PatternReader } from './text/pattern.ts'
