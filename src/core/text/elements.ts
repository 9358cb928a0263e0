/**
 * Reads the arguments of a call that are tags of their own, up to the closing tag of the call.
 *
 *     <city>Oslo</city><days>3</days></get_weather>
 *
 * Text is told while it arrives; in it every other tag is text, so a value may be a whole page of HTML.
 * Everything else is read as a tree once it is complete.
 */
import { ARGUMENTS_LOST } from '../arguments/lost.ts'
import type { JsonValue } from '../json/value.ts'
import type { SchemaView } from '../options.ts'
import { NEED_MORE, type ReadContext } from '../protocol.ts'
import { type Call, dropped, missingCloser } from './call.ts'
import { skipSpace } from './characters.ts'
import { type Element, parseElement, readTree } from './element-tree.ts'
import { decodeEntities } from './entities.ts'
import { findAny } from './marker.ts'
import {
  CDATA_END,
  cdataAt,
  closes,
  completeUpTo,
  endOfSection,
  findTag,
  type Tag,
  tagAt,
} from './markup-tag.ts'
import { createParameters } from './parameters.ts'
import { createSteps, type Step } from './steps.ts'
import type { Trim } from './trimmed.ts'

export interface ElementOptions {
  /** The tag whose end closes the call. */
  readonly parent: string
  /** What stands before every tag; without it any `<` may be text. */
  readonly lead: string
  /** Whether a tag with this name can be an argument. */
  isArgument(name: string): boolean
  /** Whether a tag with this name is certain to be one. */
  declares(name: string): boolean
  /** What is no part of a text. Default `none`. */
  readonly trim?: Trim | undefined
  /** True when nothing may stand between two arguments. */
  readonly dense?: boolean
  /** Arguments that the tag of the call has itself. */
  readonly attributes?: ReadonlyMap<string, JsonValue>
}

export interface Elements {
  read(text: string, at: number, last: boolean): number
  /**
   * `closed`: behind the closing tag. `left`: before something that is no argument, or at the end of
   * the reply. `cut`: the reply ended inside an argument.
   */
  readonly state: 'open' | 'closed' | 'left' | 'cut'
  /** Ends the call at `end`, as the state says. */
  finish(text: string, end: number, last: boolean): number
}

/** Longest text between two arguments, and longest white space before something that decides. */
const STRAY_WINDOW = 256
const SPACE_WINDOW = 64
const OPENING = /^<[^/]/
const BLANK = /^\s*(?:<|$)/
/** What tags can be a part of. */
const TAGGED = ['string', 'array', 'object'] as const

