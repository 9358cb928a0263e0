/**
 * One text of a reply as parts of the AI SDK. The text around calls keeps its order: it is closed before
 * a call and opened again behind it. White space that only stood between calls goes with them, because
 * some APIs refuse blank texts when they come back.
 */
import type { Issue, IssueCode } from '../core/issue.ts'
import type { ExtractEvent, FinishReason, ToolCall } from '../core/model.ts'
import type { Extractor } from '../core/text/extractor.ts'
import { findProtocol } from '../protocols/registry.ts'
import type { CallLedger } from './call-ledger.ts'
import type { Metadata, StreamPart } from './language-model.ts'

export interface TextBlock {
  push(text: string, metadata?: Metadata): void
  end(reason: FinishReason, metadata?: Metadata): void
  /** All of it at once, which can tell reasoning that was never opened. */
  readWhole(text: string, reason: FinishReason): void
}

export interface TextBlockHost {
  readonly id: string
  readonly metadata: Metadata | undefined
  readonly ledger: CallLedger
  emit(part: StreamPart): void
  report(issue: Issue): void
  noteCall(call: ToolCall): void
  /** A call was found, one that can be made or not. */
  noteAttempt(): void
  /** For a text or reasoning that the model did not open itself. */
  newId(): string
  newCallId(name: string): string
}

/** A call that is being read. */
interface Draft {
  readonly id: string
  readonly name: string
  /** Its parts, as long as it may turn out to be no call. */
  readonly held: StreamPart[] | undefined
}

/** What became of these is text still, or nothing at all by intent. */
const HARMLESS: ReadonlySet<IssueCode> = new Set([
  'quoted-call',
  'reasoning-call',
  'unknown-tool',
  'role-played-result',
  'duplicate-dropped',
])

