/** Finds where a raw value between tags ends, in text that arrives in pieces. */
import { NEED_MORE } from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { findAny } from './marker.ts'
import { CDATA_END, cdataAt } from './markup-tag.ts'
import { createSteps } from './steps.ts'
import type { Tag, TagAt } from './tag.ts'

/** Gets the value. */
interface ValueSink {
  text(piece: string): void
  /** What stands in `CDATA` counts as it is. */
  exactText(piece: string): void
}

export interface RawValue {
  /** Reads on; once it is over, returns the index of what ended it. */
  read(text: string, at: number, last: boolean): number
  readonly state: 'open' | 'over'
  /** The tag that ended it; undefined when the reply did. */
  readonly tag: Tag | undefined
  /** True when the value begins right behind its tag, not on a line of its own, and is not cut off there. */
  readonly inline: boolean
  /** True when it was written as `CDATA`. */
  readonly exact: boolean
  /** The last characters of it. */
  readonly tail: string
}

/**
 * True when a tag in a value ends it, with `before` on its line; undefined: more characters are needed to tell.
 */
export type EndsValue = (
  tag: Tag,
  before: string,
  text: string,
  last: boolean,
) => boolean | undefined

/** White space before `CDATA`, and characters before a tag on its line that are looked at. */
const START_WINDOW = 64
const BEFORE_WINDOW = 80
const TAIL_WINDOW = 64

export function createRawValue(
  tags: TagAt,
  sink: ValueSink | undefined,
  endsValue: EndsValue,
  /** True when one space behind the tag is no part of a value. */
  spaced = false,
): RawValue {
  const value = Object.assign(createSteps<'over'>(readStart), {
    tag: undefined as Tag | undefined,
    inline: false,
    exact: false,
    tail: '',
  })
  /** The end of what was read of the current line. */
  let line = ''

  function readStart(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at, at + START_WINDOW)
    const opened = cdataAt(text, i, text.length, false)
    if (opened === NEED_MORE && !last) return at
    const exact = opened > 0
    value.exact ||= exact
    value.inline = opened !== NEED_MORE && !text.slice(at, i).includes('\n')
    value.step = exact ? readCdata : readText
    if (exact) return i + opened
    return spaced && i === at + 1 && value.inline ? i : at
  }

  function readCdata(text: string, at: number, last: boolean): number {
    const { start, end } = findAny([CDATA_END], text, at, last)
    sink?.exactText(text.slice(at, start))
    if (end === start) return last ? over(end) : end
    // `]]>` in a value is written as two sections.
    value.step = readStart
    return end
  }

  function readText(text: string, at: number, last: boolean): number {
    for (let i = text.indexOf('<', at); i !== -1; i = text.indexOf('<', i + 1)) {
      const tag = tags(text, i, text.length, last)
      if (!tag) continue
      const ends = tag === NEED_MORE ? undefined : endsValue(tag, before(text, at, i), text, last)
      if (ends === false) continue
      take(text, at, i)
      return ends === undefined || tag === NEED_MORE ? i : over(i, tag)
    }
    take(text, at, text.length)
    return last ? over(text.length) : text.length
  }

  function take(text: string, at: number, end: number): void {
    if (end === at) return
    line = before(text, at, end)
    value.tail = (value.tail + text.slice(Math.max(at, end - TAIL_WINDOW), end)).slice(-TAIL_WINDOW)
    sink?.text(text.slice(at, end))
  }

  /** What stands before `i` on its line, as far as it matters. */
  function before(text: string, at: number, i: number): string {
    const near = text.slice(Math.max(at, i - BEFORE_WINDOW), i)
    const lineStart = near.lastIndexOf('\n') + 1
    return lineStart > 0 ? near.slice(lineStart) : (line + near).slice(-BEFORE_WINDOW)
  }

  function over(end: number, tag?: Tag): number {
    value.tag = tag
    value.state = 'over'
    return end
  }

  return value
}
