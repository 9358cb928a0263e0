/**
 * Reasoning that a server keeps apart from the text, and calls in it: a model that forgets to close its
 * reasoning writes them there. It means what it would mean in the text, so it is read as if it stood there:
 * behind `<think>`, and before `</think>` when something was said after it.
 */
import type { Issue, Span } from '../issue.ts'
import type { Extraction, ToolCall } from '../model.ts'
import type { CoreOptions, Sought } from '../options.ts'
import { extractText, type TracedExtraction } from '../text/extractor.ts'

/** A reply that keeps its reasoning apart. */
export interface Channel {
  readonly reasoning: string
  readonly text: string
  /** True when it has calls of its own; beside them it makes no others. */
  readonly hasCalls: boolean
}

/** What the reasoning says; where no call is made of it, all of it stays reasoning. */
export function readChannel(
  { reasoning, text, hasCalls }: Channel,
  options: Omit<CoreOptions, keyof Sought>,
  sought: Sought,
): Extraction {
  if (reasoning === '' || sought.protocols.length === 0) return draftsIn(reasoning, [])
  const isAll = !hasCalls && text.trim() === ''
  const manner = { ...options, reasoning: 'split', trace: false } as const
  const found = extractText(`<think>${reasoning}${isAll ? '' : '</think>'}`, manner, sought)
  const calls = found.calls.map(placeless)
  const issues = found.issues.map(placeless)
  const { inReasoning } = options
  const mayCall = inReasoning === 'allow' ? !hasCalls : isAll && inReasoning !== 'ignore'
  if (mayCall && calls.length > 0) {
    return { ...found, calls, issues, text: found.text.trim() && found.text }
  }
  // Also in a format that does not end reasoning: a call that would be all of the reply is not lost in silence.
  const isSilent = isAll && issues.length + calls.length === 0
  const drafts = isSilent ? extractText(reasoning, manner, sought).calls : calls
  return { ...found, ...draftsIn(reasoning, [...issues, ...drafts.map(draftIssue)]) }
}

function draftsIn(reasoning: string, issues: Issue[]): Extraction {
  return { calls: [], text: '', reasoning, issues, protocol: null }
}

/** Places are counted in the text of a reply; this is none of it. */
function placeless<One extends { readonly span?: Span }>({ span: _, ...one }: One) {
  return one
}

function draftIssue({ name, rawArguments: raw = '' }: ToolCall): Issue {
  return { code: 'reasoning-call', message: 'a draft of a call in reasoning', raw, name }
}

/** The reply as a whole: its reasoning, and then its text. */
export function joined(thought: Extraction, said: TracedExtraction): TracedExtraction {
  return {
    ...thought,
    ...said,
    calls: [...thought.calls, ...said.calls],
    text: thought.text + said.text,
    reasoning: thought.reasoning + said.reasoning,
    issues: [...thought.issues, ...said.issues],
    protocol: thought.protocol ?? said.protocol,
  }
}
