/**
 * Mends a stream while it passes. Frames leave in the order in which they came: one whose text may be
 * the beginning of a call waits, and so do those behind it. A frame in which nothing changed leaves as
 * the bytes it came in.
 */
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { FinishReason } from '../../core/model.ts'
import { writeFrame } from '../frames.ts'
import {
  createFrameTemplate,
  type FrameTemplate,
  type MatchedFrames,
  type TextFrame,
} from './frame-template.ts'
import { createRawFrameReader, type RawFrame, readFrame } from './raw-frames.ts'
import { isSame, type Piece, type TextRescue } from './text-rescue.ts'
import type { Entry, TextPiece, Wire, WireStream } from './wire.ts'

export interface StreamMender {
  /** What can be passed on now. */
  push(bytes: Uint8Array): readonly Uint8Array[]
  /** The stream is over. */
  end(): readonly Uint8Array[]
  /** The stream broke: what was kept back, as it came. */
  abandon(): readonly Uint8Array[]
}

/** A frame that waits for its turn. */
interface Waiting {
  readonly bytes: Uint8Array
  readonly pieces: readonly Piece[]
  /** The frame as it was read; one that looks like those before is read only if it must. */
  readonly frame: ReadFrame | undefined
  /** Which text the first piece belongs to. */
  readonly text: TextRescue | undefined
  readonly slot: TextPiece['slot']
}

type ReadFrame = Pick<Entry, 'data' | 'event'>

/** Where a run of frames ended, in the text and in the bytes. */
interface Run {
  readonly textEnd: number
  readonly end: number
}

