/**
 * Mends a stream while it passes. Frames leave in the order in which they came: one whose text may be
 * the beginning of a call waits, and so do those behind it. A frame in which nothing changed leaves as
 * the bytes it came in.
 */

import { append } from '../../core/append.ts'
import type { Frame } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { FinishReason } from '../../core/model.ts'
import { Queue } from '../../core/queue.ts'
import { writeFrame } from '../frames.ts'
import { joinedBytes } from '../joined-bytes.ts'
import { createWholeFrames, frameEnd } from '../whole-frames.ts'
import { framesOf } from './frame-template.ts'
import { createLikenessLearner, type Likeness } from './likeness.ts'
import { readFrame } from './raw-frames.ts'
import {
  type CutPiece,
  isSame,
  type Op,
  type Piece,
  type PushedPieces,
  passedPiece,
  restOf,
  type TextRescue,
} from './text-rescue.ts'
import type { Entry, TextPiece, Wire, WireStream } from './wire.ts'

export interface StreamMender {
  /** What can be passed on now: mostly the very bytes, sometimes none. */
  push(bytes: Uint8Array): Uint8Array
  /** The stream is over. */
  end(): Uint8Array
  /** Nothing more will be mended: what was kept back, as it came. */
  abandon(): Uint8Array
}

/** A frame that waits for its turn. */
interface Waiting {
  readonly bytes: Uint8Array
  readonly pieces: readonly Piece[]
  /** The frame as it was read; one that looks like those before is read only if it must. */
  readonly frame: ReadFrame | undefined
  /** What it looks like. */
  readonly alike: Likeness | undefined
  /** Which text the first piece belongs to. */
  readonly text: TextRescue | undefined
}

type ReadFrame = Pick<Entry, 'data' | 'event'>

const DONE = '[DONE]'
const NOTHING = new Uint8Array()

