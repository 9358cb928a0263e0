/** Pieces of bytes as one; the very piece when there is but one. */
export function joinedBytes<Bytes extends Uint8Array>(
  pieces: readonly Bytes[],
): Bytes | Uint8Array<ArrayBuffer> {
  const [only] = pieces
  if (only && pieces.length === 1) return only
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
