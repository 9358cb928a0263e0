/**
 * Syntax factory: one call as JSON in a block that must be closed. Nothing is repaired for the block itself:
 * what encloses the JSON is exactly the marker and its closer, and the JSON is all that it encloses.
 *
 *     ~~~tool_call
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *     ~~~
 *
 * The strict systems that presets reproduce read their blocks so. Models are less exact: `json-block.ts` is
 * what protocols use.
 */
import { readJson } from '../json/read.ts'
import { isJsonObject, type JsonValue } from '../json/value.ts'
import type { Marker, Opener, ReadContext, Reader } from '../protocol.ts'
import { Call } from './call.ts'
import { skipSpace } from './characters.ts'
import { type CallKeys, createJsonCalls, endCall, NOT_JSON } from './json-calls.ts'
import type { FindBlockEnd } from './result-block.ts'
import { createSteps } from './steps.ts'

export interface ClosedBlockOptions {
  readonly open: Marker
  readonly findEnd: FindBlockEnd
  readonly keys: CallKeys
  /** What a block becomes that is not the JSON of a call: text, or an issue. */
  readonly otherwise: 'text' | 'issue'
}

export function closedBlock(options: ClosedBlockOptions): Opener {
  return { ...options.open, open: (context) => readBlock(options, context) }
}

/** A marker that begins nothing, but would be taken for the beginning of a code block: it is text. */
export function mentioned(marker: Marker): Opener {
  return { ...marker, priority: -1, open: () => ({ state: 'declined', read: (_, at) => at }) }
}

function readBlock(options: ClosedBlockOptions, context: ReadContext): Reader {
  const pieces: string[] = []
  const reader = createSteps<Reader['state']>(readBody)

  function readBody(text: string, at: number, last: boolean): number {
    const { bodyEnd, end, closed } = options.findEnd(text, at, last)
    pieces.push(text.slice(at, bodyEnd))
    if (closed) return judge(pieces.join('').trim(), end)
    return last ? leaveOpen(end) : end
  }

  /** The reply ends: what looks like a call is reported, other text was not meant as a block. */
  function leaveOpen(end: number): number {
    if (options.otherwise === 'text' || !/^\s*[{[]/.test(pieces.join(''))) {
      return reader.leave('declined', end)
    }
    context.issue('unclosed-call', 'the block has no closing marker', end)
    return reader.leave('done', end)
  }

  function judge(body: string, end: number): number {
    const { repair, limits } = context
    const { value, complete } = readJson(body, { repair, maxDepth: limits.maxDepth })
    const isCall = complete && isJsonObject(value) && namesTool(value)
    if (!isCall && options.otherwise === 'text') return reader.leave('declined', end)
    if (isCall) makeCall(body, end)
    else if (body === '') context.issue('empty-call', 'a call block without a call', end)
    else if (!complete) context.issue('invalid-json', NOT_JSON, end)
    else context.issue('missing-name', 'the call names no tool', end)
    return reader.leave('done', end)
  }

  function namesTool(value: Readonly<Record<string, JsonValue>>): boolean {
    return options.keys.name.some((key) => {
      const name = value[key]
      return typeof name === 'string' && name.trim() !== ''
    })
  }

  function makeCall(body: string, end: number): void {
    const { reader: json, unfinished } = createJsonCalls(context, {
      keys: options.keys,
      lists: false,
      begin: (name, id) => new Call(context, name, id),
      onCall: (call) => endCall(context, call, end),
    })
    json.read(body, skipSpace(body, 0), true)
    // What `readJson` accepts and this does not is nested too deeply to be told bit by bit.
    if (json.status === 'done') return
    const call = unfinished()?.call
    const message = 'the arguments are nested too deeply'
    if (call) call.fail('limit-exceeded', message, end)
    else context.issue('limit-exceeded', message, end)
  }

  return reader
}
