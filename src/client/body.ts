/** The bytes of an answer, as many as we are willing to read. */
import { connectionError } from './connection-error.ts'
import { ProviderError, type ProviderErrorFields } from './errors.ts'
import type { Secrets } from './secrets.ts'
import type { Watch } from './watch.ts'
import type { Whereabouts } from './whereabouts.ts'

export interface BodyLimits {
  readonly maxBytes: number
  /** Patience between two pieces; asked before each. */
  readonly idleMs: number | undefined
  /**
   * For a reader that leaves before the end: how long the rest is taken, so that the connection can be used
   * again. Without it, the connection is closed at once.
   */
  readonly lingerMs?: number | undefined
  /** For errors. */
  readonly fields: ProviderErrorFields
  readonly where?: Whereabouts | undefined
  readonly secrets: Secrets
}

/** Reads to the end, to the limit, or to where the reader of this leaves; the connection is then free. */
export async function* readPieces(
  response: Response,
  watch: Watch,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (!reader) return
  let total = 0
  let isDone = false
  try {
    while (!isDone) {
      const { done, value } = await watch
        .during('idle', limits.idleMs, reader.read())
        .catch((error: unknown) => {
          watch.check()
          throw connectionError(error, limits.secrets, limits.fields, limits.where)
        })
      isDone = done
      if (value === undefined) continue
      total += value.byteLength
      if (total > limits.maxBytes) throw tooLong(limits)
      yield value
    }
  } finally {
    // Whoever hangs up need not wait until the other side has noticed.
    if (!isDone && limits.lingerMs !== undefined) drain(reader, limits.lingerMs)
    else {
      if (!isDone) reader.cancel().catch(() => {})
      reader.releaseLock()
    }
  }
}

function drain(reader: ReadableStreamDefaultReader<Uint8Array>, ms: number): void {
  const timer = setTimeout(() => reader.cancel().catch(() => {}), ms)
  const readOn = async (): Promise<void> => {
    while (!(await reader.read()).done);
  }
  readOn()
    .catch(() => {})
    .finally(() => clearTimeout(timer))
}

export async function readText(
  response: Response,
  watch: Watch,
  limits: BodyLimits,
): Promise<string> {
  const decoder = new TextDecoder()
  const texts: string[] = []
  for await (const piece of readPieces(response, watch, limits)) {
    texts.push(decoder.decode(piece, { stream: true }))
  }
  texts.push(decoder.decode())
  return texts.join('')
}

function tooLong({ maxBytes, fields }: BodyLimits): ProviderError {
  const message = `the answer is longer than ${maxBytes} bytes; see the option maxBodyBytes`
  return new ProviderError('transport', message, { ...fields, retryable: false })
}
