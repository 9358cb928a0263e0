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
 * The names may also be attributes, as in `<invoke name="get_weather">`, or stand behind the tag of the
 * call and in tags of their own:
 *
 *     <tool_call>get_weather
 *     <arg_key>city</arg_key>
 *     <arg_value>Oslo</arg_value>
 *     </tool_call>
 *
 * Any closing tag may be missing: a value also ends before the next parameter, a call before the next
 * call, and both where what encloses them ends.
 */
import { NEED_MORE, NO_MATCH, type Opener, type ToolTable } from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { type Follows, startMarker } from './marker.ts'
import { isNameless, isOuter, type Tag, tagPrefix, tagsOf } from './tag.ts'
import { nameAt } from './tagged-name.ts'
import { readTagged } from './tagged-reader.ts'
import type { TaggedCallSpec } from './tagged-spec.ts'

/** A section that holds a call or nothing, or a call alone. */
export function taggedCall(spec: TaggedCallSpec, tools: ToolTable): Opener {
  const { sections, calls, bare, keys, marks } = spec
  return {
    prefix: marks?.lead
      ? ['<', marks.lead, ...(marks.follows ?? [])]
      : tagPrefix(bare || keys ? [...sections, ...calls] : sections),
    match(text, at, end, last) {
      if (isOtherFormat(text, at)) return NO_MATCH
      const place = { spec, tools, text, end, last }
      const tag = tagsOf(spec)(text, at, end, last)
      if (tag === NEED_MORE) return NEED_MORE
      if (!tag || tag.closing || !isOuter(tag)) return NO_MATCH
      // Half a tag that names nothing says too little to begin a call.
      if (!tag.cut && tag.name === undefined && !spec.marks && text.charAt(tag.end - 1) !== '>') {
        return NO_MATCH
      }
      const next = tagBehind(place, tag.end)
      const opens = tag.cut ? spec.tokens && tag.kind === 'call' : opensCall(place, tag, next)
      if (opens === undefined && !last) return NEED_MORE
      // Where it is quoted, what follows is quoted with it.
      return opens ? Math.min(next.at + 1, end) - at : NO_MATCH
    },
    keep: true,
    // Formats that share the tag around the calls do not all look behind it.
    priority: 1,
    open: (context) => readTagged(spec, context),
  }
}

/** Calls at the beginning of a reply that lost its tag: a name, and a key or the end behind it. */
export function bareNames(spec: TaggedCallSpec, { names }: ToolTable): Opener[] {
  const isCall: Follows = (text, at, end, last) => {
    const tag = tagsOf(spec)(text, skipSpace(text, at, end), end, last)
    return tag === NEED_MORE ? undefined : tag !== undefined && isNameless(tag)
  }
  return names.map((name) => ({
    ...startMarker(name, isCall),
    keep: true,
    open: (context) => readTagged(spec, context, spec.calls[0]),
  }))
}

