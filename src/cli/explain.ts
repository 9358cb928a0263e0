/** An extraction for people: what became of every stretch of the reply, and why. */
import { ISSUE_CODES, type Issue, REPAIR_CODES, type Repair } from '../core/issue.ts'
import type { Extraction, ToolCall } from '../core/model.ts'
import type { Segment } from '../core/options.ts'
import { type Locate, locator } from '../core/position.ts'
import { formatPath } from '../core/schema/outcome.ts'
import type { TracedExtraction } from '../core/text/extractor.ts'
import { indent, printable, type Style } from './terminal.ts'

const EXCERPT_LENGTH = 100
/** Arguments up to this length stand on one line. */
const LINE_LENGTH = 72

/** `reply` is the text that the spans of the extraction point into, when there is one. */
export function explain(
  extraction: TracedExtraction,
  reply: string | undefined,
  style: Style,
): string {
  const locate = reply === undefined ? undefined : locator(reply)
  const sections = [
    reply === undefined ? '' : markReply(extraction, reply, style),
    ...section('Calls', extraction.calls, (call) => describeCall(call, style, locate), style),
    ...section('Issues', extraction.issues, (issue) => describeIssue(issue, style, locate), style),
    showText(extraction.text, reply, style),
    `${style.bold('Protocol')}  ${extraction.protocol ?? 'none: no call was found'}`,
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

// When all of the reply is text, it has been shown.
function showText(text: string, reply: string | undefined, { bold }: Style): string {
  if (text === reply || text.trim() === '') return ''
  return `${bold('Text')}\n${indent(printable(text.trim()), '  │ ')}`
}

function section<Item>(
  title: string,
  items: readonly Item[],
  describe: (item: Item) => string,
  { bold }: Style,
): string[] {
  if (items.length === 0) return []
  const entries = items.map((item, at) => `  ${at + 1}. ${hang(describe(item))}`)
  return [`${bold(title)}\n${entries.join('\n')}`]
}

// Lines behind the first line up with it.
function hang(text: string): string {
  return text.replaceAll('\n', '\n     ')
}

/** The reply itself with its calls, reasoning, issues and markup marked. */
function markReply(extraction: TracedExtraction, reply: string, style: Style): string {
  const marked = joinSegments(extraction.segments ?? [])
    .map((segment) => markSegment(segment, extraction, reply, style))
    .join('')
  const legend = style.colored
    ? `  ${style.call('call')} ${style.reasoning('reasoning')} ${style.issue('issue')}`
    : ''
  return `${style.bold('Reply')}${legend}\n${indent(marked, '  │ ')}`
}

// Text and reasoning come in pieces; calls and issues side by side are separate ones.
function joinSegments(segments: readonly Segment[]): Segment[] {
  const joined: Segment[] = []
  for (const segment of segments) {
    const previous = joined.at(-1)
    const divided = segment.kind === 'call' || segment.kind === 'issue'
    if (previous?.kind === segment.kind && !divided) {
      joined[joined.length - 1] = { ...previous, end: segment.end }
    } else {
      joined.push(segment)
    }
  }
  return joined
}

function markSegment(
  segment: Segment,
  extraction: Extraction,
  reply: string,
  style: Style,
): string {
  const text = printable(reply.slice(segment.start, segment.end))
  switch (segment.kind) {
    case 'text':
      return text
    case 'call':
      return mark(label('call', extraction.calls, segment), text, style.call, style)
    case 'issue':
      return mark(label('issue', extraction.issues, segment), text, style.issue, style)
    case 'reasoning':
      return mark('reasoning', text, style.reasoning, style)
    case 'markup':
      return style.colored ? style.dim(text) : text.trim() === '' ? text : `⟦markup: ${text}⟧`
    default:
      segment.kind satisfies never
      return text
  }
}

function mark(name: string, text: string, paint: (text: string) => string, style: Style): string {
  if (!style.colored) return `⟦${name}: ${text}⟧`
  return name === 'reasoning' ? paint(text) : `${style.badge(` ${name} `)}${paint(text)}`
}

/** `call 1`, or `calls 1, 2` when one stretch of the reply holds several. */
function label(
  noun: string,
  items: readonly { readonly span?: readonly [number, number] }[],
  { start, end }: Segment,
): string {
  const numbers = items.flatMap(({ span }, at) =>
    span && span[0] < end && span[1] > start ? [at + 1] : [],
  )
  if (numbers.length === 0) return noun
  return `${noun}${numbers.length > 1 ? 's' : ''} ${numbers.join(', ')}`
}

function describeCall(call: ToolCall, style: Style, locate: Locate | undefined): string {
  const { name, id, repairs = [], originalId, span } = call
  const facts = [
    call.protocol ?? call.origin,
    ...(span && locate ? [`at ${locate(span[0])}`] : []),
    `id ${printable(id)}${originalId === undefined ? '' : ` instead of ${printable(originalId)}`}`,
  ]
  return [
    `${style.call(printable(name))}  ${style.dim(facts.join(', '))}`,
    formatArguments(call),
    ...groupRepairs(repairs).map((group) => describeRepairs(group, style)),
  ].join('\n')
}

function formatArguments({ arguments: args }: ToolCall): string {
  const line = JSON.stringify(args)
  return printable(line.length <= LINE_LENGTH ? line : JSON.stringify(args, null, 2))
}

// A model that writes single quotes writes many of them.
function groupRepairs(repairs: readonly Repair[]): (readonly [Repair, ...Repair[]])[] {
  const groups = new Map<string, [Repair, ...Repair[]]>()
  for (const repair of repairs) {
    const key = `${repair.code} ${repair.risk}`
    const group = groups.get(key)
    if (group) group.push(repair)
    else groups.set(key, [repair])
  }
  return [...groups.values()]
}

function describeRepairs(repairs: readonly [Repair, ...Repair[]], style: Style): string {
  const [{ code, risk }] = repairs
  const times = repairs.length > 1 ? ` ×${repairs.length}` : ''
  const inside = repairs.filter(({ path }) => path.length > 0)
  const places = distinct(inside.map(({ path }) => formatPath(path)))
  const place = places.length === 0 ? '' : ` at ${printable(places.join(', '))}`
  const changes = distinct(repairs.map(formatChange)).filter(Boolean)
  const change = changes.length === 0 ? '' : `  ${style.dim(changes.slice(0, 3).join('  '))}`
  return `repaired (${risk}) ${code}${times}${place}: ${REPAIR_CODES[code]}${change}`
}

function formatChange({ before, after }: Repair): string {
  if (before === undefined && after === undefined) return ''
  return `${excerpt(before ?? '') || '(nothing)'} → ${excerpt(after ?? '') || '(nothing)'}`
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}

function describeIssue(issue: Issue, style: Style, locate: Locate | undefined): string {
  const { code, message, span, raw, name } = issue
  const place = span && locate ? ` at ${locate(span[0])}–${locate(span[1])}` : ''
  const meaning: string = ISSUE_CODES[code]
  return [
    `${style.issue(code)}${place}${name === undefined ? '' : `, tool ${printable(name)}`}: ${meaning}`,
    ...(message === meaning ? [] : [printable(message)]),
    ...(raw === undefined ? [] : [style.dim(`> ${excerpt(raw)}`)]),
  ].join('\n')
}

/** The beginning of a text on one line. */
function excerpt(text: string): string {
  const line = printable(text).replaceAll('\n', '⏎')
  return line.length <= EXCERPT_LENGTH ? line : `${line.slice(0, EXCERPT_LENGTH - 1)}…`
}
