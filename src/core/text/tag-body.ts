/** Keeps text as it is written, up to the tag that ends it. */
import { type Tag, tagAt } from './markup-tag.ts'
import { createSteps } from './steps.ts'

export interface TagBody {
  read(text: string, at: number, last: boolean): number
  /** `closed`: behind the tag. `left`: before it. `cut`: the reply or the limit ended the text. */
  readonly state: 'open' | BodyEnd | 'cut'
  /** True when the reply ends inside the text: not even the closing tag of `name` has begun. */
  isCut(name: string): boolean
  text(): string
}

type BodyEnd = 'closed' | 'left'

export function createTagBody(
  /** What a tag means; `startsLine` says whether a line begins with it. */
  endsWith: (tag: Tag, startsLine: boolean) => BodyEnd | undefined,
  /** Longest text. */
  limit: number = Number.POSITIVE_INFINITY,
): TagBody {
  const pieces: string[] = []
  let left = limit
  /** The half of a closing tag with which the reply ends. */
  let half = ''
  const body = Object.assign(createSteps<BodyEnd | 'cut'>(readOn), {
    text: () => pieces.join(''),
    isCut: (name: string) =>
      body.state === 'cut' && !(half.length > 2 && `</${name}>`.startsWith(half)),
  })

  function readOn(whole: string, at: number, isLast: boolean): number {
    const isFull = whole.length >= at + left
    const text = isFull ? whole.slice(0, at + left) : whole
    const last = isLast || isFull
    const bracket = text.indexOf('<', at)
    const next = bracket === -1 ? text.length : bracket
    keep(text.slice(at, next))
    const tag = tagAt(text, next, last)
    if (tag === null) return next
    // Half a closing tag at the very end is no part of the text.
    const isCut = '</'.startsWith(text.slice(next, next + 2))
    if (!tag && isCut && tagAt(text, next, false) === null) {
      half = text.slice(next)
      return body.leave('cut', text.length)
    }
    const found = tag && endsWith(tag, pieces.at(-1)?.endsWith('\n') ?? true)
    if (found) return body.leave(found, found === 'closed' ? tag.end : next)
    keep('<')
    return next + 1
  }

  function keep(piece: string): void {
    if (piece !== '') pieces.push(piece)
    left -= piece.length
  }

  return body
}
