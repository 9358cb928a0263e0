/**
 * Syntax factory: calls as tags that have a mark of their own before them, so that no text can be
 * taken for one.
 *
 *     |<tool_call>
 *     |<invoke name="get_weather">|<city>Oslo|</city>|<tags>|<item>coast|</item>|</tags>|</invoke>
 *     |</tool_call>
 */
import type { Repair } from '../issue.ts'
import type { CallDraft, Opener, ReadContext, Reader } from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { createElements, type Elements } from './elements.ts'
import { marker } from './marker.ts'
import { type Tag, tagAt } from './markup-tag.ts'
import { createSteps } from './steps.ts'

export interface ElementCalls {
  /** What stands before every tag. */
  readonly lead: string
  /** The tags around all calls, and around one. */
  readonly section: string
  readonly call: string
}

const SPACE_WINDOW = 64
const NAME = /\sname\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/
const ENDS_INSIDE = 'the reply ends inside a call'

export function elementCalls(spec: ElementCalls): readonly Opener[] {
  const open = (context: ReadContext) => readSection(spec, context)
  return [spec.section, spec.call].map((tag) => ({
    ...marker(`${spec.lead}<${tag}`),
    keep: true,
    open,
  }))
}

function readSection({ lead, section, call }: ElementCalls, context: ReadContext): Reader {
  const reader = createSteps<Reader['state']>(readBetween)
  const frame = new Set([section, call])
  let name = ''
  let draft: CallDraft | undefined
  let elements: Elements | undefined
  let calls = 0

  function readBetween(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at, text.length)
    // White space behind the last call stays where it is, unless there is too much of it.
    const back = i < at + SPACE_WINDOW ? at : i
    const tag = i === text.length && !last ? null : tagAt(text, i, last, lead)
    if (tag === null) return back
    if (tag?.kind === 'close' && tag.name === section) return endSection(tag.end)
    if (tag?.kind === 'open' && tag.name === section && calls === 0) return tag.end
    if (tag && tag.kind !== 'close' && tag.name === call) return beginCall(tag, text, i)
    return leave(text, i, back, last)
  }

  function endSection(end: number): number {
    if (calls === 0) context.issue('empty-call', 'a call block with nothing in it', end)
    reader.state = 'done'
    return end
  }

  /** Something else, or the end of the reply, behind the last call or in place of one. */
  function leave(text: string, at: number, back: number, last: boolean): number {
    const isCut = last && (at === text.length || tagAt(text, at, false, lead) === null)
    const end = isCut ? text.length : back
    reader.state = calls > 0 || isCut ? 'done' : 'declined'
    if (calls === 0 && isCut) context.issue('truncated-call', ENDS_INSIDE, end)
    return end
  }

  function beginCall(tag: Tag, text: string, at: number): number {
    const [, double, single, bare] = NAME.exec(text.slice(at, tag.end)) ?? []
    name = (double ?? single ?? bare ?? '').trim()
    calls++
    draft = context.begin(name)
    elements = createElements(context, draft, {
      parent: call,
      lead,
      isArgument: (key) => !frame.has(key),
      declares: (key) => !frame.has(key),
    })
    if (tag.kind === 'empty') finish(tag.end)
    else reader.step = readCall
    return tag.end
  }

  function readCall(text: string, at: number, last: boolean): number {
    if (!elements) return at
    const end = elements.read(text, at, last)
    if (elements.state === 'closed') finish(end)
    else if (elements.state === 'cut') fail('truncated-call', ENDS_INSIDE, end)
    else if (elements.state === 'left') leaveCall(text, end, last)
    return end
  }

  /** A call that is not closed counts when what follows shows that it was over. */
  function leaveCall(text: string, end: number, last: boolean): void {
    const after = `</${call}>`
    const missing: Repair = { code: 'missing-closer', path: [], risk: 'safe', after }
    finish(end, { repairs: [missing], cut: last && text.slice(end).trim() === '' })
  }

  function finish(
    end: number,
    more: { readonly repairs: readonly Repair[]; readonly cut: boolean } = {
      repairs: [],
      cut: false,
    },
  ): void {
    reader.step = readBetween
    if (!elements) return
    const { problem } = elements
    if (name === '') return context.issue('missing-name', 'the call names no tool', end)
    if (!draft) {
      return context.issue('unknown-tool', `there is no tool named ${name}`, end, name)
    }
    if (problem !== undefined) return draft.fail('invalid-arguments', problem, end)
    const told = elements.ending()
    draft.end({ ...told, repairs: [...told.repairs, ...more.repairs], end, cut: more.cut })
  }

  function fail(code: 'truncated-call', message: string, end: number): void {
    reader.state = 'done'
    if (draft) draft.fail(code, message, end)
    else context.issue(code, message, end, name)
  }

  return reader
}
