/**
 * Values as trees of tags, typed by the schema.
 *
 *     <location><city>Oslo</city><zip>150</zip></location>   {"city": "Oslo", "zip": 150}
 *     <tags><item>a</item><item>b</item></tags>              ["a", "b"]
 *
 * Objects have a tag for each key. Arrays have `<item>` tags, tags numbered from 0 in any order, or, where
 * the schema asks for an array, tags of any one name; a tag that comes again is an array as well.
 */
import type { Repair } from '../issue.ts'
import { parseStrict } from '../json/strict.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import type { SchemaView } from '../options.ts'
import { decodeEmbedded } from '../schema/embedded-json.ts'
import { endOfSection, findTag, plainText, type Tag, tagAt } from './markup-tag.ts'

export interface TreeSyntax {
  /** What stands before every tag; without it any `<` may be text. */
  readonly lead: string
  readonly maxDepth: number
  readonly repairs: Repair[]
}

export interface Element {
  readonly name: string
  readonly children: readonly Element[]
  /** What stands between its tags, as written. */
  readonly raw: string
  /** True when text stands beside the tags in it. */
  readonly mixed?: boolean
  /** True when it is text as it stands, with nothing to decode. */
  readonly exact?: boolean
  /** True for an argument, whose white space counts. */
  readonly outermost?: boolean
}

/** The values of tags, by their names. */
export function readTree(
  elements: readonly Element[],
  view: SchemaView | undefined,
  syntax: TreeSyntax,
): JsonObject {
  const groups = new Map<string, Element[]>()
  for (const element of elements) {
    const group = groups.get(element.name)
    if (group) group.push(element)
    else groups.set(element.name, [element])
  }
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(
    Array.from(groups, ([key, group]) => {
      const place = view?.property(key)
      const [only, ...others] = group
      const isOne = only && others.length === 0
      return [key, isOne ? elementValue(only, place, syntax) : listOf(group, place, syntax)]
    }),
  )
}

function listOf(
  elements: readonly Element[],
  view: SchemaView | undefined,
  syntax: TreeSyntax,
): JsonValue[] {
  return elements.map((element, at) => elementValue(element, view?.item(at), syntax))
}

function elementValue(
  element: Element,
  view: SchemaView | undefined,
  syntax: TreeSyntax,
): JsonValue {
  const { children, mixed, raw } = element
  // Text beside the tags: where none is wanted it may be JSON, and the tags stand in its strings.
  const isText = mixed && (!view || view.accepts('string') || decodeEmbedded(raw))
  const isTree = view ? view.accepts('object') || view.accepts('array') : true
  if (children.length === 0 || !isTree || isText) return leafOf(element, view, syntax)
  // Names that are no numbers leave the order as it is.
  const ordered = [...children].sort((a, b) => Number(a.name) - Number(b.name))
  if (isList(ordered, view)) return listOf(ordered, view, syntax)
  if (view && !view.accepts('object')) return [readTree(children, view.item(0), syntax)]
  return readTree(children, view, syntax)
}

function isList(children: readonly Element[], view: SchemaView | undefined): boolean {
  if (view && !view.accepts('array')) return false
  const isNumbered = children.every(({ name }, at) => name === 'item' || name === String(at))
  if (isNumbered || !view || view.accepts('object')) return isNumbered
  const names = new Set(children.map(({ name }) => name))
  // The one tag in it may also be the one key of the one object in the array.
  const [name = ''] = names
  const item = view.item(0)
  return names.size === 1 && !(item?.accepts('object') && item.property(name))
}

function leafOf(
  { raw, exact, outermost }: Element,
  view: SchemaView | undefined,
  { lead, repairs }: TreeSyntax,
): JsonValue {
  const accepts = (type: 'string' | 'array' | 'object' | 'null') => view?.accepts(type)
  const keepsSpace = exact || lead !== '' || (outermost && accepts('string'))
  const written = keepsSpace ? raw : raw.trim()
  const text = exact ? raw : plainText(written, lead === '')
  if (!view) return untyped(text)
  if (text === '' && !accepts('string')) {
    if (accepts('array')) return []
    if (accepts('object')) return {}
  }
  // With a lead of their own tags cannot be text, so text is not searched for a structure.
  if (lead !== '' && accepts('string')) return text === 'null' && accepts('null') ? null : text
  const typed = view.read(text)
  repairs.push(...typed.repairs)
  return typed.value
}

/** Without a schema, text is what it spells in JSON; a JSON string is text with quotes. */
function untyped(text: string): JsonValue {
  const value = parseStrict(text)
  return value === undefined || typeof value === 'string' ? text : value
}

interface OpenElement extends Element {
  readonly children: Element[]
  readonly start: number
  raw: string
  mixed: boolean
}

/** A tag without its end goes as far as the tag around it; an end without its tag is text. */
export function parseElement(name: string, raw: string, { lead, maxDepth }: TreeSyntax): Element {
  const root = { name, start: 0, raw, children: [], mixed: false, outermost: true }
  /** Those that are open; nothing closes the first. */
  const open: OpenElement[] = [root]
  let top: OpenElement = root
  let from = 0

  function take({ kind, name: tagName, end }: Tag, level: number, at: number): void {
    passText(at)
    from = end
    if (kind === 'close') return closeFrom(level, at)
    const child = { name: tagName, start: end, raw: '', children: [], mixed: false }
    top.children.push(child)
    if (kind === 'empty') return
    open.push(child)
    top = child
  }

  function passText(end: number): void {
    if (raw.slice(from, end).trim() !== '') top.mixed = true
  }

  function closeFrom(level: number, end: number): void {
    for (const closed of open.splice(level)) closed.raw = raw.slice(closed.start, end)
    top = open.at(-1) ?? root
  }

  for (let i = findTag(raw, 0, lead); i !== -1; i = findTag(raw, i, lead)) {
    const section = endOfSection(raw, i)
    const tag = section === -1 ? tagAt(raw, i, true, lead) : undefined
    const level =
      tag?.kind === 'close' ? open.findLastIndex((one) => one.name === tag.name) : open.length
    const counts = tag && level > 0 && level <= maxDepth
    if (counts) take(tag, level, i)
    i = counts ? tag.end : Math.max(section, i + 1)
  }
  passText(raw.length)
  closeFrom(1, raw.length)
  return root
}
