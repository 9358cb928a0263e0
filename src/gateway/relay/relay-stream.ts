/** The reply of a provider on its way to the client, as it comes: counted, watched, and never cut off in silence. */
import { classify } from '../../client/error-class.ts'
import { ProviderError } from '../../client/errors.ts'
import { createFrameReader } from '../../client/frames.ts'
import { joinedBytes } from '../../client/joined-bytes.ts'
import { LINGER_MS } from '../../client/stream-end.ts'
import { createWholeFrames } from '../../client/whole-frames.ts'
import type { Usage } from '../../core/chat.ts'
import type { Framing } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject } from '../../core/json/value.ts'
import { GatewayError, replyTooLarge } from '../gateway-error.ts'
import type { ByteSink, ByteSource } from '../http.ts'
import type { Renaming } from '../reply-model.ts'
import { judgeLast, soundFrames } from '../sound-frames.ts'
import { reportedUsage } from './reported-usage.ts'
import type { StreamWriter } from './translation.ts'

export interface RelayStreamOptions {
  /** Undefined for what has no frames, such as audio. */
  readonly framing: Framing | undefined
  /** Writes the frames in the client's API, where that is another one. */
  readonly writer: StreamWriter | undefined
  /** Puts the client's name for the model into whole frames that pass. */
  readonly rename: Renaming | undefined
  /** Found in a stream that has not broken off. */
  readonly complete: RegExp | undefined
  readonly maxBytes: number
  readonly onBytes: (bytes: Uint8Array) => void
  readonly onUsage: (usage: Usage) => void
  /** Called for frames that are no JSON, which are left out. */
  readonly onGarbage: () => void
  /** The last frame of a stream that breaks off, in words that the client knows. */
  readonly writeBreak: (error: unknown) => string
  /** What was thrown on the way, as an error for the client. */
  readonly errorOf: (thrown: unknown) => unknown
  /** Called once, with what went wrong, if anything did. */
  readonly onEnd: (error?: unknown) => void
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** Without one of these, no frame needs to be read. */
const TELLING = /tokens|_count|TokenCount|"error"/

export function relayStream(source: ByteSource, options: RelayStreamOptions): ByteSource {
  const { framing, writer, rename, complete, maxBytes } = options
  const whole = framing && createWholeFrames(framing)
  const reader = createFrameReader(framing ?? 'ndjson')
  let sink: ByteSink | undefined
  let total = 0
  let isComplete = complete === undefined
  let isOver = false
  let failure: unknown

  function take(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    if (!framing) return give(bytes)
    const { frames, hadGarbage } = soundFrames(bytes, framing)
    if (hadGarbage) options.onGarbage()
    for (const frame of frames) give(frame)
  }

  function give(bytes: Uint8Array): void {
    if (framing) lookAt(bytes, framing)
    if (!writer) return sink?.data(framing && rename ? named(bytes, rename) : bytes)
    const text = reader
      .push(bytes)
      .map((frame) => writer.push(frame))
      .join('')
    if (text !== '') sink?.data(encoder.encode(text))
  }

  function lookAt(bytes: Uint8Array, kind: Framing): void {
    const text = decoder.decode(bytes)
    isComplete ||= complete?.test(text) === true
    if (!TELLING.test(text)) return
    const own = createFrameReader(kind)
    for (const { data } of [...own.push(bytes), ...own.end()]) {
      const said = parseStrict(data)
      const usage = reportedUsage(said)
      if (usage) options.onUsage(usage)
      if (isJsonObject(said) && said['error']) failure = options.errorOf(classify({ body: said }))
    }
  }

  function receive(bytes: Uint8Array): void {
    if (isOver) return
    options.onBytes(bytes)
    total += bytes.length
    try {
      if (total > maxBytes) throw replyTooLarge(maxBytes)
      take(whole ? whole.push(bytes) : bytes)
    } catch (error) {
      source.cancel()
      fail(error)
    }
    // Servers may keep a connection open after all was said; the client need not wait for that.
    if (complete && isComplete && !isOver) {
      finish()
      setTimeout(() => source.cancel(), LINGER_MS)
    }
  }

  function end(): void {
    if (isOver) return
    const rest = whole?.end()
    const judgement = rest && framing && judgeLast(rest, framing)
    // A last frame may lack its end, unless the stream broke off inside of the frame.
    if (rest && framing && judgement === 'sound') give(withEnd(rest, framing))
    if (judgement === 'garbage') options.onGarbage()
    if (isComplete) finish()
    else fail(endedEarly())
  }

  function finish(): void {
    const last = failure === undefined ? (writer?.end() ?? '') : ''
    if (last !== '') sink?.data(encoder.encode(last))
    isOver = true
    // The provider itself has reported the failure to the client.
    options.onEnd(failure)
    sink?.end()
  }

  function fail(thrown: unknown): void {
    if (isOver) return
    isOver = true
    const error = options.errorOf(thrown)
    options.onEnd(error)
    if (!framing) return sink?.fail(error)
    sink?.data(encoder.encode(options.writeBreak(error)))
    sink?.end()
  }

  return {
    start(target) {
      sink = target
      source.start({ data: receive, end, fail })
    },
    pause: () => source.pause(),
    resume: () => source.resume(),
    cancel() {
      if (isOver) return
      isOver = true
      source.cancel()
      options.onEnd(new GatewayError('client_closed', 'the client hung up'))
    },
  }
}

function named(frames: Uint8Array, rename: Renaming): Uint8Array {
  const text = decoder.decode(frames)
  const renamed = rename.frames(text)
  return renamed === text ? frames : encoder.encode(renamed)
}

function withEnd(frame: Uint8Array, framing: Framing): Uint8Array {
  return joinedBytes([frame, encoder.encode(framing === 'sse' ? '\n\n' : '\n')])
}

function endedEarly(): ProviderError {
  return new ProviderError('transport', 'the stream ended before the reply did')
}
