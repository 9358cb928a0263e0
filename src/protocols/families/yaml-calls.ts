/**
 * Syntax factory: calls as YAML between tags, one map or a list of them.
 *
 *     <tool_calls>
 *     - name: get_weather
 *       arguments:
 *         city: Oslo
 *     </tool_calls>
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Opener, ReadContext, Reader } from '../../core/protocol.ts'
import { Call, ENDS_INSIDE, missingCloser } from '../../core/text/call.ts'
import { followedBy } from '../../core/text/follows.ts'
import { marker } from '../../core/text/marker.ts'
import { literally, optional, SPACE, sequence } from '../../core/text/pattern.ts'
import { createSteps } from '../../core/text/steps.ts'
import { createTagBody } from '../../core/text/tag-body.ts'
import { readYaml } from '../../core/yaml/read.ts'

interface YamlCall {
  readonly name: string
  readonly value: JsonObject
}

const followsTag = followedBy(
  sequence(
    ...['\\s{0,64}', optional('-', '\\s{1,16}'), `["']?`],
    ...[literally('name'), `["']?`, SPACE, ':', '\\s'],
  ),
)

export function yamlCalls(tag: string): Opener {
  return { ...marker(`<${tag}>`, followsTag), open: (context) => readCalls(tag, context) }
}

function readCalls(tag: string, context: ReadContext): Reader {
  const body = createTagBody(({ kind, name }) =>
    kind === 'close' && name === tag ? 'closed' : undefined,
  )
  const reader = createSteps<Reader['state']>((text, at, last) => {
    const end = body.read(text, at, last)
    if (body.state !== 'open') finish(end, body.state === 'closed')
    return end
  })

  function finish(end: number, isClosed: boolean): void {
    const calls = body.isCut(tag) ? undefined : callsIn(readYaml(body.text()), isClosed)
    reader.state = calls || !isClosed ? 'done' : 'declined'
    if (!calls && !isClosed) context.issue('truncated-call', ENDS_INSIDE, end)
    const repairs = isClosed ? [] : [missingCloser(`</${tag}>`)]
    for (const { name, value } of calls ?? []) {
      const json = JSON.stringify(value)
      new Call(context, name).end({ json, value, repairs, end, cut: !isClosed })
    }
  }

  return reader
}

/** Undefined when one of them is no call, or has no arguments and `isClosed` is false. */
function callsIn(read: JsonValue | undefined, isClosed: boolean): YamlCall[] | undefined {
  const calls: YamlCall[] = []
  for (const item of Array.isArray(read) ? read : [read]) {
    if (!isJsonObject(item)) return undefined
    const { name, arguments: given, parameters = isClosed ? {} : null } = item
    const value = given ?? parameters
    if (typeof name !== 'string' || !isJsonObject(value)) return undefined
    calls.push({ name, value })
  }
  return calls
}
