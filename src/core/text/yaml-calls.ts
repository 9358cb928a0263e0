/**
 * Syntax factory: calls as YAML between tags, one map or a list of them.
 *
 *     <tool_calls>
 *     - name: get_weather
 *       arguments:
 *         city: Oslo
 *     </tool_calls>
 */
import type { Repair } from '../issue.ts'
import { isJsonObject, type JsonObject } from '../json/value.ts'
import type { Opener, ReadContext, Reader } from '../protocol.ts'
import { readYaml } from '../yaml/value.ts'
import { type Follows, marker, overlap } from './marker.ts'

interface YamlCall {
  readonly name: string
  readonly value: JsonObject
  /** How many characters stand behind it before the closing tag. */
  readonly behind: number
}

const NAME = /^\s*(?:-\s+)?(["']?)name\1\s*:\s/
const NAME_BEGUN = /^\s*(?:-\s*)?["']?(?:n|na|nam|name)?["']?\s*:?$/

export function yamlCalls(tag: string): Opener {
  const close = `</${tag}>`
  return { ...marker(`<${tag}>`, followsTag), open: (context) => readCalls(close, context) }
}

const followsTag: Follows = (text, at, end, last) => {
  const body = text.slice(at, end)
  if (NAME.test(body)) return true
  return NAME_BEGUN.test(body) && !last ? undefined : false
}

function readCalls(close: string, context: ReadContext): Reader {
  const reader: { read: Reader['read']; state: Reader['state'] } = { read, state: 'open' }
  const pieces: string[] = []

  function read(text: string, at: number, last: boolean): number {
    const found = text.indexOf(close, at)
    const held = last ? 0 : overlap(text, close)
    const stop = found === -1 ? Math.max(at, text.length - held) : found
    pieces.push(text.slice(at, stop))
    if (found === -1 && !last) return stop
    return end(stop, found === -1 ? stop : stop + close.length)
  }

  function end(bodyEnd: number, regionEnd: number): number {
    const isClosed = regionEnd > bodyEnd
    const calls = parseCalls(pieces.join(''), isClosed)
    reader.state = calls || !isClosed ? 'done' : 'declined'
    if (!calls && !isClosed) {
      context.issue('truncated-call', 'the reply ends inside a call', regionEnd)
    }
    const missing: Repair = { code: 'missing-closer', path: [], risk: 'safe', after: close }
    for (const { name, value, behind } of calls ?? []) {
      const draft = context.begin(name)
      const callEnd = bodyEnd - behind
      const json = JSON.stringify(value)
      const repairs = isClosed ? [] : [missing]
      if (draft) draft.end({ json, value, repairs, end: callEnd, cut: !isClosed })
      else context.issue('unknown-tool', `there is no tool named ${name}`, callEnd, name)
    }
    return regionEnd
  }

  return reader
}

/** Undefined when one of them is no call, or has no arguments and `isClosed` is false. */
function parseCalls(body: string, isClosed: boolean): YamlCall[] | undefined {
  const [indent = ''] = /(?<=^|\n)[ \t]*(?=- )/.exec(body) ?? []
  const dash = `\n${indent}- `
  const calls: YamlCall[] = []
  let end = -dash.length
  for (const part of body.split(dash)) {
    const isFirst = end < 0
    end += part.length + dash.length
    if (isFirst && part.trim() === '') continue
    const item = readYaml(isFirst ? part : dash + part)
    const map = Array.isArray(item) ? item[0] : item
    if (!isJsonObject(map)) return undefined
    const { name, arguments: given, parameters = isClosed ? {} : null } = map
    const value = given ?? parameters
    if (typeof name !== 'string' || !isJsonObject(value)) return undefined
    calls.push({ name, value, behind: body.length - end })
  }
  return calls
}
