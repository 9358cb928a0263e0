/**
 * Tags named after a tool: `<get_weather>`. Any HTML looks like them, so what follows decides, and what
 * the tool's schema says about it.
 */
import { isJsonObject, type JsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { NEED_MORE, NO_MATCH } from '../protocol.ts'
import { foldName } from '../schema/spelling.ts'
import { skipSpace } from './characters.ts'
import { CDATA, isSlip, type Tag, tagAt } from './markup-tag.ts'

/** How far it is looked to tell what a body is. */
export const BODY_WINDOW = 512

/** What stands between the tags, as its beginning tells. */
export interface Body {
  readonly kind: 'elements' | 'empty' | 'yaml' | 'text'
  /** The first argument. */
  readonly key?: string
}

/** What the schema of a tool says, as far as it is written plainly. */
export interface TagTool {
  readonly name: string
  /** False when any argument will do. */
  readonly isClosed: boolean
  declares(key: string): boolean
  /** The argument that text without tags is meant for. */
  readonly text: string | undefined
}

export function describeTool(name: string, schema: JsonSchema | undefined): TagTool {
  const object = isJsonObject(schema) ? schema : {}
  const properties = isJsonObject(object['properties']) ? object['properties'] : {}
  const declared = new Set(Object.keys(properties).map(foldName))
  return {
    name,
    isClosed: declared.size > 0,
    declares: (key) => declared.has(foldName(key)),
    text: isCompound(name) ? textArgument(object, properties) : undefined,
  }
}

/** The one required argument, or the one that is text. */
function textArgument({ required }: JsonObject, properties: JsonObject): string | undefined {
  const isText = (key: string) => {
    const property = properties[key]
    return isJsonObject(property) && property['type'] === 'string'
  }
  const needed = Array.isArray(required) ? required.filter((key) => typeof key === 'string') : []
  const candidates = needed.length > 0 ? needed : Object.keys(properties).filter(isText)
  const [only] = candidates
  return only !== undefined && candidates.length === 1 && isText(only) ? only : undefined
}

/** `get_weather` and `getWeather` are names of tools; `code` and `b` may be anything. */
export function isCompound(name: string): boolean {
  return /[a-z\d][^a-z\d]/.test(name)
}

/** Whether these first characters can be a tag of one of the tools: its length, as for a marker. */
export function matchTag(text: string, names: ReadonlySet<string>, last: boolean): number {
  const [begun, name = '', rest = ''] = HEAD.exec(text) ?? []
  if (begun === undefined) return NO_MATCH
  if (rest === '' && begun === text) {
    const mayBe = !last && [...names].some((one) => one.startsWith(name))
    return mayBe ? NEED_MORE : NO_MATCH
  }
  if (!names.has(name) || !ATTRIBUTES.test(text.slice(begun.length - rest.length))) return NO_MATCH
  const tag = tagAt(text, 0, last)
  return tag === null ? NEED_MORE : (tag?.end ?? NO_MATCH)
}

const HEAD = /^<([^\s<>/]*)([\s>/]?)/
/** The first attribute has a value; prose behind a name has none. */
const ATTRIBUTES = /^\s*(?:[/>]|$|[\w:.-]{1,24}\s?(?:=|$))/

const KEY = /^(?:"((?:[^"\\]|\\.)*)"|'([^'\n]*)'|([\w$.-]+))[ \t]*:(?=\s)/
const KEY_BEGUN = /^(?:"(?:[^"\\]|\\.)*(?:"|\\)?|'[^'\n]*'?|[\w$.-]+)[ \t]*:?$/
/** What may stand before the first key: the mark of a document and comments. */
const PREAMBLE = /^(?:---|#[^\n]*)\r?(?:\n|$)/

/** What a body begins with. Undefined: nothing that a call could have. Null: not known yet. */
export function bodyAt(
  text: string,
  at: number,
  name: string,
  last: boolean,
): Body | undefined | null {
  const i = skipSpace(text, at, text.length)
  if (i === text.length) return last ? undefined : null
  if (text.charAt(i) === '<') return taggedBody(text, i, name, last)
  const rest = text.slice(i)
  const preamble = PREAMBLE.exec(rest)?.[0]
  if (preamble !== undefined) return bodyAt(text, i + preamble.length, name, last)
  if (text.charAt(i) === '{') return { kind: 'yaml' }
  const [, double, single, plain] = KEY.exec(last ? `${rest}\n` : rest) ?? []
  const key = double ?? single ?? plain
  if (key !== undefined) return { kind: 'yaml', key }
  if (!KEY_BEGUN.test(rest)) return { kind: 'text' }
  // A long key in quotes is a key as well.
  return last ? { kind: text.charAt(i) === '"' ? 'yaml' : 'text' } : null
}

function taggedBody(
  text: string,
  at: number,
  name: string,
  last: boolean,
): Body | undefined | null {
  const tag = tagAt(text, at, last)
  if (tag === null || (!last && CDATA.startsWith(text.slice(at)))) return null
  if (!tag) return { kind: 'text' }
  if (tag.kind !== 'close') return { kind: 'elements', key: tag.name }
  return closesTool(tag, name) ? { kind: 'empty' } : undefined
}

export function closesTool({ kind, name }: Tag, tool: string): boolean {
  return kind === 'close' && (name === tool || isSlip(name, tool))
}

const LINE = /^([^\s<>:]+)[ \t]*:?[ \t]*\r?\n[ \t\r\n]*(?=<)/
const LINE_BEGUN = /^[^\s<>:]+[ \t]*:?[ \t]*(?:\r?|\r?\n[ \t\r\n]*)$/

/** A line with nothing but the name of a tool, before the line of its first argument. */
export function matchLine(text: string, name: string, last: boolean): number {
  const [head = '', found] = LINE.exec(text) ?? []
  if (found === undefined) {
    const begins = name.startsWith(text) || (text.startsWith(name) && LINE_BEGUN.test(text))
    return begins && !last ? NEED_MORE : NO_MATCH
  }
  if (found !== name) return NO_MATCH
  const tag = tagAt(text, head.length, last)
  if (tag === null) return NEED_MORE
  return tag && tag.kind !== 'close' ? head.length : NO_MATCH
}
