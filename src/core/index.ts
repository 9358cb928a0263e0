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
export { parseArguments } from './arguments/parse.ts'
export { isToolglotError, ToolglotError } from './errors.ts'
export type { Issue, IssueCode, JsonPath, Repair, RepairCode, Span } from './issue.ts'
export { ISSUE_CODES, REPAIR_CODES } from './issue.ts'
export { repairJson } from './json/repair.ts'
export type { JsonObject, JsonValue } from './json/value.ts'
export { writeJson } from './json/write.ts'
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
} from './model.ts'
export type {
  CoreOptions,
  ExtractLimits,
  Fit,
  OnMalformed,
  RepairLevel,
  Segment,
} from './options.ts'
export { DEFAULT_LIMITS } from './options.ts'
export type {
  CallDraft,
  CallEnding,
  Marker,
  Opener,
  Protocol,
  ReadContext,
  Reader,
  ResultBlock,
  ToolTable,
} from './protocol.ts'
export { NEED_MORE, NO_MATCH } from './protocol.ts'
export { coerce } from './schema/coerce.ts'
export { schemaFit } from './schema/fit.ts'
export { normalizeTool, normalizeTools } from './schema/tool.ts'
export { markerAnyCase } from './text/any-case.ts'
export { attributeTag } from './text/attribute-tag.ts'
export { bracketed } from './text/bracketed.ts'
export {
  createExtractor,
  type Extractor,
  extractText,
  type TracedExtraction,
} from './text/extractor.ts'
export { freeJson } from './text/free-json.ts'
export { functionCalls } from './text/function-call.ts'
export { jsonBlock } from './text/json-block.ts'
export { type CallKeys, COMMON_KEYS } from './text/json-calls.ts'
export { literal, marker } from './text/marker.ts'
