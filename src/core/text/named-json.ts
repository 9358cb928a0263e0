/**
 * Syntax factory: a name between markers, then the arguments as JSON.
 *
 *     <|tool_call:name|>get_weather<|tool_call:args|>{"city": "Oslo"}<|tool_call:end|>
 *
 * All that stands before the arguments is one pattern. A call ends with its closer, the end of its
 * section, the opener of the next one, or with its JSON where the format has no closer.
 */
import { writeJson } from '../json/write.ts'
import { NEED_MORE, NO_MATCH, type Opener, type Protocol, type ToolTable } from '../protocol.ts'
import { type JsonFrame, type ReadWords, readFrame } from './json-frame.ts'
import { startMarker } from './marker.ts'
import { ahead, type Pattern, patternReader, SPACE } from './pattern.ts'
import { findFittingTool, soleTextParameter } from './plain-schema.ts'

export type { Groups } from './json-frame.ts'

export interface NamedJsonOptions
  extends Pick<JsonFrame, 'closer' | 'chained' | 'fenced' | 'plain' | 'readWords' | 'identify'>,
    Partial<Pick<JsonFrame, 'stops'>> {
  /** All up to the arguments, with the groups `name` and `id`, or those that `identify` knows. */
  readonly header: Pattern
  /** What a header begins with: a call that was not closed ends there. */
  readonly open: Pattern
  /** From this length on a header in which the reply ends is a call cut off, and no text. */
  readonly cut?: number
  /** What ends a call; without it, the JSON does. */
  readonly close?: Pattern
  /** What may stand behind the closer and goes with it, such as the end of a section. */
  readonly tail?: Pattern
}

/** A name: no white space, no brackets, no markers. */
export const NAME: Pattern = '(?<name>[^\\s<>[\\]{}"`]{1,128})'

/** What an object begins with, when nothing else says that one is meant. */
export const OBJECT: Pattern = ahead('\\{', SPACE, '["}]')

type NamedOpener = Pick<Opener, 'keep' | 'match' | 'open'>

export function namedJson(options: NamedJsonOptions): NamedOpener {
  const { header, open, cut = Number.POSITIVE_INFINITY, close, tail, identify } = options
  const head = patternReader(header)
  const frame: JsonFrame = {
    stops: '<',
    readWords: soleText,
    findTool: findFittingTool,
    ...options,
    head,
    open: patternReader(open).match,
    close: close === undefined ? undefined : patternReader(close),
    tail: tail === undefined ? undefined : patternReader(tail),
  }
  return {
    keep: true,
    match(text, at, end, last) {
      const found = head.read(text, at, end)
      if (!found) return NO_MATCH
      if (!found.whole && !last) return NEED_MORE
      const counts = found.whole || found.length >= cut
      return counts && (!identify || identify(found.groups)) ? found.length : NO_MATCH
    },
    open: (context) => readFrame(frame, context),
  }
}

/** Plain text is the argument of a tool that takes a text and nothing else. */
const soleText: ReadWords = (words, schema) => {
  const key = soleTextParameter(schema)
  return key === undefined ? undefined : { json: writeJson({ [key]: words }), repairs: [] }
}

/**
 * Openers for a reply of which the tokens before the name are lost, as happens where a server leaves
 * all special tokens out: it begins with the name of a tool, maybe behind a word.
 */
export function withoutTokens(
  options: NamedJsonOptions,
  { names }: ToolTable,
  word = '',
): Opener[] {
  const { identify = ({ name }) => ({ name }) } = options
  const call = namedJson({
    ...options,
    identify(groups) {
      const identity = identify(groups)
      return names.includes(identity?.name ?? '') ? identity : undefined
    },
  })
  return names.map((name) => ({ ...startMarker(word + name), ...call }))
}

/** Writes a call: its name between the first two texts, its arguments between the last two. */
export function writeNamedCall(
  open: string,
  middle: string,
  close: string,
): Protocol['formatCall'] {
  return ({ name, arguments: args }) => open + name + middle + writeJson(args) + close
}
