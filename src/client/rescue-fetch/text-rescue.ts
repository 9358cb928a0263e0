/**
 * Finds the calls and the reasoning in one text of a reply that arrives in pieces, and says for every piece what is
 * to become of it. Everything else stays as it is, character by character, also a call that cannot be read or was
 * cut off; markup goes with what it marks. All lanes of the package read texts through this.
 */
import { append } from '../../core/append.ts'
import type { Issue } from '../../core/issue.ts'
import type { ExtractEvent, FinishReason, ToolCall } from '../../core/model.ts'
import type { Segment } from '../../core/options.ts'
import { Queue } from '../../core/queue.ts'
import type { TracingExtractor } from '../../core/text/extractor.ts'

/** What comes in the place of a piece: its own text, or less of it, reasoning, and calls. */
export type Op =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }

/** A piece of text on its way. */
export interface Piece {
  readonly text: string
  /** What is known of its outcome; all of it once it is done. */
  ops: Op[]
  isDone: boolean
  /** A part of the outcome was passed on before the rest was known. */
  isBegun: boolean
}

export interface TextRescue {
  /** `waits`: the piece is done only when the text is. */
  push(text: string, waits?: boolean): Piece
  /**
   * The same for a piece of which nothing need be known if it can be passed on as it came: then those
   * before it are done.
   */
  pass(text: string): Piece | undefined
  /**
   * Several pieces at once, given as a whole and, if it must be, one by one. Undefined when all of them
   * can be passed on as they came; otherwise those are told apart that can. None do unless they `mayPass`.
   */
  pushAll(whole: string, cut: () => readonly CutPiece[], mayPass: boolean): PushedPieces | undefined
  end(reason: FinishReason): void
  /** A text that is all there; nothing else is pushed. */
  whole(text: string, reason: FinishReason): readonly Op[]
  /** True while it reads what is most likely a call. */
  isInCall(): boolean
}

/** A piece among others, and where it ends. */
export interface CutPiece {
  readonly text: string
  readonly end: number
}

export interface PushedPieces {
  readonly passed: readonly CutPiece[]
  readonly pieces: readonly { readonly piece: Piece; readonly end: number }[]
}

/** True when the piece can be passed on as it came. */
export function isSame({ text, ops, isBegun }: Piece): boolean {
  if (isBegun) return false
  const [first] = ops
  if (!first) return text === ''
  return ops.length === 1 && first.type === 'text' && first.text === text
}

/** One that stays as it is. */
export function passedPiece(text: string): Piece {
  return { text, ops: [{ type: 'text', text }], isDone: true, isBegun: false }
}

/** The end of the text, whose outcome is not known. */
export function restOf(piece: Piece): string {
  const { text, end = 0, at = end } = piece as Piece & Partial<Growing>
  return text.slice(text.length - (end - at))
}

interface Growing extends Piece {
  readonly end: number
  readonly waits: boolean
  /** Up to where its outcome is known. */
  at: number
}

type Fate = 'keep' | 'drop'

/** What becomes of the characters up to `end`. */
type Verdict =
  | { readonly end: number; readonly kind: 'keep' | 'reason' | 'drop' }
  | { readonly end: number; readonly kind: 'call'; readonly call: ToolCall }

/** White space, markup and results that the model made up: whether they stay depends on what comes next. */
interface Undecided {
  readonly end: number
  readonly kind: 'blank' | 'faked' | 'markup'
}

export interface TextListener {
  /** Told of every call; gives what to pass on, if anything. */
  rescued(call: ToolCall): ToolCall | undefined
  noted(issue: Issue): void
  /** A call that is read, before it is known to be one. */
  drafted?(event: DraftEvent): void
}

export type DraftEvent = Extract<
  ExtractEvent,
  { readonly type: 'call-start' | 'call-delta' | 'call-abort' }
>

