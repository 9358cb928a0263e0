/** Recorded traffic: a folder of files, with an `index.json` that says what is in them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../src/cli/command.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/json/value.ts'

export interface Recording {
  readonly id: string
  readonly provider: string
  /** As the index calls it. */
  readonly dialect: string
  readonly kind: 'response' | 'stream' | 'exchange' | 'history'
  readonly path: string
  /** Replies in the file. */
  readonly segments: number
  /** Undefined when the reply is to be refused. */
  readonly calls: readonly RecordedCall[] | undefined
  /** By segment: the provider's word, or null for a reply that did not end. */
  readonly finish: readonly (string | null)[]
  /** By segment, as the provider counts. */
  readonly usage: readonly (JsonObject | null)[]
  readonly hasError: boolean
}

/** A call that the client is to make. */
export interface RecordedCall {
  readonly segment: number
  /** Null where the provider gave none. */
  readonly id: string | null
  readonly name: string
  /** Null when they are no JSON, so that the call must not be made. */
  readonly arguments: JsonObject | null
}

const KINDS = ['response', 'stream', 'exchange', 'history'] as const

/** The recordings that an `index.json` lists. */
export function readIndex(folder: string): Recording[] {
  const path = join(folder, 'index.json')
  const entries = entriesOf(path)
  if (!entries) throw new UsageError(`${path}: "entries" must be an array`)
  return entries.map((entry) => {
    try {
      return recordingOf(entry, folder)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      throw new UsageError(`${path}: ${error.message}`)
    }
  })
}

/** Undefined when the file is no index of recordings. */
export function entriesOf(path: string): readonly JsonValue[] | undefined {
  try {
    const index = JSON.parse(readFileSync(path, 'utf8')) as JsonValue // JSON.parse makes nothing else
    const entries = isJsonObject(index) ? index['entries'] : undefined
    return Array.isArray(entries) ? entries : undefined
  } catch {
    return undefined
  }
}

function recordingOf(entry: JsonValue, folder: string): Recording {
  if (!isJsonObject(entry)) throw new UsageError('an entry must be an object')
  const fields = entry as Partial<JsonObject>
  const kind = KINDS.find((known) => known === fields['kind'])
  if (!kind) throw new UsageError(`"kind" must be one of ${KINDS.join(', ')}`)
  const calls = fields['tool_calls']
  return {
    id: textOf(fields, 'id'),
    provider: textOf(fields, 'provider'),
    dialect: textOf(fields, 'dialect'),
    kind,
    path: join(folder, textOf(fields, 'file')),
    segments: typeof fields['segments'] === 'number' ? fields['segments'] : 1,
    calls: Array.isArray(calls) ? calls.filter(isClients).map(callOf) : undefined,
    finish: listOf(fields['finish']).map((word) => (typeof word === 'string' ? word : null)),
    usage: listOf(fields['usage']).map((usage) => (isJsonObject(usage) ? usage : null)),
    hasError: isJsonObject(fields['error']),
  }
}

function isClients(call: JsonValue): call is JsonObject {
  return isJsonObject(call) && call['executed_by'] !== 'server'
}

function callOf(call: JsonObject): RecordedCall {
  const { segment, id, kind, arguments_raw: raw = '' } = call as Partial<JsonObject>
  // Custom tools take any text, which is an argument of its own in the neutral model.
  const args = kind === 'custom' ? { input: raw } : call['arguments']
  return {
    segment: typeof segment === 'number' ? segment : 0,
    id: typeof id === 'string' ? id : null,
    name: textOf(call, 'name'),
    arguments: isJsonObject(args) ? args : null,
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function textOf(fields: Partial<JsonObject>, key: string): string {
  const value = fields[key]
  if (typeof value !== 'string') throw new UsageError(`"${key}" must be a string`)
  return value
}
