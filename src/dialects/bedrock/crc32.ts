/** The checksum of frames, the one of Ethernet and gzip. */

const POLYNOMIAL = 0xedb88320

const TABLE: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1
  return value
})

/** The checksum of the bytes between two places. */
export function crc32(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  let sum = -1
  // An index, because iterating costs several times as much.
  for (let at = start; at < end; at++) {
    sum = (sum >>> 8) ^ (TABLE[(sum ^ (bytes[at] ?? 0)) & 0xff] ?? 0)
  }
  return ~sum >>> 0
}
