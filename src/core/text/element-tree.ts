/**
 * Values as trees of tags, typed by the schema.
 *
 *     <location><city>Oslo</city><zip>150</zip></location>   {"city": "Oslo", "zip": 150}
 *     <tags><item>a</item><item>b</item></tags>              ["a", "b"]
 *
 * Objects have a tag for each key. Arrays have `<item>` tags, tags numbered from 0, or, where the schema
 * asks for an array, tags of any one name; a tag that comes again is an array as well.
 */
import type { Repair } from '../issue.ts'
import { parseStrict } from '../json/strict.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import type { SchemaView } from '../options.ts'
import { endOfSection, findTag, plainText, tagAt } from './markup-tag.ts'

export interface TreeSyntax {
  /** What stands before every tag; without it any `<` may be text. */
  readonly lead: string
  readonly maxDepth: number
  readonly repairs: Repair[]
}

interface Element {
  readonly name: string
  /** What stands between its tags, as written. */
  raw: string
  readonly start: number
  readonly children: Element[]
  /** True when text stands beside the tags in it. */
  mixed: boolean
}

/** The value of what stands between the tags of an argument. */
export function readTree(raw: string, view: SchemaView | undefined, syntax: TreeSyntax): JsonValue {
  return elementValue(parseElement(raw, syntax), view, syntax, true)
}

/** The value of text without tags. */
export function readLeaf(
  text: string,
  view: SchemaView | undefined,
  { lead, repairs }: TreeSyntax,
): JsonValue {
  if (!view) return readUntyped(text)
  const accepts = view.accepts
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
function readUntyped(text: string): JsonValue {
  const value = parseStrict(text)
  return value === undefined || typeof value === 'string' ? text : value
}

function elementValue(
  element: Element,
  view: SchemaView | undefined,
  syntax: TreeSyntax,
  outermost = false,
): JsonValue {
  const { raw, children, mixed } = element
  const isText = view ? view.accepts('string') : mixed
  const isTree = view ? view.accepts('object') || view.accepts('array') : true
  if (children.length === 0 || !isTree || (mixed && isText)) {
    const keepsSpace = syntax.lead !== '' || (outermost && view?.accepts('string'))
    const text = plainText(keepsSpace ? raw : raw.trim(), syntax.lead === '')
    return readLeaf(text, view, syntax)
  }
  if (isList(element, view)) {
    return children.map((child, at) => elementValue(child, view?.item(at), syntax))
  }
  if (view && !view.accepts('object')) return [objectOf(children, view.item(0), syntax)]
  return objectOf(children, view, syntax)
}

function isList({ children }: Element, view: SchemaView | undefined): boolean {
  if (view && !view.accepts('array')) return false
  const isNumbered = children.every(({ name }, at) => name === 'item' || name === String(at))
  if (isNumbered || !view || view.accepts('object')) return isNumbered
  const names = new Set(children.map(({ name }) => name))
  // The one tag in it may also be the one key of the one object in the array.
  const [name = ''] = names
  const item = view.item(0)
  return names.size === 1 && !(item?.accepts('object') && item.property(name))
}

function objectOf(
  children: readonly Element[],
  view: SchemaView | undefined,
  syntax: TreeSyntax,
): JsonObject {
  const groups = new Map<string, Element[]>()
  for (const child of children) {
    const group = groups.get(child.name)
    if (group) group.push(child)
    else groups.set(child.name, [child])
  }
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(
    Array.from(groups, ([key, group]) => {
      const property = view?.property(key)
      const [only, ...others] = group
      const values =
        only && others.length === 0
          ? elementValue(only, property, syntax)
          : group.map((child, at) => elementValue(child, property?.item(at), syntax))
      return [key, values]
    }),
  )
}

/** A tag without its end goes as far as the tag around it; an end without its tag is text. */
function parseElement(raw: string, { lead, maxDepth }: TreeSyntax): Element {
  const root: Element = { name: '', raw, start: 0, children: [], mixed: false }
  const open: Element[] = [root]
  const counts = new Map<string, number>()
  let top = root
  let from = 0

  function count(name: string, by: number): void {
    counts.set(name, (counts.get(name) ?? 0) + by)
  }

  function close(name: string, end: number): void {
    let closed: Element | undefined
    do {
      closed = open.pop()
      if (!closed) return
      closed.raw = raw.slice(closed.start, end)
      count(closed.name, -1)
    } while (closed.name !== name)
    top = open.at(-1) ?? root
  }

  function passText(end: number): void {
    if (raw.slice(from, end).trim() !== '') top.mixed = true
  }

  for (let i = findTag(raw, 0, lead); i !== -1; i = findTag(raw, i, lead)) {
    const section = endOfSection(raw, i)
    const tag = section === -1 ? tagAt(raw, i, true, lead) : undefined
    const counted = tag && (tag.kind === 'close' ? counts.get(tag.name) : open.length <= maxDepth)
    if (!tag || !counted) {
      i = section === -1 ? i + 1 : section
      continue
    }
    passText(i)
    if (tag.kind === 'close') {
      close(tag.name, i)
    } else {
      const child = { name: tag.name, raw: '', start: tag.end, children: [], mixed: false }
      top.children.push(child)
      if (tag.kind === 'open') {
        open.push(child)
        count(tag.name, 1)
        top = child
      }
    }
    i = tag.end
    from = i
  }
  passText(raw.length)
  while (open.length > 1) close(top.name, raw.length)
  return root
}
