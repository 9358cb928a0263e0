/**
 * Syntax factory: calls in a tag named after the tool.
 *
 *     <get_weather>          <get_weather>      get_weather
 *     <city>Oslo</city>      city: Oslo         <city>Oslo</city>
 *     </get_weather>         </get_weather>
 *
 * The arguments are tags or YAML. The tag may be lost, so that the name stands alone on its line. Only
 * names of declared tools count, and only where an argument or the end of the call follows.
 */
import type { IssueCode, Repair } from '../issue.ts'
import type { JsonObject } from '../json/value.ts'
import {
  type CallDraft,
  type CallEnding,
  NEED_MORE,
  NO_MATCH,
  type Opener,
  type ReadContext,
  type Reader,
  type ToolTable,
} from '../protocol.ts'
import { createElements, type Elements } from './elements.ts'
import { marker } from './marker.ts'
import { tagAt, visibleText } from './markup-tag.ts'
import { createSteps } from './steps.ts'
import {
  BODY_WINDOW,
  type Body,
  bodyAt,
  closesTool,
  describeTool,
  isCompound,
  matchLine,
  matchTag,
  type TagTool,
} from './tool-tag.ts'
import type { Trim } from './trimmed.ts'
import { readYamlArguments } from './yaml-arguments.ts'

export interface ToolTags {
  /** How the arguments are written; the other way is read as well, but after all other formats. */
  readonly body: 'elements' | 'yaml'
  /** What is no part of a text between tags. */
  readonly trim?: Trim
}

const KINDS = { elements: ['elements', 'empty', 'text'], yaml: ['yaml'] } as const

/** Longest text without arguments of its own. */
const MAX_TEXT = 16 * 1024
const ENDS_INSIDE = 'the reply ends inside a call'
/** A tag that some models put around all arguments. */
const ENVELOPE = /^(?:arguments|parameters|input)$/
const LINE_BREAK = /^\s*(?:\n|$)/

export function toolTags(tools: ToolTable, options: ToolTags): readonly Opener[] {
  if (tools.names.length === 0) return []
  const names = new Set(tools.names)
  const firsts = new Set(tools.names.map((name) => name.charAt(0)))
  return (['elements', 'yaml'] as const).map((body) => ({
    prefix: ['<', [...firsts].join('')],
    priority: options.body === body ? 1 : 0,
    keep: true,
    match: (text, at, end, last) => matchCall(text.slice(at, end), names, KINDS[body], last),
    open: (context) => readCall(options, context, names),
  }))
}

function matchCall(
  window: string,
  names: ReadonlySet<string>,
  kinds: readonly Body['kind'][],
  last: boolean,
): number {
  const length = matchTag(window, names, last)
  if (length <= 0 || window.charAt(length - 2) === '/') return length
  const body = bodyAt(window, length, nameIn(window), last)
  if (body === null) return NEED_MORE
  return body && kinds.includes(body.kind) ? length : NO_MATCH
}

/** Names of tools that stand on lines of their own. */
export function toolLines(tools: ToolTable, options: ToolTags): readonly Opener[] {
  const names = new Set(tools.names)
  return tools.names.filter(isNoticed).map((name) => ({
    prefix: marker(name).prefix,
    boundary: 'line',
    keep: true,
    match: (text, at, end, last) => matchLine(text.slice(at, end), name, last),
    open: (context) => readCall(options, context, names),
  }))
}

/** A letter or two on a line is found too often to look at each. */
function isNoticed(name: string): boolean {
  return name.length > 2
}

function nameIn(head: string): string {
  return /^<?([^\s<>/:]*)/.exec(head)?.[1] ?? ''
}