const JSON_BEHIND = /<\w{1,32}>\s{0,32}[{[]/y

/** JSON behind a plain tag: the most common format of all, seen before anything else is tried. */
function isOtherFormat(text: string, at: number): boolean {
  JSON_BEHIND.lastIndex = at
  return JSON_BEHIND.test(text)
}

/** What is looked at, and for what. */
interface Place {
  readonly spec: TaggedCallSpec
  readonly tools: ToolTable
  readonly text: string
  readonly end: number
  readonly last: boolean
  /** True behind one tag that opens a call or a section: it may be doubled, but not more. */
  readonly isInner?: boolean
}

interface Next {
  readonly at: number
  readonly tag: Tag | undefined | typeof NEED_MORE
}

/** What stands behind white space and separators. */
function tagBehind(place: Place, from: number): Next {
  const { spec, text, end, last } = place
  const at = skipSpace(text, from, end)
  const tag = tagsOf(spec)(text, at, end, last)
  const separates = tag && tag !== NEED_MORE && tag.kind === 'separator'
  return separates ? tagBehind(place, tag.end) : { at, tag }
}

/** Whether a call begins with this tag. Undefined: more characters are needed to tell. */
function opensCall(place: Place, tag: Tag, next: Next): boolean | undefined {
  const { spec, tools, text } = place
  const { name } = tag
  if (next.tag === NEED_MORE) return undefined
  if (tag.kind === 'section') return opensSection(place, tag, next.at, next.tag)
  if (name === undefined) return opensNamed(place, tag, next.tag)
  if (spec.tokens) return true
  if (tag.short !== (spec.bare === 'short') || !spec.bare) return false
  const marked = spec.bare === 'marked'
  if (!marked && !tools.find(name)) return false
  // Without parameters nothing else tells that it is a call.
  const counts = marked || tools.known
  if (tag.selfClosing) return counts
  if (!next.tag && counts && text.charAt(next.at) === '{') return true
  if (!next.tag && (marked || !spec.group || !tools.known)) return false
  if (!next.tag) return beginsTag(text.slice(next.at, place.end))
  return next.tag.closing ? counts : !isOuter(next.tag)
}

/** A section must hold a call or nothing, or be a call itself. */
function opensSection(
  place: Place,
  { name, end, selfClosing = false }: Tag,
  at: number,
  next: Tag | undefined,
): boolean | undefined {
  const { spec, tools, text, last } = place
  if (name === undefined && next && isOuter(next) && !(next.closing && next.kind === 'call')) {
    // The tag may be written twice.
    const sure = next.kind === 'call' ? !spec.keys || next.cut : next.closing
    return sure || opensInner(place, next)
  }
  // What stands behind a tag that is closed is not in it.
  if (!spec.loose || selfClosing || !(tools.known || text.startsWith('<', at))) return false
  const named = name === undefined ? nameAt(spec, text, end, place.end, last) : { name, end: at }
  if (named === NEED_MORE) return undefined
  if (!named || !tools.find(named.name)) return false
  if (!tools.known) {
    // Any name will do, but for one among words: only a parameter tells.
    const { tag } = tagBehind(place, named.end)
    return tag === NEED_MORE ? undefined : tag?.kind === 'parameter' && !tag.closing
  }
  return beginsTag(text.slice(skipSpace(text, named.end, place.end), place.end))
}

function opensInner(place: Place, tag: Tag): boolean | undefined {
  return !place.isInner && opensCall({ ...place, isInner: true }, tag, tagBehind(place, tag.end))
}

/** Not those of other formats in the same section. */
const OWN_TAG = /^<(?!arg_|tool_)[a-z][\w.-]*[\s=>]/i

function beginsTag(rest: string): boolean | undefined {
  return OWN_TAG.test(rest) || (/^(?:<[\w.-]*)?$/.test(rest) ? undefined : false)
}

/** A call with its name behind the tag, and what comes behind a name. */
function opensNamed(place: Place, tag: Tag, next: Tag | undefined): boolean | undefined {
  const { spec, tools, text, end, last } = place
  if (!spec.keys) return false
  const isMain = tag.word === spec.calls[0]
  if (next?.kind === 'call' && !next.closing) return opensInner(place, next)
  if (next) return isMain && isNameless(next)
  const named = nameAt(spec, text, tag.end, end, last)
  if (named === NEED_MORE) return undefined
  if (!named) return last && isMain && beginsName(tools, text.slice(tag.end, end).trim())
  const { at, tag: follows } = tagBehind(place, named.end)
  if (follows === NEED_MORE) return undefined
  if (follows?.kind === 'key' && !follows.closing) return true
  if (!isMain) return false
  if (at === end && last) return beginsName(tools, named.name)
  if (!follows) return holdsArguments(place, at)
  if (!isOuter(follows)) return false
  // A tag that separates stands behind nothing but names.
  const separated = text.slice(named.end, at).includes('<')
  return separated || ((follows.closing || tools.known) && !!tools.find(named.name))
}

function beginsName(tools: ToolTable, name: string): boolean {
  return name !== '' && tools.names.some((known) => known.startsWith(name))
}

/** A JSON object, or a key of which the opening tag is missing. */
function holdsArguments({ spec, text, end, last }: Place, at: number): boolean | undefined {
  const rest = text.slice(at, end)
  if (/^\{\s*$/.test(rest)) return undefined
  if (/^\{\s*["'}]/.test(rest)) return true
  const [key = ''] = /^[^\s<>]{1,64}/.exec(rest) ?? []
  const tag = tagsOf(spec)(text, at + key.length, end, last)
  return tag === NEED_MORE ? undefined : tag?.kind === 'key' && tag.closing
}
