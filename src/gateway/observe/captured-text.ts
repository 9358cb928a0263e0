/** The beginning of a text whose bytes come in pieces. */

export interface CapturedText {
  /** Copied, as the piece may be a part of something that is used again. */
  add(bytes: Uint8Array | string): void
  text(): string
  /** Keeps nothing, now and from now on. */
  drop(): void
  /** All bytes that came, kept or not. */
  readonly bytes: number
  readonly keptBytes: number
  readonly isCut: boolean
}

const encoder = new TextEncoder()

export function createCapturedText(maxBytes: number): CapturedText {
  let pieces: Uint8Array[] = []
  let limit = maxBytes
  let bytes = 0
  let kept = 0

  return {
    add(given) {
      const piece = typeof given === 'string' ? encoder.encode(given) : given
      bytes += piece.byteLength
      if (kept >= limit || piece.byteLength === 0) return
      const part = new Uint8Array(piece.subarray(0, limit - kept))
      pieces.push(part)
      kept += part.byteLength
    },
    text() {
      const decoder = new TextDecoder()
      const parts = pieces.map((piece) => decoder.decode(piece, { stream: true }))
      // What is left of a character that was cut is no character.
      return bytes > kept ? parts.join('') : parts.join('') + decoder.decode()
    },
    drop() {
      pieces = []
      limit = 0
      kept = 0
    },
    get bytes() {
      return bytes
    },
    get keptBytes() {
      return kept
    },
    get isCut() {
      return bytes > kept
    },
  }
}
