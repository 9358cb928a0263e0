/** What tools give back, as results for the model. */
import { errorCodeOf } from '../core/error-code.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { Part, ToolResult } from '../core/model.ts'
import { thrownMessage } from '../core/thrown-message.ts'

// A registered symbol, so that outputs of a second copy of the package are known as well.
const BRAND: unique symbol = Symbol.for('toolglot.output')

/** A result with more to say than its value: an error that is no exception, or the end of the run. */
export class ToolOutput {
  readonly content: unknown
  readonly isError: boolean
  readonly errorCode: string | undefined
  /** Ends the run when the calls of the turn are closed. */
  readonly end: RunEnd | undefined

  constructor(content: unknown, options: ToolOutputOptions = {}) {
    this.content = content
    this.isError = options.isError ?? options.errorCode !== undefined
    this.errorCode = options.errorCode
    this.end = options.end
    Object.defineProperty(this, BRAND, { value: true })
  }
}

export function isToolOutput(value: unknown): value is ToolOutput {
  return typeof value === 'object' && value !== null && BRAND in value
}

export interface ToolOutputOptions {
  readonly isError?: boolean
  readonly errorCode?: string
  readonly end?: RunEnd
}

/** How a tool ends a run: with something to hand in, or because it must not go on. */
export type RunEnd =
  | { readonly reason: 'submitted'; readonly deliverable: string | null }
  | { readonly reason: 'halted'; readonly message: string }

/** Returned by a tool: an error that the model is told, with a code of its own. */
export function failure(message: string, errorCode?: string): ToolOutput {
  return new ToolOutput(message, { isError: true, ...(errorCode !== undefined && { errorCode }) })
}

/** Returned by a tool: stops the run. */
export function halt(message: string): ToolOutput {
  return new ToolOutput(message, { end: { reason: 'halted', message } })
}

/** Returned by a tool: the work is done, and this is it. */
export function submit(deliverable: string | null, content: unknown = 'Submitted.'): ToolOutput {
  return new ToolOutput(content, { end: { reason: 'submitted', deliverable } })
}

/** A result without the call it answers. */
export type Answer = Omit<ToolResult, 'callId' | 'name'>

/** The value of a tool as a result; what no model could be shown is an error. */
export function asAnswer(value: unknown): Answer {
  if (isToolOutput(value)) {
    const { isError, errorCode } = value
    const answer = asAnswer(value.content)
    if (!isError) return answer
    return { ...answer, isError, ...(errorCode !== undefined && { errorCode }) }
  }
  if (typeof value === 'string') return { content: value }
  if (value === undefined || value === null) return { content: '' }
  if (isParts(value)) return { content: value }
  return asJson(value)
}

function asJson(value: unknown): Answer {
  try {
    const content = JSON.stringify(value)
    if (content !== undefined) return { content }
  } catch {
    // Cycles and big integers: said below.
  }
  return errorAnswer(`invalid tool return: a ${typeof value} that is not JSON`, 'InvalidResult')
}

function isParts(value: unknown): value is readonly Part[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPart)
}

function isPart(value: unknown): value is Part {
  if (!isJsonObject(value)) return false
  if (value['type'] === 'text') return typeof value['text'] === 'string'
  const isMedia = value['type'] === 'image' || value['type'] === 'file'
  return isMedia && (typeof value['data'] === 'string' || typeof value['url'] === 'string')
}

export function errorAnswer(content: string, errorCode: string): Answer {
  return { content, isError: true, errorCode }
}

/** What a tool threw. */
export function thrownAnswer(error: unknown): Answer {
  const message = thrownMessage(error)
  const code = errorCodeOf(error) || 'UnknownError'
  return errorAnswer(message === '' ? `the tool failed (${code})` : message, code)
}
