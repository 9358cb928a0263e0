/** The checksum of frames, the one of Ethernet and gzip. */

const POLYNOMIAL = 0xedb88320

const TABLE: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1
  return value
})

/** What becomes of a byte when that many others follow it, so that eight can be taken at once. */
const BEHIND_1 = behind(TABLE)
const BEHIND_2 = behind(BEHIND_1)
const BEHIND_3 = behind(BEHIND_2)
const BEHIND_4 = behind(BEHIND_3)
const BEHIND_5 = behind(BEHIND_4)
const BEHIND_6 = behind(BEHIND_5)
const BEHIND_7 = behind(BEHIND_6)

function behind(table: Int32Array): Int32Array {
  return table.map((sum) => (sum >>> 8) ^ (TABLE[sum & 0xff] ?? 0))
}

/** The checksum of the bytes between two places. */
export function crc32(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  let sum = -1
  let at = start
  // An index, because iterating costs several times as much.
  for (; at + 8 <= end; at += 8) {
    const first = sum ^ wordAt(bytes, at)
    const second = wordAt(bytes, at + 4)
    sum =
      (BEHIND_7[first & 0xff] ?? 0) ^
      (BEHIND_6[(first >>> 8) & 0xff] ?? 0) ^
      (BEHIND_5[(first >>> 16) & 0xff] ?? 0) ^
      (BEHIND_4[first >>> 24] ?? 0) ^
      (BEHIND_3[second & 0xff] ?? 0) ^
      (BEHIND_2[(second >>> 8) & 0xff] ?? 0) ^
      (BEHIND_1[(second >>> 16) & 0xff] ?? 0) ^
      (TABLE[second >>> 24] ?? 0)
  }
  for (; at < end; at++) sum = (sum >>> 8) ^ (TABLE[(sum ^ (bytes[at] ?? 0)) & 0xff] ?? 0)
  return ~sum >>> 0
}

function wordAt(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
  return low | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
}
