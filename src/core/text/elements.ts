/**
 * Reads the arguments of a call that are tags of their own, up to the closing tag of the call.
 *
 *     <city>Oslo</city><days>3</days></get_weather>
 *
 * Text is told while it arrives; in it every other tag is text, so a value may be a whole page of HTML.
 * Everything else is read as a tree once it is complete.
 */
import type { Repair } from '../issue.ts'
import type { SchemaView } from '../options.ts'
import type { CallDraft, CallEnding, ReadContext } from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { readLeaf, readTree, type TreeSyntax } from './element-tree.ts'
import { decodeEntities } from './entities.ts'
import { CDATA, CDATA_END, completeUpTo, findTag, isSlip, type Tag, tagAt } from './markup-tag.ts'
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
  readonly trim?: Trim
  /** True when nothing may stand between two arguments. */
  readonly dense?: boolean
}

export interface Elements {
  read(text: string, at: number, last: boolean): number
  /**
   * `closed`: behind the closing tag. `left`: before something that is no argument, or at the end of
   * the reply. `cut`: the reply ended inside an argument.
   */
  readonly state: 'open' | 'closed' | 'left' | 'cut'
  /** Why there can be no call, when there cannot. */
  readonly problem: string | undefined
  ending(): Pick<CallEnding, 'json' | 'repairs' | 'streamed'>
}

/** An argument that is read as a whole. */
interface Held {
  readonly pieces: string[]
  /** True when it is text and no tree, whatever it looks like. */
  exact: boolean
}

/** Longest text between two arguments, and longest white space before something that decides. */
const STRAY_WINDOW = 256
const SPACE_WINDOW = 64
/** What tags can be a part of. */
const TAGGED = ['string', 'array', 'object'] as const

