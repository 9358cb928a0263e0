/**
 * Syntax factory: calls as tags that have a mark of their own before them, so that no text can be
 * taken for one.
 *
 *     |<tool_call>
 *     |<invoke name="get_weather">|<city>Oslo|</city>|<tags>|<item>coast|</item>|</tags>|</invoke>
 *     |</tool_call>
 */
import type { Opener, ReadContext, Reader } from '../../core/protocol.ts'
import { Call, ENDS_INSIDE } from '../../core/text/call.ts'
import { skipSpace } from '../../core/text/characters.ts'
import { createElements } from '../../core/text/elements.ts'
import { marker } from '../../core/text/marker.ts'
import { type Tag, tagAt } from '../../core/text/markup-tag.ts'
import { createSteps } from '../../core/text/steps.ts'

export interface ElementCalls {
  /** What stands before every tag. */
  readonly lead: string
  /** The tags around all calls, and around one. */
  readonly section: string
  readonly call: string
}

const SPACE_WINDOW = 64
const NAME = /\sname\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/

export function elementCalls(spec: ElementCalls): readonly Opener[] {
  const open = (context: ReadContext) => readSection(spec, context)
  return [spec.section, spec.call].map((tag) => ({
    ...marker(`${spec.lead}<${tag}`),
    keep: true,
    open,
  }))
}

function readSection({ lead, section, call: word }: ElementCalls, context: ReadContext): Reader {
  const reader = createSteps<Reader['state']>(readBetween)
  const isArgument = (key: string) => key !== section && key !== word
  let calls = 0

  function readBetween(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at)
    // White space behind the last call stays where it is, unless there is too much of it.
    const back = i < at + SPACE_WINDOW ? at : i
    const tag = tagAt(text, i, last, lead)
    if (tag === null) return back
    const isSection = tag?.name === section
    if (isSection && tag.kind === 'close') return endSection(tag.end)
    if (isSection && calls === 0) return tag.end
    if (tag?.name === word && tag.kind !== 'close') return beginCall(tag, text.slice(i, tag.end))
    return leave(text, i, back, last)
  }

  function endSection(end: number): number {
    if (calls === 0) context.issue('empty-call', 'a call block with nothing in it', end)
    return reader.leave('done', end)
  }

  /** Something else, or the end of the reply, behind the last call or in place of one. */
  function leave(text: string, at: number, back: number, last: boolean): number {
    const isCut = last && tagAt(text, at, false, lead) === null
    const end = isCut ? text.length : back
    reader.state = calls > 0 || isCut ? 'done' : 'declined'
    if (calls === 0 && isCut) context.issue('truncated-call', ENDS_INSIDE, end)
    return end
  }

  function beginCall({ kind, end }: Tag, head: string): number {
    const [, double, single, bare = ''] = NAME.exec(head) ?? []
    const call = new Call(context, (double ?? single ?? bare).trim())
    const options = { parent: word, lead, isArgument, declares: isArgument }
    const elements = createElements(context, call, options)
    calls++
    reader.step = (text, at, last) => {
      const stop = kind === 'empty' ? at : elements.read(text, at, last)
      if (kind !== 'empty' && elements.state === 'open') return stop
      if (elements.state === 'cut') reader.state = 'done'
      reader.step = readBetween
      if (call.name === '') return call.fail('missing-name', 'the call names no tool', stop)
      return elements.finish(text, stop, last)
    }
    return end
  }

  return reader
}
