/** Native tool calls: from what providers send to calls that can be made, or reasons why not. */
import { isDuplicate } from './duplicate.ts'
import type { IdMint } from './ids.ts'
import type { Issue, Repair, RepairCode } from './issue.ts'
import { isJsonObject, type JsonObject } from './json/value.ts'
import type { JsonSchema, Tool, ToolCall } from './model.ts'
import { decodeArguments, type Fault } from './native/arguments.ts'
import { isCanonical, type NativeCall } from './native/call.ts'
import { claimId } from './native/claimed-id.ts'
import type { CoreOptions, OnMalformed, RepairLevel } from './options.ts'
import type { FoundTool } from './protocol.ts'
import { coerceArguments } from './schema/coerce.ts'
import { toolTable } from './tools.ts'

export type { NativeCall } from './native/call.ts'
export { type Channel, joined, readChannel } from './native/channel.ts'
export { type NativeReply, readNative } from './native/reply.ts'

export interface ParseNativeOptions
  extends Pick<CoreOptions, 'dedupe' | 'allowUnknownTools' | 'limits'> {
  readonly mint: IdMint
  /** The tools that were offered: calls to others are reported, arguments are fitted to the schema. */
  readonly tools?: readonly Tool[] | undefined
  readonly onMalformed?: OnMalformed | undefined
  readonly repair?: RepairLevel | undefined
  /** False: ids that were made up for these calls before are used again. Default true. */
  readonly freshIds?: boolean | undefined
  /** Accept only calls of this shape: an id and a `function` with a name, both of them text. */
  readonly nativeShape?: 'openai' | undefined
  /** The repairs of arguments that are made at all; by default what `repair` says. */
  readonly nativeRepairs?: readonly RepairCode[] | undefined
}

export interface ParsedNative {
  readonly calls: ToolCall[]
  readonly issues: Issue[]
  /** Only with `onMalformed: 'error'`: the first malformed call, which voids all others. */
  readonly error?: Issue
}

/** What a call without a name goes by when it has to be shown all the same. */
const UNKNOWN_NAME = 'unknown'
const SENTINEL_LENGTH = 400

/** Checks native calls and decodes their arguments. Never throws, whatever the provider sent. */
export function parseNative(
  natives: readonly NativeCall[],
  options: ParseNativeOptions,
): ParsedNative {
  const { onMalformed = 'issue', dedupe, mint } = options
  const tools = toolTable(options.tools)
  const reportsUnknown = options.tools !== undefined && !options.allowUnknownTools
  const calls: ToolCall[] = []
  const issues: Issue[] = []

  /** The tool that the name stands for, spelled as it was offered. */
  function toolOf({ name = '' }: NativeCall): FoundTool | undefined {
    const found = tools.find(name)
    return options.repair === 'off' && found?.repair ? undefined : found
  }

  function add(
    native: NativeCall,
    tool: FoundTool | undefined,
    { value, repairs, issues: remarks }: Reading,
  ): void {
    const name = tool?.name ?? native.name ?? UNKNOWN_NAME
    if (isDuplicate(name, value, calls, dedupe)) {
      issues.push(about(native, 'duplicate-dropped', `the call to ${name} repeats an earlier one`))
      return
    }
    const claimed = claimId(mint, native, name, calls.length, options.freshIds)
    const { id: callId, originalId } = claimed
    const tell = (remark: Issue): void => void issues.push({ ...remark, name, callId })
    if (originalId !== undefined) {
      const message = `the id ${originalId} was used before; the call is now ${callId}`
      tell({ code: 'duplicate-id', message })
    }
    if (reportsUnknown && !tool) {
      tell({ code: 'unknown-tool', message: `no tool is named ${name}` })
    }
    remarks.forEach(tell)
    const all = tool?.repair ? [tool.repair, ...repairs] : repairs
    calls.push({ ...fieldsOf(native, all), ...claimed, name, arguments: value })
  }

  for (const native of natives) {
    const tool = toolOf(native)
    const read = readArguments(native, tool?.schema, options)
    if (!read.fault) {
      add(native, tool, read)
      continue
    }
    const issue = malformedIssue(native, read.fault)
    if (onMalformed !== 'skip') issues.push(issue)
    if (onMalformed === 'error') return { calls: [], issues, error: issue }
    const value = standIn(issue, onMalformed)
    if (value) add(native, tool, { value, repairs: [], issues: [] })
  }
  return { calls, issues }
}

