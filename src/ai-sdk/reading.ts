/** What is known of one reply while it is read: its parts so far, its calls, what was wrong with it. */
import { createIdMint } from '../core/ids.ts'
import type { Issue } from '../core/issue.ts'
import type { FinishReason, ToolCall } from '../core/model.ts'
import { createExtractor } from '../extract.ts'
import { type CallLedger, createCallLedger } from './call-ledger.ts'
import type { CallPlan } from './call-plan.ts'
import type { EndReason, Metadata, StreamPart } from './language-model.ts'
import { createTextBlock, type TextBlock } from './text-block.ts'

export interface Reading {
  readonly ledger: CallLedger
  emit(part: StreamPart): void
  /** The parts since the last time. */
  take(): StreamPart[]
  openText(id: string, metadata: Metadata | undefined): TextBlock
  report(issue: Issue): void
  /** How the reply ends, now that it is known what it holds. */
  finish(reason: EndReason, metadata: Metadata | undefined): Ending
}

export interface Ending {
  readonly finishReason: EndReason
  readonly providerMetadata?: Metadata
}

export function createReading(plan: CallPlan): Reading {
  const { onIssue, onRepair } = plan.listeners
  const ledger = createCallLedger()
  const usedIds = new Set(plan.extraction.usedIds)
  const mint = createIdMint({ ids: plan.extraction.ids, usedIds })
  const issues: Issue[] = []
  let parts: StreamPart[] = []
  let blocks = 0
  /** Calls that were found in the text, those that cannot be made included. */
  let found = 0

  function report(issue: Issue): void {
    issues.push(issue)
    quietly(() => onIssue?.(issue))
  }

  function noteCall(call: ToolCall): void {
    usedIds.add(call.id)
    ledger.noteFound(call)
    const { repairs = [] } = call
    if (repairs.length > 0) quietly(() => onRepair?.(repairs, call))
  }

  const emit = (part: StreamPart): void => void parts.push(part)

  return {
    ledger,
    emit,
    report,
    take() {
      const taken = parts
      parts = []
      return taken
    },
    openText: (id, metadata) =>
      createTextBlock(createExtractor({ ...plan.extraction, usedIds }), {
        id,
        metadata,
        emit,
        report,
        noteCall,
        ledger,
        newId: () => `${id}:${++blocks}`,
        newCallId: (name) => mint.claim(undefined, name, found).id,
        noteAttempt: () => void found++,
      }),
    finish(reason, metadata) {
      const finishReason = found > 0 ? withCalls(reason) : reason
      if (found === 0 && issues.length === 0) {
        return { finishReason, ...(metadata && { providerMetadata: metadata }) }
      }
      const toolglot = { calls: found, issues: issues.map(issueJson) }
      return { finishReason, providerMetadata: { ...metadata, toolglot } }
    },
  }
}

/** A reply that was cut off or refused stays so, with calls or without. */
function withCalls(reason: EndReason): EndReason {
  const isOpen = reason.unified === 'stop' || reason.unified === 'other'
  return isOpen ? { ...reason, unified: 'tool-calls' } : reason
}

export function neutralReason({ unified }: EndReason): FinishReason {
  return unified === 'other' ? 'stop' : unified
}

function issueJson({ span, fields, ...rest }: Issue): Metadata[string] {
  return { ...rest, ...(span && { span: [...span] }), ...(fields && { fields: [...fields] }) }
}

/** The reply must not suffer from who looks on. */
function quietly(listen: () => void): void {
  try {
    listen()
  } catch {
    // Theirs to deal with.
  }
}
