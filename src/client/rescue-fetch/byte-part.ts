/**
 * Looks for known bytes among others. They are compared eight at a time, as numbers: that takes a sixth
 * of the time of a loop over bytes, and less than making a text of them first.
 */

export interface BytePart {
  readonly bytes: Uint8Array
  /** Eight bytes each; the last number is the last eight, part of which may be in the one before it. */
  readonly numbers: Float64Array
}

const SIZE = 8

export function bytePart(bytes: Uint8Array): BytePart {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const numbers = new Float64Array(bytes.length < SIZE ? 0 : Math.ceil(bytes.length / SIZE))
  for (let i = 0; i < numbers.length; i++) {
    const number = view.getFloat64(Math.min(i * SIZE, bytes.length - SIZE), true)
    // There are two zeros that are equal, and what is no number is equal to nothing.
    numbers[i] = number || Number.NaN
  }
  return { bytes, numbers }
}

/** To this length, copying takes less time than making a view. */
const MAX_COPIED = 1024
const copy = new Uint8Array(MAX_COPIED)
const viewOfCopy = new DataView(copy.buffer)

/** To be used at once: the next one may be the same. There may be more in it than the bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  const { buffer, byteOffset, length } = bytes
  if (length > MAX_COPIED) return new DataView(buffer, byteOffset, length)
  copy.set(bytes)
  return viewOfCopy
}

/** True when the part stands at `at` and ends no later than at `end`. */
export function isAt(view: DataView, at: number, end: number, part: BytePart): boolean {
  const { bytes, numbers } = part
  const { length } = bytes
  if (at + length > end) return false
  const last = numbers.length - 1
  if (last < 0) return isShortAt(view, at, bytes)
  let to = at
  for (let i = 0; i < last; i++) {
    if (view.getFloat64(to, true) !== numbers[i]) return false
    to += SIZE
  }
  return view.getFloat64(at + length - SIZE, true) === numbers[last]
}

function isShortAt(view: DataView, at: number, bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (view.getUint8(at + i) !== bytes[i]) return false
  return true
}
