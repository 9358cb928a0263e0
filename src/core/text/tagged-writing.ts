/** Writes calls with their parameters in tags, so that no value can be taken for markup. */
import { writeJson } from '../json/write.ts'
import type { Protocol } from '../protocol.ts'
import { CDATA, CDATA_END } from './markup-tag.ts'
import { tagsOf } from './tag.ts'
import type { TaggedCallSpec } from './tagged-reader.ts'
import { createTrimmed } from './trimmed.ts'

export interface TaggedStyle {
  /** `<function=name>` instead of `<function name="name">`. */
  readonly short?: boolean
  /** True when values stand on lines of their own. */
  readonly lines?: boolean
  /** True when each parameter says whether it is text. */
  readonly typed?: boolean
}

export function writeTagged(spec: TaggedCallSpec, style: TaggedStyle): Protocol['formatCall'] {
  const { sections, calls, parameters, trim } = spec
  const tags = tagsOf(spec)
  const namespace = spec.namespace === undefined ? '' : `｜${spec.namespace}｜`
  const [section, call = '', parameter = ''] = [sections[0], calls[0], parameters[0]]
  const margin = style.lines ? '\n' : ''

  const open = (word: string, name: string, more = '') =>
    `<${namespace}${word}${style.short ? `=${shortName(name)}` : ` name="${escapeName(name)}"`}${more}>`
  const close = (word: string) => `</${namespace}${word}>`

  function holdsTag(text: string): boolean {
    for (let i = text.indexOf('<'); i !== -1; i = text.indexOf('<', i + 1)) {
      if (tags(text, i, text.length, true)) return true
    }
    return false
  }

  /** True when the text can stand between the tags as it is. */
  function isPlain(text: string): boolean {
    const value = createTrimmed(trim)
    value.add(margin + text + margin)
    value.end()
    return value.whole() === text && !text.trimStart().startsWith(CDATA) && !holdsTag(text)
  }

  function writeValue(value: unknown): string {
    if (typeof value !== 'string') return writeJson(value).replaceAll('<', '\\u003c')
    return isPlain(value)
      ? value
      : CDATA + value.replaceAll(CDATA_END, `]]${CDATA_END}${CDATA}>`) + CDATA_END
  }

  function writeParameter(name: string, value: unknown): string {
    const type = style.typed ? ` string="${typeof value === 'string'}"` : ''
    return open(parameter, name, type) + margin + writeValue(value) + margin + close(parameter)
  }

  return ({ name, arguments: args }) => {
    const lines = Object.entries(args).map(([key, value]) => writeParameter(key, value))
    lines.unshift(open(call, name))
    lines.push(close(call))
    if (section === undefined) return lines.join('\n')
    return [`<${namespace}${section}>`, ...lines, close(section)].join('\n')
  }
}

function shortName(name: string): string {
  return /^[^\s"'<>/&]+$/.test(name) ? name : `"${escapeName(name)}"`
}

function escapeName(name: string): string {
  return name.replace(/[&"<>\n]/g, (character) => `&#${character.charCodeAt(0)};`)
}