export function createElements(
  context: ReadContext,
  call: Call,
  {
    parent,
    lead,
    isArgument,
    declares,
    trim = 'none',
    dense,
    attributes = new Map(),
  }: ElementOptions,
): Elements {
  const { fit, limits } = context
  const schema = call.draft?.schema
  const root = schema === undefined ? undefined : fit?.view(schema)
  const parameters = createParameters(context, call.draft, { trim })
  for (const [name, value] of attributes) parameters.set(name, value)
  const { repairs } = call
  const syntax = { lead, maxDepth: limits.maxDepth, repairs }
  const seen = new Set<string>()
  /** The arguments that may be given again, and then are a list. */
  const held: Element[] = []
  const elements = Object.assign(createSteps<'closed' | 'left' | 'cut'>(between), { finish })
  /** Why there can be no call, when there cannot. */
  let problem: string | undefined

  let key = ''
  let view: SchemaView | undefined
  let mayRepeat = false
  /** What was read of a value that is held. */
  let pieces: string[] | undefined
  /** True when the text so far is a `CDATA` section. */
  let exact = false
  /** What stands behind the bracket of a tag that can count. */
  let firsts = ''
  /** The tags that are open in the value, as far as they matter. */
  let open: string[] = []
  /** True for a number or the like: no tag can be a part of it. */
  let isScalar = false
  /** How often the tag of the call stands open in the value. */
  let nested = 0

  // ── between arguments ─────────────────────────────────────────────────────────────────────────

  function between(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at)
    // White space behind the last argument is no part of the call, unless there is too much of it.
    const back = i < at + SPACE_WINDOW ? at : i
    const tag = tagAt(text, i, last, lead)
    if (tag === null) return back
    const taken = tag && take(tag)
    const isStray = !tag || tag.kind === 'close'
    return (
      taken ??
      (isStray ? passStray(text, i, back, last) : undefined) ??
      elements.leave('left', back)
    )
  }

  function take(tag: Tag): number | undefined {
    const { kind, name } = tag
    if (closes(tag, parent)) {
      slip(name, parent)
      return elements.leave('closed', tag.end)
    }
    // The end of an argument once more means nothing.
    if (kind === 'close') return seen.has(name) ? tag.end : undefined
    if (!isArgument(name)) return undefined
    begin(name)
    if (kind === 'empty') endValue()
    else elements.step = readStart
    return tag.end
  }

  function slip(name: string, meant: string): void {
    if (name === meant) return
    const after = `</${meant}>`
    repairs.push({ code: 'mismatched-closer', path: [], risk: 'safe', before: name, after })
  }

  /** Words, comments and the end of nothing between two arguments are passed; other words are not ours. */
  function passStray(text: string, at: number, back: number, last: boolean): number | undefined {
    const window = text.slice(at, at + STRAY_WINDOW)
    // Half a tag at the very end; one that opens something begins what is not there.
    if (last && window !== '' && tagAt(text, at, false, lead) === null) {
      return elements.leave(OPENING.test(window.slice(lead.length)) ? 'cut' : 'left', text.length)
    }
    const comment = endOfSection(window, 0)
    if (comment > 0 && comment < window.length) return at + comment
    const next = comment > 0 ? -1 : findTag(window, 1, lead)
    if (next === -1) return last || window.length === STRAY_WINDOW ? undefined : back
    const tag = tagAt(text, at + next, last, lead)
    if (tag === null) return back
    if (!tag || !isStructure(tag, at + next) || dense) return undefined
    repairs.push(dropped(window.slice(0, next)))
    return at + next
  }

  /** The end of the call or an argument; text has tags of the same names, but with attributes. */
  function isStructure(tag: Tag, at: number): boolean {
    const isPlain = tag.end - at - lead.length === `<${tag.name}>`.length
    return tag.kind === 'close' ? closes(tag, parent) : declares(tag.name) && isPlain
  }

  // ── in an argument ────────────────────────────────────────────────────────────────────────────

  function begin(name: string): void {
    key = name
    view = root?.property(name)
    isScalar = view !== undefined && !TAGGED.some(view.accepts)
    exact = false
    firsts = `/! \t\r\n${name.charAt(0)}${parent.charAt(0)}`
    open = [name]
    nested = 0
    const isText = schema !== undefined && fit?.keepsText(schema, name)
    const isFirst = !seen.has(name)
    mayRepeat = !view || view.accepts('array')
    if (!isFirst && !mayRepeat) problem ??= `${name} is given twice`
    seen.add(name)
    pieces = isText && isFirst ? undefined : []
    if (!pieces) parameters.begin(name)
  }

  /** A value that is all `CDATA` is what stands in it. */
  function readStart(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at, at + SPACE_WINDOW)
    const opened = cdataAt(text, i, text.length, last)
    if (opened === NEED_MORE) return at
    exact ||= opened > 0
    elements.step = opened > 0 ? readSection(readStart) : readValue
    return opened > 0 ? i + opened : at
  }

  function readSection(next: Step): Step {
    return (text, at, last) => {
      const { start, end } = findAny([CDATA_END], text, at, last)
      add(text.slice(at, start), true)
      if (end === start) return last ? elements.leave('cut', end) : end
      elements.step = next
      if (next === readValue) add(CDATA_END, true)
      return end
    }
  }

  function readValue(text: string, at: number, last: boolean): number {
    const found = nextTag(text, at)
    const stop = found === -1 ? (last ? text.length : completeUpTo(text, at, lead)) : found
    add(text.slice(at, stop))
    if (found !== -1) return readTag(text, found, last)
    return last ? elements.leave('cut', stop) : stop
  }

  /** The next tag that can count, as far as its first character tells; text may be full of others. */
  function nextTag(text: string, at: number): number {
    let i = findTag(text, at, lead)
    if (lead !== '' || isScalar) return i
    while (i !== -1 && i + 1 < text.length && !firsts.includes(text.charAt(i + 1))) {
      i = text.indexOf('<', i + 1)
    }
    return i
  }

  function readTag(text: string, at: number, last: boolean): number {
    const opened = cdataAt(text, at, text.length, last)
    const tag = tagAt(text, at, last, lead)
    if (opened === NEED_MORE || tag === null) return at
    if (opened > 0) elements.step = readSection(readValue)
    const behind = tag && endOfValue(tag, text, at, last)
    if (behind !== undefined) return behind
    const stop = tag?.end ?? at + (opened || lead.length || 1)
    add(text.slice(at, stop))
    return stop
  }

  /** Where reading goes on when the tag ends the value or cannot be told yet. */
  function endOfValue(tag: Tag, text: string, at: number, last: boolean): number | undefined {
    const { kind, name } = tag
    const isParent = name === parent && key !== parent && kind !== 'empty'
    if (isParent && (kind === 'open' || nested > 0)) {
      nested += kind === 'open' ? 1 : -1
      return undefined
    }
    if (isScalar && name !== key && isStructure(tag, at)) return closeBefore(at)
    if (kind === 'open' && (lead !== '' || name === key)) open.push(name)
    if (lead !== '' && kind === 'close') return isParent ? closeBefore(at) : closeOwn(tag)
    if (!isParent && !closes(tag, key)) return undefined
    const isNested = open.length > 1
    const isOver = isEnd(text, tag.end, last, isParent || (name === key && !isNested))
    if (isOver === undefined) return at
    if (!isOver && name === key && isNested) open.pop()
    if (!isOver) return undefined
    if (isParent) return closeBefore(at)
    slip(name, key)
    return closeAt(tag.end)
  }

  /** With a lead every tag counts, and each must be closed by its own. */
  function closeOwn({ name, end: stop }: Tag): number | undefined {
    if (open.pop() !== name) problem ??= `</${name}> closes nothing`
    return open.length === 0 ? closeAt(stop) : undefined
  }

  /**
   * Whether a closing tag ends the value. One that is `sure` to be meant does, unless words follow and
   * then the end of the value; any other, if the next argument or the end of the call follows.
   */
  function isEnd(text: string, at: number, last: boolean, sure: boolean): boolean | undefined {
    const near = text.slice(at, at + STRAY_WINDOW)
    const isBlank = BLANK.test(near)
    let next = near.indexOf('<')
    if (next !== -1 && sure === isBlank) return sure
    for (; next !== -1; next = near.indexOf('<', next + 1)) {
      const tag = tagAt(text, at + next, last)
      if (tag === null) return undefined
      if (sure && tag && closes(tag, key)) return false
      const isArgument = tag !== undefined && isStructure(tag, at + next)
      if (!sure || isArgument) return isArgument
    }
    return last || near.length === STRAY_WINDOW ? sure || isBlank : undefined
  }

  /** The call ends, and with it a value that was not closed. */
  function closeBefore(at: number): number {
    repairs.push(missingCloser(`</${key}>`))
    return closeAt(at)
  }

  function closeAt(at: number): number {
    endValue()
    elements.step = between
    return at
  }

  function add(piece: string, verbatim = false): void {
    if (piece === '') return
    const isCoded = lead === '' && !verbatim && (exact || !pieces)
    const text = isCoded ? decodeEntities(piece) : piece
    if (pieces) pieces.push(text)
    else if (verbatim) parameters.exactText(text)
    else parameters.text(text)
  }

  function endValue(): void {
    if (!pieces) return parameters.end(exact ? 'space' : undefined)
    const raw = pieces.join('')
    const element = exact ? { name: key, raw, children: [], exact } : parseElement(key, raw, syntax)
    if (mayRepeat) held.push(element)
    else tell([element])
  }

  function tell(values: readonly Element[]): void {
    for (const [name, value] of Object.entries(readTree(values, root, syntax))) {
      parameters.set(name, value)
    }
  }

  // ── the end ───────────────────────────────────────────────────────────────────────────────────

  function finish(text: string, at: number, last: boolean): number {
    const isLeft = elements.state === 'left'
    const cut = isLeft && last && text.slice(at).trim() === ''
    // Without an argument nothing tells that there should be none.
    if (elements.state === 'cut' || (cut && seen.size === 0)) return call.cutOff(at)
    if (problem && call.draft) return call.fail('invalid-arguments', problem, at)
    if (isLeft && seen.size + attributes.size === 0 && lead !== '') {
      return call.fail('invalid-arguments', ARGUMENTS_LOST, at)
    }
    tell(held)
    if (isLeft) repairs.push(missingCloser(`</${parent}>`))
    return call.end({ ...parameters.ending(), end: at, cut })
  }

  return elements
}
