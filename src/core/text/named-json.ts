/**
 * Syntax factory: a name between markers, then the arguments as JSON.
 *
 *     <|tool_call:name|>get_weather<|tool_call:args|>{"city": "Oslo"}<|tool_call:end|>
 *
 * All that stands before the arguments is one pattern. A call ends with its closer, the end of its
 * section, the opener of the next one, or with its JSON where the format has no closer.
 */
import { writeJson } from '../json/write.ts'
import type { JsonSchema } from '../model.ts'
import {
  NEED_MORE,
  NO_MATCH,
  type Opener,
  type Protocol,
  type Search,
  type ToolTable,
} from '../protocol.ts'
import { createJsonCalls } from './json-calls.ts'
import { type JsonFrame, type ReadWords, readFrame } from './json-frame.ts'
import { startMarker } from './marker.ts'
import {
  ahead,
  type Pattern,
  type PatternReader,
  patternReader,
  SPACE,
  sequence,
} from './pattern.ts'
import { findFittingTool, plainSchema, soleTextParameter } from './plain-schema.ts'

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

/** A key that no text has in it: its quote would have ended the text, or be escaped. */
const KEY = sequence('"', '\\w')

/** Ends JSON before the head of a call that stands in no text, not even in one that was left open. */
function upTo(next: PatternReader, stop: string): JsonFrame['reader'] {
  const [findNext, findLast] = [createSearch(false), createSearch(true)]

  /** For the place where the next call begins, or may begin. */
  function createSearch(last: boolean): Search {
    return (text, at) => {
      let i = text.indexOf(stop, at)
      while (i !== -1 && argumentsAt(text, i, last) === NO_MATCH) i = text.indexOf(stop, i + 1)
      return i
    }
  }

  /** Where the arguments begin of the call that stands at `i`. */
  function argumentsAt(text: string, i: number, last: boolean): number {
    const found = next.read(text, i, text.length)
    if (!found?.whole) return found && !last ? NEED_MORE : NO_MATCH
    const end = text.lastIndexOf('{', i + found.length)
    // Behind a quote the text may have ended.
    return text.slice(i, end).includes('"') ? NO_MATCH : end
  }

  return (context, options) => {
    const { reader, unfinished } = createJsonCalls(context, options)
    const limited = {
      status: reader.status,
      failure: reader.failure,
      read(text: string, at: number, last: boolean): number {
        const found = context.find(text, last ? findLast : findNext, at)
        const start = found === -1 ? text.length : found
        const end = Math.max(start, argumentsAt(text, start, last))
        const isNext = end > start
        const read = reader.read(text.slice(0, end), at, isNext || last)
        limited.failure = reader.failure
        limited.status = isNext && reader.status === 'open' ? 'failed' : reader.status
        return Math.min(start, read)
      },
    }
    return { reader: limited, unfinished }
  }
}

type NamedOpener = Pick<Opener, 'keep' | 'match' | 'open'>

export function namedJson(options: NamedJsonOptions): NamedOpener {
  const {
    header,
    open,
    cut = Number.POSITIVE_INFINITY,
    close,
    tail,
    identify,
    stops = '<',
  } = options
  const head = patternReader(header)
  const frame: JsonFrame = {
    readWords: soleText,
    findTool: findFittingTool,
    ...options,
    stops,
    head,
    open: patternReader(open).match,
    close: close === undefined ? undefined : patternReader(close),
    tail: tail === undefined ? undefined : patternReader(tail),
    reader: options.chained
      ? upTo(patternReader(sequence(header, SPACE, '\\{', SPACE, KEY)), stops)
      : undefined,
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
  if (key === undefined || isBroken(words, schema)) return undefined
  return { json: writeJson({ [key]: words }), repairs: [] }
}

/** Where a brace, a fence or a tag was lost before them, the arguments begin with a key of theirs. */
const BROKEN_JSON = /^\W{0,16}(?:json)?\W{0,8}"(?<key>[\w-]{1,64})"\s{0,8}:/
const BROKEN_TAGS =
  /^\s{0,16}<[^"]{0,64}(?:"[^"]{0,64}"[^"]{0,64}){0,2}\bname="(?<key>[\w-]{1,64})"/

/** True for words that are no text of the model's, but all of its arguments with their beginning damaged. */
function isBroken(words: string, schema: JsonSchema | undefined): boolean {
  const { keys } = plainSchema(schema)
  return [BROKEN_JSON, BROKEN_TAGS].some((pattern) => {
    const key = pattern.exec(words)?.groups?.['key']
    return key !== undefined && keys.includes(key)
  })
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

/** A text, or how it follows from the call, which may have an id to be written. */
type NamedCallText = string | Protocol['formatCall']

/** Writes a call: its name between the first two texts, its arguments between the last two. */
export function writeNamedCall(
  open: NamedCallText,
  middle: NamedCallText,
  close: string,
): Protocol['formatCall'] {
  return (call, place) => {
    const write = (text: NamedCallText) => (typeof text === 'string' ? text : text(call, place))
    return write(open) + call.name + write(middle) + writeJson(call.arguments) + close
  }
}

/** An id that can be written between tokens, or nothing. */
export function plainId(id: string | undefined): string {
  return id !== undefined && /^\w{1,64}$/.test(id) ? id : ''
}
