/** Vectors of embeddings: as lists of numbers, and as 32-bit floats in base64, which most clients of OpenAI ask for. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { decodeBase64, encodeBase64 } from '../../dialects/base64.ts'

const FLOAT_BYTES = 4

/** The numbers of a vector; undefined when it is none. */
export function vectorIn(value: JsonValue | undefined): readonly number[] | undefined {
  if (typeof value === 'string') return floatsIn(decodeBase64(value))
  const isVector = Array.isArray(value) && value.every((one) => typeof one === 'number')
  return isVector && value.length > 0 ? value : undefined
}

export function writtenVector(vector: readonly number[], format: JsonValue | undefined): JsonValue {
  return format === 'base64' ? encodeBase64(bytesOf(vector)) : [...vector]
}

/**
 * A reply of OpenAI's API with its vectors in the form that was asked for. Some servers (LM Studio, Infinity) send
 * lists of numbers whatever the request says, which OpenAI's clients take for base64 and turn into noise.
 */
export function inAskedFormat(
  reply: JsonObject,
  { encoding_format: format }: JsonObject,
): JsonObject {
  const { data } = reply
  if (format !== 'base64' || !Array.isArray(data)) return reply
  if (!data.some((one) => isJsonObject(one) && Array.isArray(one['embedding']))) return reply
  return { ...reply, data: data.map(inBase64) }
}

function inBase64(entry: JsonValue): JsonValue {
  const vector = isJsonObject(entry) ? vectorIn(entry['embedding']) : undefined
  if (!vector || !isJsonObject(entry)) return entry
  return { ...entry, embedding: writtenVector(vector, 'base64') }
}

function floatsIn(bytes: Uint8Array): number[] | undefined {
  if (bytes.length === 0 || bytes.length % FLOAT_BYTES !== 0) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) =>
    view.getFloat32(at * FLOAT_BYTES, true),
  )
}

function bytesOf(vector: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(vector.length * FLOAT_BYTES)
  const view = new DataView(bytes.buffer)
  for (const [at, number] of vector.entries()) view.setFloat32(at * FLOAT_BYTES, number, true)
  return bytes
}
