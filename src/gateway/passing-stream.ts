/**
 * A provider's stream on its way to a client of the same dialect: mended where that is asked for, counted,
 * watched, and never cut off in silence.
 */
import { classifyFailure } from '../client/error-class.ts'
import { ProviderError } from '../client/errors.ts'
import { createFrameReader } from '../client/frames.ts'
import { joinedBytes } from '../client/joined-bytes.ts'
import type { ReasoningWatch } from '../client/reasoning-field.ts'
import type { StreamMender } from '../client/rescue-fetch/rescue-stream.ts'
import { COUNTS_MS, LINGER_MS } from '../client/stream-end.ts'
import { streamFailure } from '../client/stream-failure.ts'
import { createWholeFrames, type WholeFrames } from '../client/whole-frames.ts'
import type { StreamFailure, Usage } from '../core/chat.ts'
import { GatewayError, replyTooLarge } from './gateway-error.ts'
import type { ByteSink, ByteSource } from './http.ts'
import { streamedInWordsOf } from './overflow-words.ts'
import { createPlainLines } from './plain-lines.ts'
import { noteIssues, type Question } from './question.ts'
import type { Renaming } from './reply-model.ts'
import { GARBAGE, judgeLast, soundFrames } from './sound-frames.ts'

/** So much of the end is kept to see whether the reply is complete, and what it cost. */
const TAIL_BYTES = 4 * 1024
const text = new TextDecoder()
const encoder = new TextEncoder()
const LINE_END = encoder.encode('\n')
const SSE_END = encoder.encode('\n\n')

export interface PassingOptions {
  readonly question: Question
  readonly mender: StreamMender | undefined
  /** Looks at the reply for the field of its reasoning. */
  readonly reasoning: ReasoningWatch
  /** Puts the client's name for the model into whole frames. */
  readonly rename: Renaming | undefined
  /** What the source says went wrong, as an error for the client. */
  readonly errorOf: (thrown: unknown) => unknown
  /** The reply is over; with what went wrong, if anything did. */
  readonly onEnd: (error?: unknown) => void
}

export class PassingStream implements ByteSource {
  readonly #source: ByteSource
  readonly #options: PassingOptions
  /** Only whole frames pass, so that a stream that breaks off never ends inside of one. */
  readonly #frames: WholeFrames
  readonly #plain: (bytes: Uint8Array) => Uint8Array
  #head: Uint8Array | undefined
  /** What the client was given last. */
  #last: Uint8Array | undefined
  #tail: Uint8Array[] = []
  #tailLength = 0
  #total = 0
  /** What came before somebody wanted it. */
  #early: Uint8Array[] = []
  #sink: ByteSink | undefined
  #isOver = false
  /** Runs when the reply is all there, and again when it has ended before its source. */
  #patience: ReturnType<typeof setTimeout> | undefined
  #opened: ((error?: { readonly error: unknown }) => void) | undefined

  constructor(source: ByteSource, options: PassingOptions) {
    this.#source = source
    this.#options = options
    const { framing } = options.question.endpoint.dialect
    this.#frames = createWholeFrames(framing)
    this.#plain = framing === 'aws' ? (bytes) => bytes : createPlainLines()
  }

  /** Resolves to the first frames as they came; rejects when the stream fails before. */
  async open(): Promise<Uint8Array> {
    const failed = new Promise<{ readonly error: unknown } | undefined>((resolve) => {
      this.#opened = resolve
    })
    this.#source.start({
      data: (bytes) => this.#take(bytes),
      end: () => {
        clearTimeout(this.#patience)
        this.#end()
      },
      fail: (error) => {
        clearTimeout(this.#patience)
        this.#fail(error)
      },
    })
    const failure = await failed
    if (failure) throw failure.error
    return this.#head ?? new Uint8Array()
  }

