/** What the formats with calls and parameters in tags have in common. */
import { writing } from '../instructions.ts'
import type { Protocol } from '../protocol.ts'
import { closerOf } from './tag.ts'
import { bareNames, taggedCall } from './tagged-call.ts'
import type { TaggedCallSpec } from './tagged-spec.ts'
import { linesOf, type TaggedLayout, type TaggedStyle, writeTagged } from './tagged-writing.ts'

type Shared = 'endsReasoning' | 'rawText' | 'openers' | 'strays'
type Written = 'formatTools' | 'formatCall' | 'formatResult'

/** `result` is what encloses a result. */
export function taggedProtocol(
  spec: TaggedCallSpec,
  style: TaggedStyle | TaggedLayout,
  result?: readonly [open: string, close: string],
): Required<Pick<Protocol, Shared | Written>> {
  const words = [...spec.sections, ...spec.calls, ...spec.parameters]
  const layout = 'call' in style ? style : linesOf(spec, style)
  return {
    endsReasoning: true,
    rawText: true,
    openers: (tools) => [taggedCall(spec, tools), ...(spec.keys ? bareNames(spec, tools) : [])],
    strays: words.map((word) => closerOf(spec, word)),
    ...writing(writeTagged(spec, layout), result),
  }
}