/** Arguments that can be used, and what there is to say about them. */
interface Reading {
  readonly value: JsonObject
  readonly repairs: readonly Repair[]
  readonly issues: readonly Issue[]
  readonly fault?: undefined
}

function readArguments(
  native: NativeCall,
  schema: JsonSchema | undefined,
  { repair = 'guess', nativeShape, nativeRepairs, limits }: ParseNativeOptions,
): Reading | { readonly fault: Fault } {
  const fault = shapeFault(native) ?? (nativeShape && openAiFault(native.raw))
  if (fault) return { fault }
  const decoded = decodeArguments(native.arguments, {
    repair,
    schema,
    fit: { fit: coerceArguments },
    maxDepth: limits?.maxDepth,
  })
  if (decoded.fault) return decoded
  if (nativeRepairs && !decoded.repairs.every(({ code }) => nativeRepairs.includes(code))) {
    return { fault: { code: 'invalid-json', message: 'the arguments are not JSON' } }
  }
  if (schema === undefined || repair === 'off') return { ...decoded, issues: [] }
  return coerceArguments(decoded.value, schema, decoded.repairs)
}

function shapeFault({ known, name }: NativeCall): Fault | undefined {
  if (!known) return { code: 'unknown-shape', message: 'this is no tool call of any provider' }
  if (name === undefined) return { code: 'missing-name', message: 'the call names no tool' }
  return undefined
}

function openAiFault(raw: unknown): Fault | undefined {
  const { id, function: inner } = isJsonObject(raw) ? raw : {}
  if (typeof id !== 'string') return { code: 'missing-id', message: 'the call has no id' }
  const isNamed = isJsonObject(inner) && typeof inner['name'] === 'string'
  return isNamed ? undefined : { code: 'missing-name', message: 'the call names no function' }
}

function malformedIssue(native: NativeCall, { code, message }: Fault): Issue & { raw: string } {
  const isShape = native.arguments === undefined || native.name === undefined
  const raw = native.rawArguments ?? showJson(isShape ? native.raw : native.arguments)
  return { ...about(native, code, message), raw }
}

function about({ name, id }: NativeCall, code: Issue['code'], message: string): Issue {
  return {
    code,
    message,
    ...(name !== undefined && { name }),
    ...(id !== undefined && { callId: id }),
  }
}

/** The arguments a malformed call is made with, where it is to be made nevertheless. */
function standIn({ raw }: { raw: string }, onMalformed: OnMalformed): JsonObject | undefined {
  if (onMalformed === 'sentinel') return { __invalid_json__: clip(raw, SENTINEL_LENGTH) }
  return onMalformed === 'raw' ? { raw } : undefined
}

function fieldsOf(
  { raw, rawArguments, provider }: NativeCall,
  repairs: readonly Repair[],
): Pick<ToolCall, 'origin' | 'rawArguments' | 'repairs' | 'provider'> {
  // isCanonical has looked; the type cannot say so, because `raw` is whatever came in.
  const known: Partial<ToolCall> = isCanonical(raw) ? (raw as ToolCall) : {}
  const all = [...(known.repairs ?? []), ...repairs]
  return {
    origin: 'native',
    ...known,
    ...(rawArguments !== undefined && { rawArguments }),
    ...(all.length > 0 && { repairs: all }),
    ...(provider && { provider }),
  }
}

// What comes in need not be JSON; a text is needed in any case.
function showJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}

/** The first characters, without half of a surrogate pair at the end. */
function clip(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
}