  start(sink: ByteSink): void {
    this.#sink = sink
    const early = this.#early
    this.#early = []
    for (const bytes of early) sink.data(bytes)
    if (this.#isOver) sink.end()
  }

  pause(): void {
    this.#source.pause()
  }

  resume(): void {
    this.#source.resume()
  }

  cancel(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#patience)
    this.#source.cancel()
    this.#options.onEnd(new GatewayError('client_closed', 'the client hung up'))
  }

  #take(bytes: Uint8Array): void {
    if (this.#isOver) return
    const { question } = this.#options
    question.watch.upstreamBytes(bytes)
    this.#total += bytes.length
    try {
      if (this.#total > question.maxReplyBytes) throw replyTooLarge(question.maxReplyBytes)
      this.#takeFrames(this.#whole(this.#plain(bytes)))
    } catch (error) {
      clearTimeout(this.#patience)
      this.#source.cancel()
      this.#fail(error)
    }
  }

  /** The first chunk with reasoning says which field the server has for it. */
  #lookForReasoning(frames: Uint8Array, said: string): void {
    const { question, reasoning } = this.#options
    if (!reasoning.mayBeIn(said)) return
    const { framing } = question.endpoint.dialect
    for (const { data } of createFrameReader(framing).push(frames)) reasoning.frame(data)
  }

  /** Servers may keep a connection open after all was said; the client need not wait for that. */
  #lookForEnd(said: string): void {
    const { endpoint } = this.#options.question
    const { framing } = endpoint.dialect
    const wasComplete = this.#patience !== undefined
    const at = wasComplete ? 0 : said.search(endpoint.complete)
    if (at === -1) return
    // A chunk of a fast provider holds most of a reply: only its end is read once more.
    const last = said.slice(said.lastIndexOf(framing === 'sse' ? '\n\n' : '\n', at) + 1)
    const read = createFrameReader(framing).push(encoder.encode(last))
    // Comments may go on for ever.
    if (read.length === 0) return
    const decoder = endpoint.dialect.createStreamDecoder()
    for (const frame of read) decoder.push(frame)
    if (decoder.hasEnded?.()) return this.#endEarly()
    if (!wasComplete && !decoder.isComplete?.()) return
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => this.#endIfAlone(), COUNTS_MS)
  }

  /** The end of one of several answers is not the end of the reply. */
  async #endIfAlone(): Promise<void> {
    const isAlone = (await answersTo(this.#options.question)) === 1
    if (isAlone && !this.#isOver) this.#endEarly()
  }

  #endEarly(): void {
    clearTimeout(this.#patience)
    this.#end()
    this.#patience = setTimeout(() => this.#source.cancel(), LINGER_MS)
  }

  #whole(bytes: Uint8Array): Uint8Array {
    try {
      return this.#frames.push(bytes)
    } catch {
      throw new GatewayError('reply_too_large', 'a frame does not end')
    }
  }

  /** Servers that stop without the end of their last frame still meant it; half a frame is none. */
  #lastFrame(): Uint8Array {
    const { endpoint, report } = this.#options.question
    const { framing } = endpoint.dialect
    const rest = this.#frames.end()
    const judgement = judgeLast(rest, framing)
    if (judgement === 'garbage') noteIssues(report, [GARBAGE])
    if (rest.length === 0 || judgement !== 'sound') return new Uint8Array()
    return joinedBytes([rest, framing === 'sse' ? SSE_END : LINE_END])
  }

  #takeFrames(came: Uint8Array): void {
    if (came.length === 0) return
    for (const frame of this.#withoutGarbage(came)) this.#takeSound(frame)
    const said = text.decode(came)
    this.#lookForReasoning(came, said)
    this.#lookForEnd(said)
  }

  #withoutGarbage(came: Uint8Array): readonly Uint8Array[] {
    const { endpoint, report } = this.#options.question
    const { frames, hadGarbage } = soundFrames(came, endpoint.dialect.framing)
    if (hadGarbage) noteIssues(report, [GARBAGE])
    return frames
  }

