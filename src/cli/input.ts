/** What a command reads: replies and tool definitions, from files or standard input. */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { InvalidInputError } from '../core/errors.ts'
import { jsonErrorAt } from '../core/json/error-position.ts'
import { isJsonObject, type JsonValue } from '../core/json/value.ts'
import type { Tool } from '../core/model.ts'
import { locator } from '../core/position.ts'
import { normalizeTools } from '../core/schema/tool.ts'
import { UsageError } from './command.ts'

/** Characters in one chunk of a file: about a token, so that a stream looks like one of a model. */
const CHUNK = 6

/** The whole reply. `-` and nothing stand for standard input. */
export async function readReply(path: string | undefined): Promise<string> {
  const pieces: string[] = []
  for await (const piece of decoded(streamBytes(path))) pieces.push(piece)
  try {
    return pieces.join('')
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** All bytes. `-` and nothing stand for standard input. */
export async function readBytes(path: string | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of streamBytes(path)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Bytes as they arrive: whoever has read enough need not wait for the rest of a file. */
export async function* streamBytes(path: string | undefined): AsyncGenerator<Uint8Array> {
  if (path === undefined && process.stdin.isTTY) throw nothingToRead()
  try {
    for await (const chunk of isFile(path) ? createReadStream(path) : process.stdin) {
      yield chunk as Uint8Array // no encoding was set
    }
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** The reply in pieces: standard input as it arrives, a file in small chunks. */
export async function* streamReply(path: string | undefined): AsyncGenerator<string> {
  for await (const text of decoded(streamBytes(path))) {
    if (isFile(path)) yield* smallChunks(text)
    else yield text
  }
}

function* smallChunks(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = at + CHUNK
    // A character outside the basic plane is two units, which are not shown apart.
    const code = text.charCodeAt(end - 1)
    const next = code >= 0xd800 && code < 0xdc00 ? end + 1 : end
    yield text.slice(at, next)
    at = next
  }
}

async function* decoded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    if (text !== '') yield text
  }
  const rest = decoder.decode()
  if (rest !== '') yield rest
}

function isFile(path: string | undefined): path is string {
  return path !== undefined && path !== '-'
}

function nothingToRead(): UsageError {
  return new UsageError('nothing to read: name a file, or pipe one in (- reads what you type)')
}

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await readFile(path))
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** The tools of a JSON file: a list, a record from names to definitions, or `{ "tools": … }`. */
export async function readTools(path: string): Promise<Tool[]> {
  const parsed = await readJson(path)
  const tools = isJsonObject(parsed) && 'tools' in parsed ? parsed['tools'] : parsed
  if (!Array.isArray(tools) && !isJsonObject(tools)) {
    throw new UsageError(
      `${path}: expected a list of tools, a record from names to tools, or {"tools": [...]}`,
    )
  }
  try {
    return normalizeTools(tools)
  } catch (error) {
    if (error instanceof InvalidInputError) throw new UsageError(`${path}: ${error.message}`)
    throw error
  }
}

/** The value in a JSON file. */
export async function readJson(path: string): Promise<JsonValue> {
  const text = await readText(path)
  const parsed = parseJson(text)
  if (parsed !== undefined) return parsed
  const place = locator(text)(jsonErrorAt(text))
  throw new UsageError(`${path}:${place}: not JSON from here on`)
}

/** The response in a text that is a whole provider response, otherwise undefined. */
export function readResponse(text: string): JsonValue | undefined {
  const [first] = text.trimStart()
  if (first !== '{' && first !== '[') return undefined
  const parsed = parseJson(text)
  if (parsed === undefined) return undefined
  return isResponse(parsed) ? parsed : undefined
}

// Only what no model writes as its answer: a bare `{"name": …, "arguments": …}` is a text call.
function isResponse(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isPart)
  if (!isJsonObject(value)) return false
  const { choices, candidates, output, message, content, parts, role } = value as Partial<
    Record<string, JsonValue>
  >
  return (
    [choices, candidates, output].some(isListOfObjects) ||
    isJsonObject(isJsonObject(output) ? output['message'] : message) ||
    isListOfObjects(value['tool_calls']) ||
    (typeof role === 'string' && [content, parts].some((field) => field !== undefined))
  )
}

function isListOfObjects(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isJsonObject)
}

const PART_KEYS = ['function', 'functionCall', 'toolUse'] as const

function isPart(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false
  if (PART_KEYS.some((key) => isJsonObject(value[key] ?? null))) return true
  return ['text', 'tool_use', 'message', 'function_call'].includes(String(value['type']))
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue // JSON.parse makes nothing else
  } catch {
    return undefined
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EISDIR: 'is a directory, not a file',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  EBADF: 'is closed',
  ERR_FS_FILE_TOO_LARGE: 'is too large',
  ERR_STRING_TOO_LONG: 'is too large',
}

function unreadable(path: string | undefined, error: unknown): UsageError {
  if (error instanceof UsageError) return error
  const what = isFile(path) ? path || '""' : 'standard input'
  // The longest text of the language is shorter than the longest file.
  if (error instanceof RangeError) return new UsageError(`${what}: is too large`)
  const { code, message } = error as NodeJS.ErrnoException // what the file system throws
  return new UsageError(`${what}: ${REASONS[code ?? ''] ?? message}`)
}