function readCall(
  { body: own, trim }: ToolTags,
  context: ReadContext,
  names: ReadonlySet<string>,
): Reader {
  const reader = createSteps<Reader['state']>(readHead)
  let tool: TagTool
  let draft: CallDraft | undefined
  let elements: Elements | undefined
  const pieces: string[] = []
  /** Whether it may turn out to be something else: then only a closing tag makes it a call. */
  let isDoubtful = false
  let isLine = false
  let textLeft = MAX_TEXT

  // ── the beginning ─────────────────────────────────────────────────────────────────────────────

  function readHead(text: string, at: number, last: boolean): number {
    const window = text.slice(at, at + BODY_WINDOW)
    const final = last || window.length === BODY_WINDOW
    const name = nameIn(window)
    tool = describeTool(name, context.tools.find(name)?.schema)
    isLine = window.charAt(0) !== '<'
    const size = isLine ? matchLine(window, name, final) : matchTag(window, names, final)
    if (window.charAt(size - 2) === '/' && !isLine) return beginTags(at + size, 'closed')
    const body = bodyAt(window, size, name, final)
    const kind = body ? kindOf(body) : undefined
    if (kind === 'elements' || kind === 'empty') return beginTags(at + size)
    if (kind === undefined) return decline(at + size)
    reader.step = kind === 'yaml' ? readBody : readText
    return at + size
  }

  /** What the body is, now that the schema is at hand. Undefined: it is no call. */
  function kindOf({ kind, key }: Body): Body['kind'] | undefined {
    const isDeclared = key !== undefined && tool.declares(key)
    isDoubtful = isLine || !(isDeclared || isCompound(tool.name))
    if (isLine) return isDeclared ? kind : undefined
    if (isDeclared || kind === 'empty') return kind
    if (kind === 'elements' && isOther(key ?? '')) return undefined
    if (kind !== 'text' && !tool.isClosed) return kind
    if (kind !== 'text' && (key === undefined || ENVELOPE.test(key))) return kind
    if (tool.text !== undefined && own === 'elements') return 'text'
    return kind === 'elements' && isCompound(tool.name) ? kind : undefined
  }

  /** True for the tag of another call. */
  function isOther(name: string): boolean {
    return names.has(name) && !tool.declares(name)
  }

  // ── arguments in tags ─────────────────────────────────────────────────────────────────────────

  function beginTags(at: number, state: 'open' | 'closed' = 'open'): number {
    draft = context.begin(tool.name)
    elements = createElements(context, draft, {
      parent: tool.name,
      lead: '',
      isArgument: (name) => (isLine ? tool.declares(name) : !isOther(name)),
      declares: tool.declares,
      ...(trim ? { trim } : {}),
      dense: isLine,
    })
    reader.step = readTags
    return state === 'closed' ? endTags(at) : at
  }

  function readTags(text: string, at: number, last: boolean): number {
    if (!elements) return at
    const end = elements.read(text, at, last)
    const { state } = elements
    if (state === 'closed') return endTags(end)
    if (state === 'cut') {
      return isDoubtful ? retract(end) : fail('truncated-call', ENDS_INSIDE, end)
    }
    return state === 'left' ? leaveTags(text, end, last) : end
  }

  /** Something else stands behind the last argument, or nothing. */
  function leaveTags(text: string, at: number, last: boolean): number {
    if (isLine && !LINE_BREAK.test(text.slice(at, at + BODY_WINDOW))) return retract(at)
    if (isDoubtful && !isLine) return retract(at)
    return endTags(at, { repairs: [missing()], cut: last && text.slice(at).trim() === '' })
  }

  function endTags(end: number, more: Partial<CallEnding> = {}): number {
    if (elements?.problem !== undefined) return fail('invalid-arguments', elements.problem, end)
    const told = elements?.ending() ?? { json: '{}', repairs: [] }
    return finish({ ...told, ...more, end, repairs: [...told.repairs, ...(more.repairs ?? [])] })
  }

  // ── arguments as YAML ─────────────────────────────────────────────────────────────────────────

  function readBody(text: string, at: number, last: boolean): number {
    if (!isDoubtful) draft ??= context.begin(tool.name)
    const found = findEnd(text, at, last)
    if (found.end !== undefined) return endBody(found.end, found.isClosed, last)
    return last ? endBody(text.length, false, true) : found.at
  }

  function endBody(end: number, isClosed: boolean, last: boolean): number {
    const body = pieces.join('')
    const args = readYamlArguments(body, context.tools.find(tool.name)?.schema, context)
    if (isDoubtful && !(args && isClosed && isMeant(args.value))) return decline(end)
    if (!args) return fail('invalid-arguments', 'the arguments are not YAML', end)
    if (args.isOpen && !isClosed) return fail('truncated-call', ENDS_INSIDE, end)
    draft ??= context.begin(tool.name)
    const json = JSON.stringify(args.value)
    const repairs = isClosed ? args.repairs : [...args.repairs, missing()]
    return finish({ json, value: args.value, raw: body, repairs, end, cut: last && !isClosed })
  }

  function isMeant(args: JsonObject): boolean {
    return !tool.isClosed || Object.keys(args).some(tool.declares)
  }

  /** Keeps text up to the closing tag, or to another call at the beginning of a line. */
  function findEnd(
    text: string,
    at: number,
    last: boolean,
  ): { readonly at: number; readonly end?: number; readonly isClosed: boolean } {
    for (let i = at; ; ) {
      const next = text.indexOf('<', i)
      const stop = next === -1 ? text.length : next
      if (stop > i) pieces.push(text.slice(i, stop))
      if (next === -1) return { at: stop, isClosed: false }
      const tag = tagAt(text, next, last)
      if (tag === null) return { at: next, isClosed: false }
      if (tag && closesTool(tag, tool.name)) return { at: next, end: tag.end, isClosed: true }
      if (tag?.kind === 'open' && isOther(tag.name) && startsLine()) {
        return { at: next, end: next, isClosed: false }
      }
      // Half a closing tag at the very end.
      if (last && `</${tool.name}>`.startsWith(text.slice(next))) {
        return { at: next, end: text.length, isClosed: false }
      }
      pieces.push('<')
      i = next + 1
    }
  }

  function startsLine(): boolean {
    return pieces.at(-1)?.endsWith('\n') ?? true
  }

  // ── text without arguments ────────────────────────────────────────────────────────────────────

  function readText(text: string, at: number, last: boolean): number {
    const window = text.slice(0, at + textLeft)
    const isFull = window.length === at + textLeft
    const found = findEnd(window, at, last || isFull)
    textLeft -= found.at - at
    if (found.isClosed && isText()) return endText(found.end ?? found.at)
    return last || isFull || found.end !== undefined ? decline(found.at) : found.at
  }

  /** A list is no text, and neither are words around the argument itself. */
  function isText(): boolean {
    const body = pieces.join('')
    return !/^\s*(?:-\s|\[)/.test(body) && !body.includes(`<${tool.text}>`)
  }

  function endText(end: number): number {
    const key = tool.text ?? ''
    draft = context.begin(tool.name)
    const json = JSON.stringify(Object.fromEntries([[key, visibleText(pieces.join(''))]]))
    const repair: Repair = { code: 'named-positional', path: [key], risk: 'guess' }
    return finish({ json, raw: pieces.join(''), repairs: [repair], end })
  }

  // ── ends ──────────────────────────────────────────────────────────────────────────────────────

  function finish(ending: CallEnding): number {
    reader.state = 'done'
    draft?.end(ending)
    return ending.end
  }

  function fail(code: IssueCode, message: string, end: number): number {
    reader.state = 'done'
    draft?.fail(code, message, end)
    return end
  }

  function retract(end: number): number {
    draft?.retract(`${tool.name} is not called here`)
    return decline(end)
  }

  function decline(end: number): number {
    reader.state = 'declined'
    return end
  }

  function missing(): Repair {
    return { code: 'missing-closer', path: [], risk: 'safe', after: `</${tool.name}>` }
  }

  return reader
}