  #takeSound(sound: Uint8Array): void {
    const { mender, question } = this.#options
    if (sound.length === 0) return
    const frames = question.endpoint.filled?.frames(sound) ?? sound
    this.#remember(frames)
    this.#give(mender ? mender.push(frames) : frames)
    this.#tellOpened()
  }

  #give(given: Uint8Array): void {
    if (given.length === 0) return
    const bytes = this.#named(given)
    this.#last = bytes
    if (this.#sink) this.#sink.data(bytes)
    else this.#early.push(bytes)
  }

  #named(bytes: Uint8Array): Uint8Array {
    const { rename } = this.#options
    if (!rename) return bytes
    const came = text.decode(bytes)
    const named = rename.frames(came)
    return named === came ? bytes : encoder.encode(named)
  }

  #remember(bytes: Uint8Array): void {
    this.#head ??= bytes
    this.#tail.push(bytes)
    this.#tailLength += bytes.length
    let first = this.#tail[0]
    while (first && this.#tailLength - first.length >= TAIL_BYTES) {
      this.#tail.shift()
      this.#tailLength -= first.length
      first = this.#tail[0]
    }
  }

  #tellOpened(error?: { readonly error: unknown }): void {
    const tell = this.#opened
    this.#opened = undefined
    tell?.(error)
  }

  #end(): void {
    if (this.#isOver) return
    try {
      this.#finish()
    } catch (error) {
      this.#fail(error)
    }
  }

  #finish(): void {
    const { question, mender } = this.#options
    // A last frame that is cut off says nothing about the reply.
    const last = this.#lastFrame()
    const text = this.#tailText(last)
    if (!question.endpoint.complete.test(text)) {
      return this.#fail(new ProviderError('transport', 'the stream ended before the reply did'))
    }
    this.#takeSound(last)
    if (mender) this.#give(mender.end())
    const { usage, failure } = TELLING.test(text) ? endingIn(this.#ends(), question) : NOTHING
    question.report.usage = usage
    // The provider itself has told the client, in its own words.
    const error = failure && this.#options.errorOf(classifyFailure(failure))
    if (error !== undefined) question.report.failure = error
    this.#close(error)
  }

  /** The first frames and the last. */
  #ends(): Uint8Array[] {
    return [...new Set([...(this.#head ? [this.#head] : []), ...this.#tail.slice(-4)])]
  }

  #fail(thrown: unknown): void {
    if (this.#isOver) return
    const { question, mender, errorOf } = this.#options
    const error = errorOf(thrown)
    if (this.#opened) {
      this.#isOver = true
      return this.#tellOpened({ error })
    }
    if (mender) this.#give(mender.abandon())
    const { endpoint, sight, facts } = question
    const [first, last] = [this.#head, this.#last].map((bytes) => new TextDecoder().decode(bytes))
    const stream = { sight, facts, first: first ?? '', last: last ?? '' }
    this.#give(
      encoder.encode(
        endpoint.writeBreak(streamedInWordsOf(endpoint, streamFailure(error)), stream),
      ),
    )
    question.report.failure = error
    this.#close(error)
  }

  #close(error?: unknown): void {
    this.#isOver = true
    this.#tellOpened()
    this.#options.onEnd(error)
    this.#sink?.end()
  }

  #tailText(last: Uint8Array): string {
    const decoder = new TextDecoder()
    return [...this.#tail, last].map((bytes) => decoder.decode(bytes)).join('')
  }
}

/** How many answers are asked for; undefined for a question that only its provider can read. */
async function answersTo(question: Question): Promise<number | undefined> {
  try {
    return (await question.request()).n ?? 1
  } catch {
    return undefined
  }
}

interface Ending {
  readonly usage: Usage | undefined
  /** What the provider says went wrong. */
  readonly failure?: StreamFailure
}

/** Where none of this stands, the last frames need not be read. */
const TELLING = /usage|tokens|_count|"error"/i
const NOTHING: Ending = { usage: undefined }

/** The first and the last frames are enough to know what a reply cost, and how it ended. */
function endingIn(pieces: readonly Uint8Array[], { endpoint }: Question): Ending {
  const reader = createFrameReader(endpoint.dialect.framing)
  const decoder = endpoint.dialect.createStreamDecoder()
  const frames = [...pieces.flatMap((bytes) => reader.push(bytes)), ...reader.end()]
  const events = frames.flatMap((frame) => decoder.push(frame))
  const told = events.find((event) => event.type === 'error')
  if (told) return { usage: told.error.partial?.usage, failure: told.error }
  const [last] = decoder.end()
  if (last?.type === 'finish') return { usage: last.response.usage }
  return { usage: last?.type === 'error' ? last.error.partial?.usage : undefined }
}
