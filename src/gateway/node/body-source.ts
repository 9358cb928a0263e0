/** Bodies that are passed on while they come, and the time that clients have for them. */
import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../gateway-error.ts'
import type { ByteSource } from '../http.ts'

/** Until the whole body has come, or, of a body that is passed on, until more of it comes. */
export class BodyTimer {
  readonly #timer: NodeJS.Timeout | undefined

  constructor(incoming: IncomingMessage, ms: number, onLate: () => void) {
    const { headers } = incoming
    const hasBody =
      headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0
    if (!hasBody) return
    this.#timer = setTimeout(() => {
      if (!incoming.complete) onLate()
    }, ms)
    // A body that nobody reads must not keep a server from ending.
    this.#timer.unref()
    incoming.once('end', () => this.stop())
    incoming.once('close', () => this.stop())
  }

  /** More has come. */
  refresh(): void {
    this.#timer?.refresh()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

export function bodySource(incoming: IncomingMessage, timer: BodyTimer): ByteSource {
  let isLeft = false
  return {
    start(sink) {
      let isOver = false
      const end = (tell: () => void): void => {
        if (isOver || isLeft) return
        isOver = true
        tell()
      }
      incoming.on('data', (bytes: Buffer) => {
        timer.refresh()
        if (!isLeft) sink.data(bytes)
      })
      incoming.on('end', () => end(() => sink.end()))
      const left = (): void =>
        end(() => sink.fail(new GatewayError('client_closed', 'the client hung up')))
      incoming.on('error', left)
      incoming.on('close', left)
    },
    pause() {
      incoming.pause()
    },
    // A server that takes its time is no fault of the client's.
    resume() {
      timer.refresh()
      incoming.resume()
    },
    cancel() {
      isLeft = true
      incoming.pause()
    },
  }
}