export function createTextBlock(extractor: Extractor, host: TextBlockHost): TextBlock {
  const { emit, ledger } = host
  const drafts = new Map<number, Draft>()
  let open: { readonly type: 'text' | 'reasoning'; readonly id: string } | undefined
  /** White space before which nothing stands but calls. */
  let blank = ''
  /** Something else than text was found. */
  let isMixed = false
  let nextId: string | undefined = host.id
  let startMetadata = host.metadata
  /** What came with a piece of text and goes on with the next one that leaves. */
  let metadata: Metadata | undefined

  function takeMetadata(): { providerMetadata?: Metadata } {
    const taken = metadata
    metadata = undefined
    return taken ? { providerMetadata: taken } : {}
  }

  function openPart(type: 'text' | 'reasoning'): string {
    close()
    const id = type === 'text' ? (nextId ?? host.newId()) : host.newId()
    open = { type, id }
    if (type === 'reasoning') emit({ type: 'reasoning-start', id })
    else {
      emit({ type: 'text-start', id, ...(startMetadata && { providerMetadata: startMetadata }) })
      nextId = undefined
      startMetadata = undefined
    }
    return id
  }

  function close(): void {
    if (open?.type === 'text') emit({ type: 'text-end', id: open.id, ...takeMetadata() })
    else if (open) emit({ type: 'reasoning-end', id: open.id })
    open = undefined
  }

  function writeText(text: string): void {
    if (open?.type !== 'text' && text.trim() === '') {
      blank += text
      return
    }
    const id = open?.type === 'text' ? open.id : openPart('text')
    emit({ type: 'text-delta', id, delta: blank + text, ...takeMetadata() })
    blank = ''
  }

  function writeReasoning(text: string): void {
    interrupt()
    const id = open?.type === 'reasoning' ? open.id : openPart('reasoning')
    emit({ type: 'reasoning-delta', id, delta: text })
  }

  /** Something comes that is no text. */
  function interrupt(): void {
    isMixed = true
    blank = ''
  }

  function writeCall(draft: Draft, part: StreamPart): void {
    if (draft.held) draft.held.push(part)
    else show(part)
  }

  function show(part: StreamPart): void {
    interrupt()
    close()
    emit(part)
  }

  function startCall({ index, id, name, protocol }: EventOf<'call-start'>): void {
    // Free formats may be taken back: an example in a sentence looks like a call up to its end.
    const isSure = findProtocol(protocol)?.free === undefined && !ledger.awaitsFound()
    const draft = { id, name, held: isSure ? undefined : [] }
    drafts.set(index, draft)
    writeCall(draft, { type: 'tool-input-start', id, toolName: name })
  }

  function continueCall({ index, argumentsDelta: delta }: EventOf<'call-delta'>): void {
    const draft = drafts.get(index)
    if (draft) writeCall(draft, { type: 'tool-input-delta', id: draft.id, delta })
  }

  function endCall({ index, call }: EventOf<'call-end'>): void {
    const draft = takeDraft(index)
    if (!draft) return
    if (ledger.takeNative(call)) return drop(draft, duplicate(call))
    const { protocol = '', repairs = [] } = call
    const toolglot = { protocol, repairs: repairs.map(({ code }) => code) }
    completeCall(draft, JSON.stringify(call.arguments), { toolglot })
    host.noteCall(call)
  }

  function abortCall({ index, issue }: EventOf<'call-abort'>): void {
    const draft = takeDraft(index)
    if (!draft) return
    if (HARMLESS.has(issue.code)) return drop(draft, issue)
    completeCall(draft, unreadableInput(issue), { toolglot: { issue: issue.code } })
    host.report(issue)
  }

  function takeDraft(index: number): Draft | undefined {
    const draft = drafts.get(index)
    drafts.delete(index)
    return draft
  }

  function completeCall(draft: Draft, input: string, providerMetadata: Metadata): void {
    const { id, name } = draft
    host.noteAttempt()
    for (const part of draft.held ?? []) show(part)
    show({ type: 'tool-input-end', id })
    show({ type: 'tool-call', toolCallId: id, toolName: name, input, providerMetadata })
  }

  function drop(draft: Draft, issue: Issue): void {
    if (!draft.held) show({ type: 'tool-input-end', id: draft.id })
    host.report(issue)
  }

  /** A call that was never begun: the SDK is told of it as of one it cannot read, else it is text. */
  function noteIssue(issue: Issue): void {
    const { code, raw, name, callId } = issue
    // What was told as text cannot become reasoning any more, but it is kept apart.
    if (code === 'orphan-reasoning-end') close()
    const tookText = raw !== undefined && callId === undefined && !HARMLESS.has(code)
    if (!tookText) return host.report(issue)
    if (name === undefined) writeText(raw)
    else {
      const draft = { id: host.newCallId(name), name, held: undefined }
      show({ type: 'tool-input-start', id: draft.id, toolName: name })
      completeCall(draft, unreadableInput(issue), { toolglot: { issue: code } })
    }
    host.report(issue)
  }

  function write(events: readonly ExtractEvent[]): void {
    for (const event of events) {
      if (event.type === 'text-delta') writeText(event.text)
      else if (event.type === 'reasoning-delta') writeReasoning(event.text)
      else if (event.type === 'call-start') startCall(event)
      else if (event.type === 'call-delta') continueCall(event)
      else if (event.type === 'call-end') endCall(event)
      else if (event.type === 'call-abort') abortCall(event)
      else noteIssue(event.issue)
    }
  }

  function finish(events: readonly ExtractEvent[]): void {
    write(events)
    // Nothing was found: even an empty text stays as it was.
    if (!isMixed && !open) {
      const id = openPart('text')
      if (blank !== '') emit({ type: 'text-delta', id, delta: blank })
    }
    close()
  }

  return {
    push(text, given) {
      metadata = given ?? metadata
      write(extractor.push(text))
    },
    end(finishReason, given) {
      metadata = given ?? metadata
      finish(extractor.end({ finishReason }))
    },
    readWhole(text, finishReason) {
      const events = [...extractor.push(text), ...extractor.end({ finishReason })]
      finish(withReasoning(events))
    },
  }
}

type EventOf<Type extends ExtractEvent['type']> = Extract<ExtractEvent, { type: Type }>

/** Where reasoning ends that was never opened, the text before it was reasoning. */
function withReasoning(events: readonly ExtractEvent[]): readonly ExtractEvent[] {
  const end = events.findLastIndex(
    (event) => event.type === 'issue' && event.issue.code === 'orphan-reasoning-end',
  )
  return events.map((event, at) =>
    at < end && event.type === 'text-delta' ? { type: 'reasoning-delta', text: event.text } : event,
  )
}

/** Begins with a sentence, so that it can never be taken for arguments in JSON. */
function unreadableInput({ message, raw = '' }: Issue): string {
  return `${message}: ${raw}`
}

function duplicate({ name, id }: ToolCall): Issue {
  const message = `${name} was called by the model itself, and stood in its text as well`
  return { code: 'duplicate-dropped', message, name, callId: id }
}
