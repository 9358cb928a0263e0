/**
 * Tags named after a tool: `<get_weather>`. Any HTML looks like them, so what follows decides, and what
 * the tool's schema says about it.
 */
import type { JsonSchema } from '../model.ts'
import { NEED_MORE, NO_MATCH } from '../protocol.ts'
import { foldName } from '../schema/spelling.ts'
import { skipSpace } from './characters.ts'
import { followedBy } from './follows.ts'
import type { Follows } from './marker.ts'
import { closes, endOfSection, tagAt } from './markup-tag.ts'
import { literally, oneOf, patternReader, sequence } from './pattern.ts'
import { mainTextParameter, plainSchema } from './plain-schema.ts'

/** How far it is looked to tell what a body is. */
export const BODY_WINDOW = 512

/** What stands between the tags, as its beginning tells. */
export interface Body {
  /** `empty`: the tag itself says that there is nothing. */
  readonly kind: 'elements' | 'empty' | 'yaml' | 'text'
  /** The first argument, if there is any. */
  readonly key?: string | undefined
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
  const declared = new Set(plainSchema(schema).keys.map(foldName))
  return {
    name,
    isClosed: declared.size > 0,
    declares: (key) => declared.has(foldName(key)),
    text: isCompound(name) ? mainTextParameter(schema) : undefined,
  }
}

/** `get_weather` and `getWeather` are names of tools; `code` and `b` may be anything. */
export function isCompound(name: string): boolean {
  return /[a-z\d][^a-z\d]/.test(name)
}

/** The name behind the first bracket, as far as it has arrived. */
export function nameIn(head: string): string {
  return /^<([^\s<>/]*)/.exec(head)?.[1] ?? ''
}

/** Whether these first characters can be a tag of one of the tools: its length, as for a marker. */
export function matchTag(text: string, names: ReadonlySet<string>, last: boolean): number {
  const name = nameIn(text)
  if (text.length === name.length + 1) {
    const mayBe = !last && [...names].some((one) => one.startsWith(name))
    return mayBe ? NEED_MORE : NO_MATCH
  }
  const tag = names.has(name) ? tagAt(text, 0, last) : undefined
  return tag === null ? NEED_MORE : (tag?.end ?? NO_MATCH)
}

/** What must follow the name of a tool that stands on a line of its own: the line of an argument. */
export const followsName: Follows = followedBy(
  sequence('[ \\t]{0,16}', ':?', '[ \\t]{0,16}', '\\r?', '\\n\\s{0,64}', '<', '[^/]'),
)

const QUOTED_KEY = sequence(`"${oneOf('[^"\\\\]', sequence('\\\\', '.'))}*`, '"')
const KEY = oneOf(QUOTED_KEY, sequence("'[^'\\n]*", "'"), '[\\w$.-]+')

/** `{`, or a key; before them the mark of a document, comments and a code fence. */
const YAML = patternReader(
  sequence(
    `(?:${sequence(oneOf(literally('---'), '#[^\\n]*', '`+\\w*'), '\\r?', '\\n\\s*')})*`,
    oneOf('\\{', sequence(`(?<key>${KEY})`, '[ \\t]*', ':', '\\s')),
  ),
)

/** What may become a comment or a `CDATA` section. */
const SECTION_BEGUN = /^<!?(?:-|\[[A-Z]*)?$/

/** What a body begins with. Undefined: nothing that a call could have. Null: not known yet. */
export function bodyAt(
  text: string,
  at: number,
  name: string,
  last: boolean,
): Body | undefined | null {
  if (text.startsWith('/>', at - 2)) return { kind: 'empty' }
  const i = skipSpace(text, at)
  if (i === text.length) return last ? undefined : null
  if (text.startsWith('<!--', i)) return bodyAt(text, endOfSection(text, i), name, last)
  if (text.charAt(i) === '<') return taggedBody(text, i, name, last)
  const whole = last ? `${text}\n` : text
  const found = YAML.read(whole, i, whole.length)
  if (found && !found.whole && !last) return null
  // A key in quotes that is longer than the window is a key as well.
  const isYaml = found && (found.whole || text.charAt(i) === '"')
  const key = found?.groups['key']?.replace(/^["']|["']$/g, '')
  return isYaml ? { kind: 'yaml', key } : { kind: 'text' }
}

function taggedBody(
  text: string,
  at: number,
  name: string,
  last: boolean,
): Body | undefined | null {
  const tag = tagAt(text, at, last)
  if (tag === null || (!last && SECTION_BEGUN.test(text.slice(at)))) return null
  if (!tag) return { kind: 'text' }
  if (tag.kind !== 'close') return { kind: 'elements', key: tag.name }
  return closes(tag, name) ? { kind: 'elements' } : undefined
}
