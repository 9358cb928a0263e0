/**
 * Syntax factory: calls in a tag named after the tool.
 *
 *     <get_weather>          <get_weather>      get_weather
 *     <city>Oslo</city>      city: Oslo         <city>Oslo</city>
 *     </get_weather>         </get_weather>
 *
 * The arguments are tags or YAML, and attributes of the tag itself. The tag may be lost, so that the
 * name stands alone on its line. Only names of declared tools count, and only where an argument or the end
 * of the call follows.
 */
import type { Repair } from '../issue.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import {
  type CallEnding,
  NEED_MORE,
  NO_MATCH,
  type Opener,
  type ReadContext,
  type Reader,
  type ToolTable,
} from '../protocol.ts'
import { Call, missingCloser } from './call.ts'
import { parseElement, readTree } from './element-tree.ts'
import { createElements } from './elements.ts'
import { decodeEntities } from './entities.ts'
import { readIfFollowed } from './followed-calls.ts'
import { type Follows, marker } from './marker.ts'
import { closes, type Tag, visibleText } from './markup-tag.ts'
import { createSteps, type Step } from './steps.ts'
import { tagPrefix } from './tag.ts'
import { createTagBody, type TagBody } from './tag-body.ts'
import {
  BODY_WINDOW,
  type Body,
  bodyAt,
  describeTool,
  followsName,
  isCompound,
  matchTag,
  nameIn,
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

/** Longest text without arguments of its own. */
const MAX_TEXT = 16 * 1024
/** A tag that some models put around all arguments. */
const ENVELOPE = /^(?:arguments|parameters|input)$/
/** What a sentence goes on or ends with, and what must be seen of it. */
const GOES_ON = /^(?:[,.;:!?)]| (?:to|is|or|as|for|in|would|will|can|means)\b)/
const WORD_WINDOW = 8
const LINE_BREAK = /^\s*(?:\n|$)/
const ATTRIBUTE = /\s([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

export function toolTags(tools: ToolTable, options: ToolTags): readonly Opener[] {
  if (tools.names.length === 0) return []
  const names = new Set(tools.names)
  return (['elements', 'yaml'] as const).flatMap((body) => {
    const opener: Opener = {
      prefix: tagPrefix(tools.names),
      priority: options.body === body ? 1 : 0,
      keep: true,
      match: (text, at, end, last) => matchCall(text.slice(at, end), names, body === 'yaml', last),
      open: (context) => readCall(options, context, names),
    }
    const inLine = (context: ReadContext) => readIfFollowed(context, isNoExample, opener.open)
    return [
      { ...opener, boundary: 'line' },
      { ...opener, open: inLine },
    ]
  })
}

/** A sentence that ends with the call, or goes on with a word that needs it, gives an example. */
const isNoExample: Follows = (text, at, end, last) => {
  const next = text.slice(at, Math.min(at + WORD_WINDOW, end))
  const isBegun = next.length < WORD_WINDOW && /^(?: [a-z]*)?$/.test(next)
  return isBegun && !last ? undefined : !GOES_ON.test(next)
}

function matchCall(
  window: string,
  names: ReadonlySet<string>,
  isYaml: boolean,
  last: boolean,
): number {
  const length = matchTag(window, names, last)
  if (length <= 0) return length
  const body = bodyAt(window, length, nameIn(window), last)
  if (body === null) return NEED_MORE
  return body && (body.kind === 'yaml') === isYaml ? length : NO_MATCH
}

/** Names of tools that stand on lines of their own; one of a letter or two is found too often. */
export function toolLines(tools: ToolTable, options: ToolTags): readonly Opener[] {
  const names = new Set(tools.names)
  return tools.names
    .filter(({ length }) => length > 2)
    .map((name) => ({
      ...marker(name, followsName),
      boundary: 'line',
      open: (context) => readCall(options, context, names, name),
    }))
}

/** `line` is the name of the tool that stood on a line of its own. */
function readCall(
  { body: own, trim }: ToolTags,
  context: ReadContext,
  names: ReadonlySet<string>,
  line?: string,
): Reader {
  const reader = createSteps<Reader['state']>(readHead)
  const isLine = line !== undefined
  let tool: TagTool
  let schema: JsonSchema | undefined
  /** Arguments that are attributes of the tag, and how they were read. */
  const attributes = new Map<string, JsonValue>()
  const repairs: Repair[] = []
  /** Whether it may turn out to be something else: then only a closing tag makes it a call. */
  let isDoubtful = false

  // ── the beginning ─────────────────────────────────────────────────────────────────────────────

  function readHead(text: string, at: number, last: boolean): number {
    const window = text.slice(at, at + BODY_WINDOW)
    const final = last || window.length === BODY_WINDOW
    const name = line ?? nameIn(window)
    const size = isLine ? window.search(/[^\s:]/) : matchTag(window, names, final)
    schema = context.tools.find(name)?.schema
    tool = describeTool(name, schema)
    const body = bodyAt(window, size, name, final)
    if (body === null) return at
    const kind = body && kindOf(body)
    if (!kind) return reader.leave('declined', at + size)
    readAttributes(window.slice(0, size))
    if (kind === 'empty') return reader.leave('done', begin().end({ ...whole({}), end: at + size }))
    reader.step = kind === 'elements' ? readTags() : readBody(kind)
    return at + size
  }

  /** Attributes of the tag are arguments where the tool has such. */
  function readAttributes(head: string): void {
    for (const [, key = '', double, single = ''] of head.matchAll(ATTRIBUTE)) {
      if (schema === undefined || !tool.declares(key)) continue
      const raw = decodeEntities(double ?? single)
      const typed = context.fit?.view(schema)?.property(key)?.read(raw)
      attributes.set(key, typed ? typed.value : raw)
      repairs.push(...(typed?.repairs ?? []))
    }
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
    // A declared key may still come.
    isDoubtful ||= kind === 'yaml'
    return kind !== 'text' && isCompound(tool.name) ? kind : undefined
  }

  /** True for the tag of another call. */
  function isOther(name: string): boolean {
    return names.has(name) && !tool.declares(name)
  }

  function begin(): Call {
    const call = new Call(context, tool.name)
    call.repairs.push(...repairs)
    return call
  }

  /** All arguments, where these are what the body says. */
  function whole(body: JsonObject): Pick<CallEnding, 'json' | 'value'> {
    const value = Object.fromEntries([...attributes, ...Object.entries(body)])
    return { json: JSON.stringify(value), value }
  }

  // ── arguments in tags ─────────────────────────────────────────────────────────────────────────

  function readTags(): Step {
    const call = begin()
    const elements = createElements(context, call, {
      parent: tool.name,
      lead: '',
      isArgument: (name) => (isLine ? tool.declares(name) : !isOther(name)),
      declares: tool.declares,
      trim,
      dense: isLine,
      attributes,
    })
    return (text, at, last) => {
      const end = elements.read(text, at, last)
      const { state } = elements
      if (state === 'open') return end
      const endsLine = state === 'left' && LINE_BREAK.test(text.slice(end, end + BODY_WINDOW))
      const isCall = state === 'closed' || (isLine ? endsLine : !isDoubtful)
      if (isCall) return reader.leave('done', elements.finish(text, end, last))
      call.draft?.retract(`${tool.name} is not called here`, end)
      return reader.leave('declined', end)
    }
  }

  // ── arguments as YAML, and text without arguments ─────────────────────────────────────────────

  function readBody(kind: 'yaml' | 'text'): Step {
    const isYaml = kind === 'yaml'
    const call = isYaml && !isDoubtful ? begin() : undefined
    const body = createTagBody(endOfBody, isYaml ? undefined : MAX_TEXT)
    return (text, at, last) => {
      const end = body.read(text, at, last)
      if (body.state === 'open') return end
      return isYaml ? endYaml(body, call, end) : endText(body, end)
    }
  }

  /** The closing tag, or another call at the beginning of a line. */
  function endOfBody(tag: Tag, startsLine: boolean): 'closed' | 'left' | undefined {
    if (closes(tag, tool.name)) return 'closed'
    return tag.kind === 'open' && startsLine && isOther(tag.name) ? 'left' : undefined
  }

  function endYaml(body: TagBody, begun: Call | undefined, end: number): number {
    const isWhole = body.state === 'closed'
    const raw = body.text()
    const args = readYamlArguments(raw, schema, context)
    const { value = {}, repairs = [] } = args ?? {}
    const isMeant = !tool.isClosed || Object.keys(value).some(tool.declares)
    if (isDoubtful && !(args && isWhole && isMeant)) return reader.leave('declined', end)
    const call = begun ?? begin()
    if (!isWhole) call.repairs.push(missingCloser(`</${tool.name}>`))
    if (!args) call.fail('invalid-arguments', 'the arguments are not YAML', end)
    // Nothing but the beginning of the closing tag tells that the last value is whole.
    else if (body.isCut(tool.name)) call.cutOff(end)
    else call.end({ ...whole(value), raw, repairs, end, cut: body.state === 'cut' })
    return reader.leave('done', end)
  }

  function endText({ state, text }: TagBody, end: number): number {
    const raw = text()
    const key = tool.text ?? ''
    const syntax = { lead: '', maxDepth: context.limits.maxDepth, repairs }
    const { children, mixed } = parseElement(tool.name, raw, syntax)
    // An argument that nobody declared may stand before one that is.
    const isTree = !mixed && children.some(({ name }) => tool.declares(name))
    // A list is no text, and neither are words around the argument itself.
    const isText = !/^\s*(?:-\s|\[)/.test(raw) && !children.some(({ name }) => name === key)
    if (state !== 'closed' || !(isTree || isText)) return reader.leave('declined', end)
    if (!isTree) repairs.push({ code: 'named-positional', path: [key], risk: 'guess' })
    const view = schema === undefined ? undefined : context.fit?.view(schema)
    const body = isTree ? readTree(children, view, syntax) : { [key]: visibleText(raw) }
    return reader.leave('done', begin().end({ ...whole(body), raw, end }))
  }

  return reader
}
