/** The name of a call that stands behind its tag. */
import { NEED_MORE, type ToolTable } from '../protocol.ts'
import type { TagWords } from './tag.ts'

/** Longest text in which a name is looked for. */
const WINDOW = 256
const IN_NAME = '[\\p{L}\\p{N}_.:/@-]'
const NAME = new RegExp(
  `^\\s*(?:<(\\w*name)>\\s*)?([\\p{L}_]${IN_NAME}{0,127})(?!${IN_NAME})\\s*(?:(<\\/\\s*\\w+\\s*>)|(?=<[^/]|[^\\s<]))`,
  'u',
)
const NAME_BEGUN = /^\s*(?:<\w*(?:>\s*)?)?[^\s<>]{0,128}\s*(?:<(?:\/\s*\w*\s*)?)?$/

/** A name behind a tag: as text, or in a tag of its own. Undefined: there is none. */
export function nameAt(
  { loose, calls }: TagWords,
  text: string,
  at: number,
  end: number,
  last: boolean,
): { readonly name: string; readonly end: number } | undefined | typeof NEED_MORE {
  const near = text.slice(at, Math.min(end, at + WINDOW))
  const [whole, child, name, closer = ''] = NAME.exec(near) ?? []
  if (whole !== undefined && name !== undefined) {
    // `<function>get_weather</function>` with the parameters behind it.
    const closes = child ?? (loose && calls.some((word) => closer.startsWith(`</${word}`)))
    return { name, end: at + whole.length - (closes ? 0 : closer.length) }
  }
  const begun = !last && near.length < WINDOW && NAME_BEGUN.test(near)
  return begun ? NEED_MORE : undefined
}

/** A name that is given twice, as namespace and as name, unless that is how a tool is called. */
export function ownName(name: string, tools: ToolTable): string {
  const half = name.slice(0, (name.length - 1) / 2)
  return name === `${half}.${half}` && !tools.find(name) ? half : name
}