export function createStreamMender(
  wire: Wire,
  stream: WireStream,
  openText: (answer: number) => TextRescue,
): StreamMender {
  // Binary frames are not mended; no wire has them.
  const framing = wire.dialect.framing === 'ndjson' ? 'ndjson' : 'sse'
  const isSse = framing === 'sse'
  const frames = createWholeFrames(framing)
  const learner = createLikenessLearner()
  const texts = new Map<string | number, TextRescue>()
  const queue = new Queue<Waiting>()
  let ready: Uint8Array[] = []
  let likeness: Likeness | undefined
  /** The frames that came last, and how many of their bytes were taken, or are about to be. */
  let incoming: Uint8Array = NOTHING
  let taken = 0
  let taking = 0

  function push(bytes: Uint8Array): void {
    incoming = bytes
    taken = 0
    while (taken < bytes.length) {
      const end = canSkim() ? skim(bytes, taken) : taken
      if (end > taken) {
        taken = end
        release()
      } else {
        taking = frameEnd(bytes, taken, isSse)
        const isAll = taken === 0 && taking === bytes.length
        read(isAll ? bytes : bytes.subarray(taken, taking))
      }
    }
  }

  // ── frames that are not read ────────────────────────────────────────────────────────────────

  /** True when frames can pass without being read, as long as they look like those before. */
  function canSkim(): boolean {
    if (!likeness) return false
    return likeness.slot === undefined ? queue.length === 0 : texts.has(likeness.slot)
  }

  /** Takes all frames that are alike, up to the first that is not, and says where that is. */
  function skim(bytes: Uint8Array, at: number): number {
    // What waits is mostly a word, and the next one shows that it need not.
    const matched = likeness?.template.match(bytes, at, queue.length > 0 ? 1 : undefined)
    if (!likeness || !matched) return at
    const { slot } = likeness
    const { end, text, count } = matched
    const run = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end)
    const rescue = slot === undefined ? undefined : texts.get(slot)
    if (slot === undefined || !rescue) pass(run, likeness, text, count)
    else if (count === 1) skimOne(run, likeness, rescue, text)
    else {
      const cut = (): readonly CutPiece[] => framesOf(bytes, matched)
      const undecided = rescue.pushAll(text, cut, stream.passesText(slot))
      if (undecided) skimApart(run, at, likeness, rescue, undecided)
      else pass(run, likeness, text, count)
    }
    return end
  }

  function skimOne(bytes: Uint8Array, alike: Likeness, rescue: TextRescue, text: string): void {
    const piece = rescue.pass(text)
    if (!piece) {
      if (queue.length > 0) release()
      if (queue.length === 0 && stream.passesText(alike.slot ?? '')) {
        return pass(bytes, alike, text, 1)
      }
    }
    const pieces = [piece ?? passedPiece(text)]
    queue.push({ bytes, pieces, frame: undefined, alike, text: rescue })
  }

  function skimApart(
    bytes: Uint8Array,
    start: number,
    alike: Likeness,
    rescue: TextRescue,
    { passed, pieces }: PushedPieces,
  ): void {
    let at = (passed.at(-1)?.end ?? start) - start
    const before = passed.map((frame) => frame.text).join('')
    if (at > 0) pass(bytes.subarray(0, at), alike, before, passed.length)
    for (const { piece, end } of pieces) {
      const frame = bytes.subarray(at, end - start)
      queue.push({ bytes: frame, pieces: [piece], frame: undefined, alike, text: rescue })
      at = end - start
    }
  }

  function pass(bytes: Uint8Array, { data, slot }: Likeness, text: string, frames: number): void {
    if (slot === undefined) stream.noteIdle?.(data, text, frames)
    else stream.noteText?.(data, text, frames)
    ready.push(bytes)
  }

  // ── frames that are read ────────────────────────────────────────────────────────────────────

  function read(bytes: Uint8Array): void {
    const { data: json, event } = readFrame(bytes, isSse)
    const data = json.startsWith('{') ? parseStrict(json) : undefined
    if (isJsonObject(data)) return takePieces(bytes, { data, event })
    // A comment, or the mark that says that nothing more comes.
    if (json === DONE) endTexts('stop')
    enqueue({ bytes, pieces: [], frame: undefined, alike: undefined, text: undefined })
    forgetIdle()
  }

  function takePieces(bytes: Uint8Array, frame: ReadFrame): void {
    const found = stream.read(frame.data, frame.event)
    const [first] = found
    const text = first && textOf(first)
    const isIdle = found.every(({ slot, text: piece }) => piece === '' && !texts.has(slot))
    enqueue({ bytes, pieces: found.map(takePiece), frame, alike: undefined, text })
    learn(bytes, frame, found, isIdle)
  }

  function enqueue(waiting: Waiting): void {
    queue.push(waiting)
    taken = taking
    release()
  }

  function learn(
    bytes: Uint8Array,
    { data, event }: ReadFrame,
    [piece, second]: readonly TextPiece[],
    isIdle: boolean,
  ): void {
    if (piece && !second && !piece.ends && !piece.waits && piece.text !== '') {
      likeness = learner.learn({ bytes, data, slot: piece.slot, text: piece.text }) ?? likeness
      return
    }
    // Where two such frames left as they came, the next one will.
    const isSent = queue.length === 0 && ready.at(-1) === bytes
    const text = isIdle && isSent ? stream.idleText?.(data, event) : undefined
    forgetIdle()
    if (text === undefined) learner.forget()
    else likeness = learner.learn({ bytes, data, slot: undefined, text }) ?? likeness
  }

  /** Whether a frame is of no concern depends on what came before it. */
  function forgetIdle(): void {
    if (likeness?.slot === undefined) likeness = undefined
  }

  function textOf({ slot, text, waits }: TextPiece): TextRescue | undefined {
    const known = texts.get(slot)
    if (known || (text === '' && !waits)) return known
    const opened = openText(stream.answerOf?.(slot) ?? 0)
    texts.set(slot, opened)
    return opened
  }

  function takePiece(piece: TextPiece): Piece {
    const { slot, text, ends, waits } = piece
    const rescue = textOf(piece)
    const taken = rescue?.push(text, waits) ?? { text, ops: [], isDone: true, isBegun: false }
    if (ends && rescue) {
      rescue.end(ends)
      texts.delete(slot)
    }
    return taken
  }

  function endTexts(reason: FinishReason): void {
    for (const text of texts.values()) text.end(reason)
    texts.clear()
  }

  // ── the way out ─────────────────────────────────────────────────────────────────────────────

  function release(): void {
    let { head } = queue
    while (head?.pieces.every(({ isDone }) => isDone)) {
      writeOut(head, false)
      queue.shift()
      head = queue.head
    }
    if (head) writeBeginning(head)
  }

  /** What comes before a call need not wait for its end. */
  function writeBeginning(head: Waiting): void {
    const [piece, second] = head.pieces
    if (!piece || second || piece.ops.length === 0 || !head.text?.isInCall()) return
    piece.isBegun = true
    writeOut(head, true)
    piece.ops = []
  }

  function writeOut(waiting: Waiting, isBeginning: boolean): void {
    const { bytes, pieces, frame, alike } = waiting
    const isUnread = !frame && !isBeginning && pieces.every(isSame)
    if (isUnread && !alike) ready.push(bytes)
    else if (isUnread && alike && stream.passesText(alike.slot ?? '')) {
      pass(bytes, alike, pieces[0]?.text ?? '', 1)
    } else {
      const entry = { bytes, pieces, ...(frame ?? readAgain(bytes)) }
      append(ready, written(stream.write(entry, isBeginning)))
    }
  }

  function written(frames: readonly (Frame | Uint8Array)[]): Uint8Array[] {
    return frames.map((one) => (one instanceof Uint8Array ? one : writeFrame(framing, one)))
  }

  function readAgain(bytes: Uint8Array): ReadFrame {
    const { data, event } = readFrame(bytes, isSse)
    const value = parseStrict(data)
    return { data: isJsonObject(value) ? value : {}, event }
  }

  /** As one piece: clients take their time for each. */
  function takeReady(): Uint8Array {
    if (ready.length === 1) return ready.pop() ?? NOTHING
    const pieces = ready
    ready = []
    return besideEachOther(pieces) ?? joinedBytes(pieces)
  }

  /** A frame that was not passed on, or what is left of it. */
  function leftOf(waiting: Waiting): readonly Uint8Array[] {
    const [piece] = waiting.pieces
    const { bytes, frame = readAgain(bytes) } = waiting
    if (!piece?.isBegun) return [bytes]
    try {
      const ops: Op[] = [...piece.ops, { type: 'text', text: restOf(piece) }]
      return written(stream.write({ ...frame, bytes, pieces: [{ ...piece, ops }] }, false))
    } catch {
      return [bytes]
    }
  }

  return {
    push(bytes) {
      push(frames.push(bytes))
      return takeReady()
    },
    end() {
      const last = frames.end()
      incoming = last
      taken = 0
      taking = last.length
      if (taking > 0) read(last)
      // A reply that was never finished is one that was cut off.
      endTexts('length')
      release()
      append(ready, stream.kept())
      return takeReady()
    },
    abandon() {
      const waiting = queue.drain().flatMap(leftOf)
      const rest = [incoming.subarray(taken), frames.end()]
      ready = [...ready, ...stream.kept(), ...waiting, ...rest]
      return takeReady()
    },
  }
}

/** Pieces that lie side by side are one without a copy. */
function besideEachOther(pieces: readonly Uint8Array[]): Uint8Array | undefined {
  const [first = NOTHING] = pieces
  const { buffer, byteOffset } = first
  let length = 0
  for (const piece of pieces) {
    if (piece.buffer !== buffer || piece.byteOffset !== byteOffset + length) return undefined
    length += piece.length
  }
  return new Uint8Array(buffer, byteOffset, length)
}