const DONE = '[DONE]'
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function createStreamMender(
  wire: Wire,
  stream: WireStream,
  openText: () => TextRescue,
): StreamMender {
  // Binary frames are not mended; no wire has them.
  const framing = wire.dialect.framing === 'ndjson' ? 'ndjson' : 'sse'
  const reader = createRawFrameReader(framing)
  const texts = new Map<string | number, TextRescue>()
  const queue: Waiting[] = []
  let ready: Uint8Array[] = []
  /** How the frames with text look, as soon as two were alike. */
  let template: (FrameTemplate & { readonly slot: TextPiece['slot'] }) | undefined
  let lastText: (TextFrame & { readonly slot: TextPiece['slot'] }) | undefined

  function push(bytes: Uint8Array): void {
    /** The rest of the bytes as text, read when it is first needed. */
    let text: string | undefined
    let textAt = 0
    let at = 0
    while (at < bytes.length) {
      if (canSkim()) {
        if (text === undefined) {
          text = decoder.decode(at === 0 ? bytes : bytes.subarray(at))
          textAt = 0
        }
        const run = skim(text, textAt, bytes, at)
        textAt = run.textEnd
        at = run.end
        if (at === bytes.length) return
      }
      const next = reader.next(bytes, at)
      if (!next) return
      if (!isSkimmed(next.frame)) take(next.frame)
      textAt += next.frame.text.length
      at = next.end
    }
  }

  /** True when frames can pass without being read, as long as they look like those before. */
  function canSkim(): boolean {
    return template !== undefined && reader.isAtStart() && texts.has(template.slot)
  }

  function isSkimmed({ text, bytes }: RawFrame): boolean {
    return canSkim() && skim(text, 0, bytes, 0).end > 0
  }

  /** Takes all frames that are alike, up to the first that is not. */
  function skim(source: string, textAt: number, bytes: Uint8Array, at: number): Run {
    if (!template) return { textEnd: textAt, end: at }
    const matched = template.matchAll(source, textAt)
    const length = matched.byteEnds.at(-1) ?? 0
    if (length > 0) takeRun(template.slot, matched, bytes.subarray(at, at + length))
    return { textEnd: matched.end, end: at + length }
  }

  function takeRun(slot: TextPiece['slot'], matched: MatchedFrames, bytes: Uint8Array): void {
    const { texts: found, byteEnds } = matched
    const text = texts.get(slot)
    if (!text) return
    const mayPass = queue.length === 0 && stream.passesText(slot)
    const { passed, pieces } = text.pushAll(found, !mayPass)
    let at = byteEnds[passed - 1] ?? 0
    if (passed > 0) {
      stream.noteText?.(slot, found.slice(0, passed).join(''), passed)
      ready.push(at === bytes.length ? bytes : bytes.subarray(0, at))
    }
    for (const [i, piece] of pieces.entries()) {
      const end = byteEnds[passed + i] ?? at
      queue.push({ bytes: bytes.subarray(at, end), pieces: [piece], frame: undefined, text, slot })
      at = end
    }
    release()
  }

  /** Two frames in a row with text of the same slot show what all of them look like. */
  function learn({ text: frame }: RawFrame, [piece, second]: readonly TextPiece[]): void {
    if (!piece || second || piece.ends || piece.waits || piece.text === '') return
    const { text, slot } = piece
    const current = { frame, text, slot }
    if (lastText?.slot === slot) {
      const alike = createFrameTemplate(lastText, current)
      template = alike && { ...alike, slot }
    }
    lastText = current
  }

  function take(frame: RawFrame): void {
    const data = frame.data.startsWith('{') ? parseStrict(frame.data) : undefined
    if (!isJsonObject(data)) return takeOther(frame)
    const read = stream.read(data, frame.event)
    learn(frame, read)
    const { event, bytes } = frame
    const [first] = read
    const text = first && textOf(first)
    const pieces = read.map(takePiece)
    queue.push({ bytes, pieces, frame: { data, event }, text, slot: first?.slot ?? '' })
    release()
  }

  /** A comment, or the mark that says that nothing more comes. */
  function takeOther(frame: RawFrame): void {
    if (frame.data === DONE) endTexts('stop')
    queue.push({ bytes: frame.bytes, pieces: [], frame: undefined, text: undefined, slot: '' })
    release()
  }

  function textOf({ slot, text, waits }: TextPiece): TextRescue | undefined {
    const known = texts.get(slot)
    if (known || (text === '' && !waits)) return known
    const opened = openText()
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

  function release(): void {
    let head = queue[0]
    while (head?.pieces.every(({ isDone }) => isDone)) {
      queue.shift()
      writeOut(head)
      head = queue[0]
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

  function writeOut(waiting: Waiting, isBeginning = false): void {
    const { bytes, pieces, slot } = waiting
    if (!waiting.frame && !isBeginning && passesUnread(waiting)) {
      stream.noteText?.(slot, pieces.map(({ text }) => text).join(''), pieces.length)
      ready.push(bytes)
      return
    }
    const read = waiting.frame ?? readAgain(bytes)
    for (const out of stream.write({ ...read, bytes, pieces }, isBeginning)) {
      ready.push(out instanceof Uint8Array ? out : writeFrame(framing, out))
    }
  }

  /** True for comments and the like, and for text in which nothing changed. */
  function passesUnread({ pieces, slot }: Waiting): boolean {
    return pieces.every(isSame) && (pieces.length === 0 || stream.passesText(slot))
  }

  function readAgain(bytes: Uint8Array): ReadFrame {
    const { data, event } = readFrame(bytes, framing === 'sse')
    const value = parseStrict(data)
    return { data: isJsonObject(value) ? value : {}, event }
  }

  function endTexts(reason: FinishReason): void {
    for (const text of texts.values()) text.end(reason)
    texts.clear()
  }

  function takeReady(): readonly Uint8Array[] {
    const taken = ready
    ready = []
    return taken.length > 1 ? joined(taken) : taken
  }

  return {
    push(bytes) {
      push(bytes)
      return takeReady()
    },
    end() {
      for (const frame of reader.end()) take(frame)
      // A reply that was never finished is one that was cut off.
      endTexts('length')
      release()
      ready.push(...stream.kept())
      return takeReady()
    },
    abandon() {
      const left = reader.end().map(({ bytes }) => bytes)
      ready.push(...stream.kept(), ...queue.splice(0).map(({ bytes }) => bytes), ...left)
      return takeReady()
    },
  }
}

/** Pieces that lay side by side are one piece again; nothing is copied. */
function joined(pieces: readonly Uint8Array[]): Uint8Array[] {
  const result: Uint8Array[] = []
  for (const piece of pieces) {
    const last = result.at(-1)
    const isNext =
      last?.buffer === piece.buffer && last.byteOffset + last.byteLength === piece.byteOffset
    if (isNext) {
      const length = last.byteLength + piece.byteLength
      result[result.length - 1] = new Uint8Array(last.buffer, last.byteOffset, length)
    } else result.push(piece)
  }
  return result
}
