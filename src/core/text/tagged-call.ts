/**
 * Syntax factory: calls and their parameters in tags, the values as raw text between them.
 *
 *     <tool_call>
 *     <function=get_weather>
 *     <parameter=city>
 *     Oslo
 *     </parameter>
 *     </function>
 *     </tool_call>
 *
 * The names may also be attributes, as in `<invoke name="get_weather">`. Any closing tag may be
 * missing: a value also ends before the next parameter, a call before the next call, and both where
 * what encloses them ends.
 */
import { NEED_MORE, NO_MATCH, type Opener, type ToolTable } from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { type Head, type MatchTag, readHead, type Tag, tagsOf } from './tag.ts'
import { nameInSection, readTagged, type TaggedCallSpec } from './tagged-reader.ts'

/** A section that holds a call or nothing, or a call alone. */
export function taggedCall(spec: TaggedCallSpec, tools: ToolTable): Opener {
  const tags = tagsOf(spec)
  const words = spec.bare ? [...spec.sections, ...spec.calls] : spec.sections
  return {
    prefix: spec.namespace === undefined ? prefixOf(words) : ['<', '｜|'],
    match: (text, at, end, last) => matchOpener(spec, tags, tools, text, at, end, last),
    keep: true,
    // Formats that share the tag around the calls do not all look behind it.
    priority: 1,
    open: (context) => readTagged(spec, context),
  }
}

/** The characters with which one of the tags can begin, place by place. */
function prefixOf(words: readonly string[]): string[] {
  const length = Math.min(6, ...words.map((word) => word.length))
  const places = Array.from({ length }, (_, at) => words.map((word) => word.charAt(at)))
  return ['<', ...places.map((characters) => [...new Set(characters)].join(''))]
}

function matchOpener(
  spec: TaggedCallSpec,
  tags: MatchTag,
  tools: ToolTable,
  text: string,
  at: number,
  end: number,
  last: boolean,
): number {
  const tag = tags(text, at, end, last)
  if (tag === NEED_MORE) return NEED_MORE
  if (!tag || tag.closing || tag.cut || tag.kind === 'parameter') return NO_MATCH
  const head = readHead(text, tag.end, end, last)
  if (head === NEED_MORE) return NEED_MORE
  if (!head || !isOpening(spec, tools, tag, head)) return NO_MATCH
  const i = skipSpace(text, head.end, end)
  if (i === end && !last) return NEED_MORE
  const next = text.charAt(i) === '<' ? tags(text, i, end, last) : undefined
  if (next === NEED_MORE) return NEED_MORE
  // Where it is quoted, what follows is quoted with it.
  const length = Math.min(i + 1, end) - at
  if (opens(spec, tools, tag, head, next, text.charAt(i))) return length
  if (!spec.loose || !tools.known || tag.kind !== 'section') return NO_MATCH
  const named = nameInSection(text.slice(i, end), head.name)
  if (!named) return last ? NO_MATCH : NEED_MORE
  return tools.find(named.name) ? length : NO_MATCH
}

/** What the tag alone must be. */
function isOpening(
  { bare, loose }: TaggedCallSpec,
  tools: ToolTable,
  { kind }: Tag,
  { name, short, attributes }: Head,
): boolean {
  const { size } = attributes
  if (kind === 'section') return size === 0 || (loose === true && size === 1 && name !== undefined)
  if (name === undefined || short !== (bare === 'short')) return false
  return bare !== undefined && tools.find(name) !== undefined
}

/** What must follow: a call in a section, or its end; in a call a parameter, or its end. */
function opens(
  { namespace }: TaggedCallSpec,
  tools: ToolTable,
  { kind }: Tag,
  { selfClosing }: Head,
  next: Tag | undefined,
  character: string,
): boolean {
  if (kind === 'section') return next?.kind === (next?.closing ? 'section' : 'call')
  if (selfClosing) return tools.known
  if (!next || next.cut) return namespace !== undefined && character === '{'
  return next.closing ? tools.known : next.kind === 'parameter'
}
