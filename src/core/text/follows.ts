/** What must stand behind a marker, as a pattern. */
import { NEED_MORE } from '../protocol.ts'
import type { Follows } from './marker.ts'
import { type Pattern, patternReader } from './pattern.ts'

export function followedBy(pattern: Pattern): Follows {
  const { match } = patternReader(pattern)
  return (text, at, end, last) => {
    const length = match(text, at, end, last)
    return length === NEED_MORE ? undefined : length > 0
  }
}
