/**
 * Calls that a model meant and that could not be read. They are not run and not lost: in the history they
 * stand as calls with a result that says what to do better.
 */

import type { ChatResponse } from '../core/chat.ts'
import { createIdMint } from '../core/ids.ts'
import type { Issue, IssueCode } from '../core/issue.ts'
import { textOf } from '../core/message.ts'
import type { Message, ToolCall } from '../core/model.ts'
import { type Answer, errorAnswer } from './tool-output.ts'
import type { Toolset } from './toolset.ts'

export interface ReadReply {
  readonly message: Message
  /** Answers to calls that could not be read, by their position among all calls. */
  readonly answers: ReadonlyMap<number, Answer>
  /** What the model is told of attempts that do not even name a tool. */
  readonly feedback?: string
}

/** What stands for a call that was meant but cannot be made. */
const UNREADABLE: Partial<Record<IssueCode, (issue: Issue, toolset: Toolset) => string>> = {
  'invalid-json': ({ name, raw = '' }) =>
    `tool arguments were not valid JSON: ${excerpt(raw)}. Re-send the ${name} call with corrected JSON arguments.`,
  'invalid-arguments': ({ name, message }) =>
    `${message}. Re-send the ${name} call with its arguments as one JSON object.`,
  'missing-argument': ({ name, message }) => `${message}. Re-send the ${name} call with it.`,
  'truncated-call': ({ name }) =>
    `the ${name} call was cut off and not run. Send it again, shorter or in smaller steps.`,
  'unknown-shape': ({ name }) => `the ${name} call has an unknown shape. Re-send it.`,
  'missing-name': ({ message }) => message,
  'empty-call': ({ message }) => message,
  'unknown-tool': ({ name = '' }, toolset) => toolset.unknown(name),
}

const CODES: Partial<Record<IssueCode, string>> = {
  'truncated-call': 'Truncated',
  'unknown-tool': 'UnknownTool',
}

const LONGEST_EXCERPT = 500

/** True for issues about a call that the model meant. */
export function isUnreadable({ code }: Issue): boolean {
  return UNREADABLE[code] !== undefined
}

export function readReply({ message, issues }: ChatResponse, toolset: Toolset): ReadReply {
  const unreadable = issues.filter(isUnreadable)
  const named = unreadable.filter(({ name }) => name)
  const nameless = unreadable.filter(({ name }) => !name)
  const calls = message.toolCalls ?? []
  const broken = brokenCalls(named, calls)
  const answers = new Map<number, Answer>()
  for (const [at, issue] of named.entries()) {
    answers.set(calls.length + at, answerTo(issue, toolset))
  }
  return {
    message:
      broken.length === 0
        ? message
        : { ...withoutRaw(message, named), toolCalls: [...calls, ...broken] },
    answers,
    ...(nameless.length > 0 && { feedback: feedbackOn(nameless) }),
  }
}

function brokenCalls(issues: readonly Issue[], calls: readonly ToolCall[]): ToolCall[] {
  const mint = createIdMint({ usedIds: calls.map(({ id }) => id) })
  return issues.map(({ callId, name = '', protocol }, at) => ({
    ...mint.claim(callId, name, calls.length + at),
    name,
    arguments: {},
    origin: protocol === undefined ? 'native' : 'text',
    ...(protocol !== undefined && { protocol }),
  }))
}

/** Markup that stayed in the text is said by the call now. */
function withoutRaw(message: Message, issues: readonly Issue[]): Message {
  if (typeof message.content !== 'string') return message
  let content = message.content
  for (const { raw = '' } of issues) {
    if (raw !== '') content = content.replace(raw, () => '')
  }
  return content === message.content ? message : { ...message, content: content.trim() }
}

function answerTo(issue: Issue, toolset: Toolset): Answer {
  const { code } = issue
  const text = UNREADABLE[code]?.(issue, toolset) ?? issue.message
  return errorAnswer(text, CODES[code] ?? 'InvalidArgs')
}

function feedbackOn(issues: readonly Issue[]): string {
  const reasons = [...new Set(issues.map(({ message }) => message))]
  return (
    `A tool call in your last reply could not be read: ${reasons.join('; ')}. ` +
    'If it is still needed, send it again with the name of a tool and all of its arguments.'
  )
}

function excerpt(raw: string): string {
  const text = raw.trim()
  return text.length <= LONGEST_EXCERPT ? text : `${cut(text)}…`
}

/** Not inside a character of two units. */
function cut(text: string): string {
  return text.slice(0, LONGEST_EXCERPT).replace(/[\ud800-\udbff]$/, '')
}

/** True when the reply has neither text nor calls nor attempts at them. */
export function isBlank({ message, issues }: ChatResponse): boolean {
  const hasCalls = (message.toolCalls?.length ?? 0) > 0
  return !hasCalls && textOf(message).trim() === '' && !issues.some(isUnreadable)
}
