/** Writes calls with their parameters in tags, so that no value can be taken for markup. */
import type { JsonValue } from '../json/value.ts'
import { writeJsonInTags } from '../json/write.ts'
import type { CallPlace, Protocol } from '../protocol.ts'
import { createEscapedText } from './escaped-text.ts'
import { CDATA, inCdata } from './markup-tag.ts'
import { closerOf, tagsOf } from './tag.ts'
import type { TaggedCallSpec } from './tagged-spec.ts'
import { createTrimmed } from './trimmed.ts'

export interface TaggedLayout {
  /** What stands between tags and values; empty by default. */
  readonly margin?: string
  /** One parameter; `text` is its value as it must be written. */
  parameter(key: string, text: string, value: JsonValue): string
  /** A call with its parameters. */
  call(name: string, parameters: readonly string[], place?: CallPlace): string
}

export function writeTagged(spec: TaggedCallSpec, layout: TaggedLayout): Protocol['formatCall'] {
  const tags = tagsOf(spec)
  const { margin = '' } = layout

  function holdsTag(text: string): boolean {
    for (let i = text.indexOf('<'); i !== -1; i = text.indexOf('<', i + 1)) {
      if (tags(text, i, text.length, true)) return true
    }
    return false
  }

  /** What would be read of it. */
  function unescaped(text: string): string {
    const escapes = createEscapedText()
    return spec.escaped ? escapes.add(text) + escapes.end() : text
  }

  /** True when the text can stand between the tags as it is. */
  function isPlain(text: string): boolean {
    const value = createTrimmed(spec.trim)
    value.add(margin + unescaped(text) + margin)
    value.end()
    return value.whole() === text && !text.trimStart().startsWith(CDATA) && !holdsTag(text)
  }

  function writeValue(value: JsonValue): string {
    if (typeof value !== 'string') return writeJsonInTags(value)
    return isPlain(value) ? value : inCdata(value)
  }

  return ({ name, arguments: args }, place) =>
    layout.call(
      name,
      Object.entries(args).map(([key, value]) =>
        layout.parameter(key, margin + writeValue(value) + margin, value),
      ),
      place,
    )
}

export interface TaggedStyle {
  /** `<function=name>` instead of `<function name="name">`. */
  readonly short?: boolean
  /** True when values stand on lines of their own. */
  readonly lines?: boolean
  /** True when each parameter says whether it is text. */
  readonly typed?: boolean
}

/** Tags that carry the names, each on a line of its own. */
export function linesOf(spec: TaggedCallSpec, style: TaggedStyle): TaggedLayout {
  const { sections, calls, parameters } = spec
  const [section, call = '', parameter = ''] = [sections[0], calls[0], parameters[0]]
  const close = (word: string) => closerOf(spec, word)
  const open = (word: string, given = '') => close(word).replace('/', '').replace('>', `${given}>`)
  const named = (name: string) =>
    style.short ? `=${shortName(name)}` : ` name="${escapeName(name)}"`
  return {
    margin: style.lines ? '\n' : '',
    parameter(key, text, value) {
      const type = style.typed ? ` string="${typeof value === 'string'}"` : ''
      return open(parameter, named(key) + type) + text + close(parameter)
    },
    call(name, lines) {
      const written = [open(call, named(name)), ...lines, close(call)]
      const whole = section === undefined ? written : [open(section), ...written, close(section)]
      return whole.join('\n')
    },
  }
}

function shortName(name: string): string {
  return /^[^\s"'<>/&]+$/.test(name) ? name : `"${escapeName(name)}"`
}

/** A name as it stands between quotes. */
export function escapeName(name: string, what: RegExp = /[&"<>\n]/g): string {
  return name.replace(what, (character) => `&#${character.charCodeAt(0)};`)
}
