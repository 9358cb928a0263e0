/**
 * The common case first: a call that is complete and in valid JSON, whose closer is already there. It
 * is read by `JSON.parse`; everything else goes to the reader, which finds the same in this case.
 */
import { isSpace } from '../json/codes.ts'
import { isWithinDepth } from '../json/depth.ts'
import { parseObject } from '../json/strict.ts'
import { type Marker, NO_MATCH, type ReadContext } from '../protocol.ts'
import { Call } from './call.ts'

/** Name first, then arguments, and nothing else: anything more needs a closer look. */
const HEAD =
  /\{\s{0,8}"name"\s{0,8}:\s{0,8}"([^"\\]{1,128})"\s{0,8},\s{0,8}"(?:arguments|parameters|args)"\s{0,8}:\s{0,8}(?=\{)/y

const OTHER_SPACE = /[^\S \n\r\t]/

/** The name of the call at `at`, once its arguments begin. */
export function callName(text: string, at: number): string | undefined {
  HEAD.lastIndex = at
  return HEAD.exec(text)?.[1]?.trim() || undefined
}

/** Ends the call at `at` if it is complete. The index behind its closer, or -1. */
export function readCompleteCall(
  context: ReadContext,
  text: string,
  at: number,
  close: string,
  isOpener: Marker['match'],
  begun?: Call,
): number {
  const name = callName(text, at)
  if (name === undefined) return -1
  const start = HEAD.lastIndex
  const closer = context.find(text, close, start)
  const last = lastVisible(text, closer)
  // What looks like the closer may be the next opener.
  if (text.charAt(last) !== '}' || isOpener(text, closer, text.length, false) !== NO_MATCH)
    return -1
  const json = text.slice(start, lastVisible(text, last) + 1)
  // Blanks that JSON does not have are for the reader to tell; behind the arguments they are no JSON.
  if (OTHER_SPACE.test(text.slice(at, start))) return -1
  const value = parseObject(json)
  const { maxDepth } = context.limits
  // Each level takes two characters and the envelope is one more, so short ones cannot be too deep.
  if (!value || (json.length >= 2 * maxDepth && !isWithinDepth(value, maxDepth - 1))) return -1
  const end = closer + close.length
  const call = begun ?? new Call(context, name)
  // Told directly, since this is where most calls end.
  if (!call.draft) return call.end({ json, end })
  call.draft.end({ json, value, repairs: [], end })
  return end
}

/** Before the blanks that stand before `end`. */
function lastVisible(text: string, end: number): number {
  let i = end - 1
  while (isSpace(text.charCodeAt(i))) i--
  return i
}