export function createTextRescue(extractor: TracingExtractor, listener: TextListener): TextRescue {
  /** What the text is made of that was not judged yet. */
  let segments: Segment[] = []
  const pieces = new Queue<Growing>()
  const verdicts = new Queue<Verdict>()
  const drafts = new Set<number>()
  let undecided: Undecided[] = []
  let before: 'nothing' | 'text' | 'call' = 'nothing'
  /** How many pieces are done only when the text is. */
  let waiting = 0
  let length = 0
  /** Up to where the segments have been judged. */
  let judged = 0
  let isOver = false
  /** The last that was judged is reasoning: markup after it is its end. */
  let isThinking = false

  function push(text: string, waits = false): Piece {
    if (waits || text === '') return take(text, text === '' ? [] : extractor.push(text), waits)
    return pass(text) ?? passedPiece(text)
  }

  function pass(text: string): Piece | undefined {
    const events = extractor.push(text)
    return passAtOnce(events, text) ? undefined : take(text, events, false)
  }

  function take(text: string, events: readonly ExtractEvent[], waits: boolean): Piece {
    const piece = begin(text, waits)
    judge(events)
    settle()
    return piece
  }

  function pushAll(
    whole: string,
    cut: () => readonly CutPiece[],
    mayPass: boolean,
  ): PushedPieces | undefined {
    const events = whole === '' ? [] : extractor.push(whole)
    if (mayPass && passAtOnce(events, whole)) return undefined
    const all = cut()
    const passed = mayPass ? passBeginning(events, all, whole) : 0
    const begun = all.slice(passed).map(({ text, end }) => ({ piece: begin(text, false), end }))
    if (passed === 0) judge(events)
    settle()
    return { passed: all.slice(0, passed), pieces: begun }
  }

  /** The last characters may begin something; the pieces before them pass. */
  function passBeginning(
    [first, second]: readonly ExtractEvent[],
    all: readonly CutPiece[],
    text: string,
  ): number {
    if (pieces.length > 0 || undecided.length > 0 || second) return 0
    if (first?.type !== 'text-delta' || !text.startsWith(first.text)) return 0
    if (before !== 'text' && isBlank(first.text)) return 0
    const end = length + first.text.length
    const [segment] = fresh()
    if (segment?.start !== length || segment.end !== end) return 0
    judged = end
    verdicts.push({ end: judged, kind: 'keep' })
    before = 'text'
    let passed = 0
    let next = all[0]
    while (next && length + next.text.length <= judged) {
      length += next.text.length
      next = all[++passed]
    }
    if (length === judged) verdicts.pop()
    return passed
  }

  /** Mostly there is nothing but text, and what was held back before it was nothing else. */
  function passAtOnce([first, second]: readonly ExtractEvent[], text: string): boolean {
    if (undecided.length > 0 || verdicts.length > 0 || second) return false
    // As long as all that is not judged: so it is that, and nothing of it was left out.
    if (first?.type !== 'text-delta' || judged + first.text.length !== length + text.length)
      return false
    if ((before !== 'text' && isBlank(first.text)) || waiting > 0) return false
    before = 'text'
    length += text.length
    judged = length
    if (pieces.length > 0) passPieces()
    return true
  }

  function passPieces(): void {
    for (const piece of pieces.drain()) {
      put(piece, piece.end, 'text')
      piece.at = piece.end
      piece.isDone = true
    }
  }

  function begin(text: string, waits: boolean): Growing {
    const at = length
    length += text.length
    const piece = { text, waits, at, end: length, ops: [], isDone: false, isBegun: false }
    pieces.push(piece)
    if (waits) waiting++
    return piece
  }

  function end(reason: FinishReason): void {
    if (isOver) return
    judge(extractor.end({ finishReason: reason }))
    finish()
  }

  function finish(): void {
    isOver = true
    decide(before === 'call' ? 'drop' : 'keep', before === 'call' ? 'drop' : 'keep')
    settle()
  }

  function whole(text: string, reason: FinishReason): readonly Op[] {
    const events = [...extractor.push(text), ...extractor.end({ finishReason: reason })]
    const piece = begin(text, false)
    judgeSegments(events, openReasoningEnd(events))
    finish()
    return piece.ops
  }

  function judge(events: readonly ExtractEvent[]): void {
    if (!isNextText(events)) judgeSegments(events, 0)
  }

  /** Mostly what was held back turns out to be text like the one before it. */
  function isNextText([first, second]: readonly ExtractEvent[]): boolean {
    if (second || first?.type !== 'text-delta' || before !== 'text') return false
    if (undecided.length > 0) return false
    const last = fresh().at(-1)
    const end = judged + first.text.length
    if (last?.start !== judged || last.end !== end) return false
    verdicts.push({ end, kind: 'keep' })
    judged = end
    return true
  }

  /** `reasonedUntil`: up to where text is reasoning, because only its end was marked. */
  function judgeSegments(events: readonly ExtractEvent[], reasonedUntil: number): void {
    const texts = new Queue<string>()
    const calls = new Map<number, ToolCall>()
    const faked = new Set<number>()
    for (const event of events) {
      if ('issue' in event) listener.noted(event.issue)
      if (event.type === 'text-delta') texts.push(event.text)
      else if (isDraft(event)) noteDraft(event)
      else if (event.type === 'call-end') {
        drafts.delete(event.index)
        if (event.call.span) calls.set(event.call.span[0], event.call)
      } else if (event.type === 'issue' && isFaked(event.issue)) faked.add(event.issue.span[0])
    }
    for (const segment of fresh()) {
      const { kind, start, end } = segment
      const call = kind === 'call' ? calls.get(start) : undefined
      const text = kind === 'text' ? (texts.shift() ?? '') : ''
      if (call) judgeCall(call, end)
      else if (kind === 'reasoning' || (kind === 'text' && end <= reasonedUntil)) judgeThought(end)
      else if (kind === 'text') judgeText(text, end)
      else if (kind === 'issue' && !faked.has(start)) judgeUnreadable(end)
      else if (isThinking) verdicts.push({ end, kind: 'drop' })
      else undecided.push({ end, kind: kind === 'issue' ? 'faked' : 'markup' })
      isThinking = kind === 'reasoning'
      judged = end
    }
  }

  function noteDraft(event: DraftEvent): void {
    if (event.type === 'call-start') drafts.add(event.index)
    else if (event.type === 'call-abort') drafts.delete(event.index)
    listener.drafted?.(event)
  }

  function fresh(): readonly Segment[] {
    append(segments, extractor.takeSegments())
    let first = segments.length
    while (first > 0 && (segments[first - 1]?.start ?? 0) >= judged) first--
    segments = segments.slice(first)
    return segments
  }

  function judgeText(text: string, end: number): void {
    // Also a line break between two pieces of markup goes with the call, if one follows.
    if ((before !== 'text' || undecided.length > 0) && isBlank(text)) {
      undecided.push({ end, kind: 'blank' })
      return
    }
    decide('keep', before === 'call' ? 'drop' : 'keep')
    verdicts.push({ end, kind: 'keep' })
    before = 'text'
  }

  /** A call that cannot be read stays text, with the markup before it. */
  function judgeUnreadable(end: number): void {
    decide('keep', before === 'call' ? 'drop' : 'keep', 'keep')
    verdicts.push({ end, kind: 'keep' })
    before = 'text'
  }

  /** Reasoning is passed on at once, so what is blank before it is decided, too. */
  function judgeThought(end: number): void {
    decide(before === 'text' ? 'keep' : 'drop', before === 'call' ? 'drop' : 'keep')
    verdicts.push({ end, kind: 'reason' })
  }

  function judgeCall(call: ToolCall, end: number): void {
    decide('drop', 'drop')
    const told = listener.rescued(call)
    verdicts.push(told ? { end, kind: 'call', call: told } : { end, kind: 'drop' })
    before = 'call'
  }

  function decide(blank: Fate, faked: Fate, markup: Fate = 'drop'): void {
    const verdict = { blank, faked, markup }
    for (const { end, kind } of undecided) verdicts.push({ end, kind: verdict[kind] })
    undecided = []
  }

  /** Gives the verdicts to the pieces that they are about. */
  function settle(): void {
    for (let { head } = pieces; head; head = pieces.head) {
      settlePiece(head)
      if (head.at < head.end || (head.waits && !isOver)) return
      head.isDone = true
      if (head.waits) waiting--
      pieces.shift()
    }
  }

  function settlePiece(piece: Growing): void {
    for (
      let { head: verdict } = verdicts;
      verdict && piece.at < piece.end;
      verdict = verdicts.head
    ) {
      const to = Math.min(verdict.end, piece.end)
      if (verdict.kind === 'keep') put(piece, to, 'text')
      else if (verdict.kind === 'reason') put(piece, to, 'reasoning')
      piece.at = to
      if (to < verdict.end) return
      if (verdict.kind === 'call') piece.ops.push({ type: 'call', call: verdict.call })
      verdicts.shift()
    }
  }

  return { push, pass, pushAll, end, whole, isInCall: () => drafts.size > 0 }
}

function put(piece: Growing, to: number, type: 'text' | 'reasoning'): void {
  const start = piece.end - piece.text.length
  const text = piece.text.slice(piece.at - start, to - start)
  const last = piece.ops.at(-1)
  if (last?.type !== type) piece.ops.push({ type, text })
  else piece.ops[piece.ops.length - 1] = { type, text: last.text + text }
}

function isDraft(event: ExtractEvent): event is DraftEvent {
  return event.type === 'call-start' || event.type === 'call-delta' || event.type === 'call-abort'
}

/** Where reasoning ends of which only the end was marked; 0 when there is none. */
function openReasoningEnd(events: readonly ExtractEvent[]): number {
  for (const event of events) {
    const isEnd = event.type === 'issue' && event.issue.code === 'orphan-reasoning-end'
    if (isEnd) return event.issue.span?.[0] ?? 0
  }
  return 0
}

/** A result that the model made up: it goes with the call, where there is one. */
function isFaked(issue: Issue): issue is Issue & { readonly span: readonly [number, number] } {
  return issue.code === 'role-played-result' && issue.span !== undefined
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}