export function createElements(
  context: ReadContext,
  draft: CallDraft | undefined,
  options: ElementOptions,
): Elements {
  const { parent, lead, isArgument, declares } = options
  const { fit, limits } = context
  const schema = draft?.schema
  const root = schema === undefined ? undefined : fit?.view(schema)
  const parameters = createParameters(context, draft, { trim: options.trim ?? 'none' })
  const repairs: Repair[] = []
  const syntax: TreeSyntax = { lead, maxDepth: limits.maxDepth, repairs }
  const seen = new Set<string>()
  /** Arguments that may be given again, and then are a list. */
  const lists = new Map<string, Held[]>()
  const elements = Object.assign(createSteps<'closed' | 'left' | 'cut'>(between), {
    problem: undefined as string | undefined,
    ending,
  })

  let key = ''
  let view: SchemaView | undefined
  /** Undefined while a text is told as it arrives. */
  let held: Held | undefined
  /** True when the text so far is a `CDATA` section. */
  let exact = false
  /** The tags that are open in the value, as far as they matter. */
  let open: string[] = []
  /** True for a number or the like: no tag can be a part of it. */
  let isScalar = false
  /** How often the tag of the call stands open in the value. */
  let nested = 0

  // ── between arguments ─────────────────────────────────────────────────────────────────────────

  function between(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at, text.length)
    // White space behind the last argument is no part of the call, unless there is too much of it.
    const back = i < at + SPACE_WINDOW ? at : i
    if (i === text.length) return last ? leave(back) : back
    const tag = tagAt(text, i, last, lead)
    if (tag === null) return back
    return tag ? (takeTag(tag) ?? leave(back)) : passStray(text, i, back, last)
  }

  function takeTag({ kind, name, end }: Tag): number | undefined {
    if (kind === 'close') return takeCloser(name, end)
    if (!isArgument(name)) return undefined
    begin(name)
    if (kind === 'empty') finishValue()
    else elements.step = readStart
    return end
  }

  function takeCloser(name: string, end: number): number | undefined {
    if (closesCall(name)) {
      if (name !== parent) repairs.push(repair('mismatched-closer', name, `</${parent}>`))
      elements.state = 'closed'
      return end
    }
    // The end of an argument once more.
    return seen.has(name) ? end : undefined
  }

  function closesCall(name: string): boolean {
    return name === parent || (lead === '' && isSlip(name, parent))
  }

  function leave(at: number): number {
    elements.state = 'left'
    return at
  }

  /** Words and comments between two arguments are passed; other words are not ours. */
  function passStray(text: string, i: number, back: number, last: boolean): number {
    // Half a tag at the very end.
    if (last && tagAt(text, i, false, lead) === null) return leave(text.length)
    const window = text.slice(i, i + STRAY_WINDOW)
    const next = findTag(window, 1, lead)
    if (next === -1) return last || window.length === STRAY_WINDOW ? leave(back) : back
    const tag = tagAt(text, i + next, last, lead)
    if (tag === null) return back
    return tag && isStructure(tag, i + next) && !options.dense ? i + next : leave(back)
  }

  /** The end of the call or an argument; text has tags of the same names, but with attributes. */
  function isStructure({ kind, name, end }: Tag, at: number): boolean {
    if (kind === 'close') return closesCall(name)
    return declares(name) && end - at - lead.length === `<${name}>`.length
  }

  // ── in an argument ────────────────────────────────────────────────────────────────────────────

  /** A value that is all `CDATA` is what stands in it. */
  function readStart(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at, Math.min(text.length, at + SPACE_WINDOW))
    const begun = text.slice(i, i + CDATA.length)
    if (begun === CDATA) {
      exact = true
      if (held) held.exact = true
      elements.step = readSection(readStart)
      return i + CDATA.length
    }
    if (!last && i < at + SPACE_WINDOW && CDATA.startsWith(begun)) return at
    elements.step = readValue
    return at
  }

  function readSection(next: Step): Step {
    return (text, at, last) => {
      const found = text.indexOf(CDATA_END, at)
      const end = found === -1 ? Math.max(at, text.length - (last ? 0 : 2)) : found
      add(text.slice(at, end), true)
      if (found === -1) return last ? cut(end) : end
      elements.step = next
      if (next === readValue) add(CDATA_END, true)
      return found + CDATA_END.length
    }
  }

  function readValue(text: string, at: number, last: boolean): number {
    const i = lead === '' ? findPlainTag(text, at) : findTag(text, at, lead)
    if (i === -1) {
      const end = last ? text.length : completeUpTo(text, at, lead)
      add(text.slice(at, end))
      return last ? cut(end) : end
    }
    add(text.slice(at, i))
    return lead === '' ? readPlainTag(text, i, last) : readLeadTag(text, i, last)
  }

  function cut(at: number): number {
    elements.state = 'cut'
    return at
  }

  /** With a lead every tag counts, and each must be closed by its own. */
  function readLeadTag(text: string, at: number, last: boolean): number {
    const tag = tagAt(text, at, last, lead)
    if (tag === null) return at
    if (tag?.kind === 'open') open.push(tag.name)
    if (tag?.kind === 'close') {
      if (tag.name === parent) return closeBefore(at)
      if (open.pop() !== tag.name) elements.problem ??= `</${tag.name}> closes nothing`
      if (open.length === 0) return closeAt(tag.end)
    }
    const end = tag?.end ?? at + lead.length
    add(text.slice(at, end))
    return end
  }

  /** Without one only tags of the same name count; any other may be text. */
  function readPlainTag(text: string, at: number, last: boolean): number {
    const begun = text.slice(at, at + CDATA.length)
    if (begun === CDATA) {
      add(CDATA, true)
      elements.step = readSection(readValue)
      return at + CDATA.length
    }
    if (!last && CDATA.startsWith(begun)) return at
    const tag = tagAt(text, at, last)
    if (tag === null) return at
    if (tag?.name === parent && key !== parent && tag.kind !== 'empty') {
      nested += tag.kind === 'open' ? 1 : -1
      return nested < 0 ? closeBefore(at) : passTag(text, at, tag.end)
    }
    if (tag?.kind === 'open' && tag.name === key) open.push(key)
    if (tag && isScalar && tag.name !== key && isStructure(tag, at)) return closeBefore(at)
    const closes = tag?.kind === 'close' && (tag.name === key || isSlip(tag.name, key))
    if (!tag || !closes) return passTag(text, at, tag?.end ?? at + 1)
    if (tag.name === key && open.length === 1) return closeAt(tag.end)
    const followed = isFollowed(text, tag.end, last)
    if (followed === undefined) return at
    if (followed) {
      if (tag.name !== key) repairs.push(repair('mismatched-closer', tag.name, `</${key}>`))
      return closeAt(tag.end)
    }
    if (tag.name === key) open.pop()
    return passTag(text, at, tag.end)
  }

  function passTag(text: string, at: number, end: number): number {
    add(text.slice(at, end))
    return end
  }

  /** The next tag that can count, as far as its first character tells; text may be full of others. */
  function findPlainTag(text: string, at: number): number {
    const firsts = `/! \t\r\n${key.charAt(0)}${parent.charAt(0)}`
    let i = text.indexOf('<', at)
    while (i !== -1 && i + 1 < text.length && !isScalar && !firsts.includes(text.charAt(i + 1))) {
      i = text.indexOf('<', i + 1)
    }
    return i
  }

  /** Whether the next argument or the end of the call follows. Undefined: not known yet. */
  function isFollowed(text: string, at: number, last: boolean): boolean | undefined {
    const window = at + SPACE_WINDOW
    const i = skipSpace(text, at, Math.min(text.length, window))
    if (i === text.length && i < window) return last || undefined
    const tag = tagAt(text, i, last)
    if (tag === null) return undefined
    return tag !== undefined && isStructure(tag, i)
  }

  /** The call ends, and with it a value that was not closed. */
  function closeBefore(at: number): number {
    repairs.push(repair('missing-closer', undefined, `</${key}>`))
    return closeAt(at)
  }

  function closeAt(at: number): number {
    finishValue()
    elements.step = between
    return at
  }

  // ── values ────────────────────────────────────────────────────────────────────────────────────

  function begin(name: string): void {
    key = name
    view = root?.property(name)
    isScalar = view !== undefined && !TAGGED.some(view.accepts)
    exact = false
    open = [name]
    nested = 0
    const isText =
      schema !== undefined && fit?.declares(schema, name) && fit.keepsText(schema, name)
    if (seen.has(name) && !mayRepeat()) elements.problem ??= `${name} is given twice`
    held = isText && !seen.has(name) ? undefined : { pieces: [], exact: false }
    seen.add(name)
    if (!held) parameters.begin(name)
  }

  function mayRepeat(): boolean {
    return !view || view.accepts('array')
  }

  function add(piece: string, verbatim = false): void {
    if (piece === '') return
    if (held) held.pieces.push(held.exact && !verbatim ? decode(piece) : piece)
    else if (verbatim) parameters.exactText(piece)
    else parameters.text(decode(piece))
  }

  function decode(piece: string): string {
    return lead === '' ? decodeEntities(piece) : piece
  }

  function finishValue(): void {
    if (!held) return parameters.end(exact ? 'space' : undefined)
    if (!mayRepeat()) return parameters.set(key, heldValue(held, view))
    const list = lists.get(key)
    if (list) list.push(held)
    else lists.set(key, [held])
  }

  function heldValue({ pieces, exact: isText }: Held, place: SchemaView | undefined) {
    const raw = pieces.join('')
    return isText ? readLeaf(raw, place, syntax) : readTree(raw, place, syntax)
  }

  function ending(): Pick<CallEnding, 'json' | 'repairs' | 'streamed'> {
    for (const [name, [first, ...others]] of lists) {
      const place = root?.property(name)
      if (!first) continue
      const items = [first, ...others].map((one, at) => [one, place?.item(at)] as const)
      const value =
        others.length === 0
          ? heldValue(first, place)
          : items.map(([one, item]) => heldValue(one, item))
      parameters.set(name, value)
    }
    const told = parameters.ending()
    return { ...told, repairs: [...told.repairs, ...repairs] }
  }

  return elements
}

function repair(code: Repair['code'], before: string | undefined, after: string): Repair {
  return { code, path: [], risk: 'safe', ...(before === undefined ? {} : { before }), after }
}
