/**
 * Syntax factory: calls as JSON behind a marker, usually with a closing marker.
 *
 *     <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>
 */
import { checkList, checkObject } from '../caller-input.ts'
import type { Marker, Opener } from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { readCompleteCall } from './complete-call.ts'
import { type JsonFrame, readFrame } from './json-frame.ts'
import { marker } from './marker.ts'
import { ahead, either, literally, oneOf, patternReader, sequence } from './pattern.ts'

export interface JsonBlockOptions extends Pick<JsonFrame, 'keys' | 'none' | 'lists' | 'doubtful'> {
  /** The marker; a text is one by {@link jsonMarker}, with the first closer. */
  readonly open: string | Marker
  /** The closers; one other than the first is a repair. None: the JSON ends the block. */
  readonly close: readonly string[]
  /** What may also stand behind the JSON and goes with it, such as the end of a turn. */
  readonly ends?: readonly string[]
}

const SPACE = '\\s{0,64}'

/** What a tag may say beside its name and does not tell who is called. */
const ATTRIBUTE = sequence('\\s', either('id', 'type'), '=[^\\s>]{0,64}')

/** A marker with JSON behind it, or with nothing: what else follows makes it prose or another format. */
export function jsonMarker(open: string, close: string = open): Marker {
  const list = sequence('\\[', SPACE, '[{["\'\\]]')
  const behind = ahead(SPACE, oneOf(list, either('{', '```', open, close)))
  const tag = literally(open, { '>': sequence(`(?:${ATTRIBUTE}){0,3}`, '>') })
  return { ...marker(open), match: patternReader(sequence(tag, behind)).match }
}

export function jsonBlock(options: JsonBlockOptions): Opener {
  checkObject('options', options, "{ open: '<tool_call>', close: ['</tool_call>'] }")
  checkList('close', options.close, 'a list of closing markers')
  const { close, ends = [], keys, none, doubtful } = options
  const [closer = ''] = close
  const closers = [...close, ...ends]
  const open =
    typeof options.open === 'string' ? jsonMarker(options.open, closers[0]) : options.open
  const frame: JsonFrame = {
    ...options,
    open: open.match,
    close: closers.length > 0 ? patternReader(either(...closers)) : undefined,
    closer,
    stops: [open.prefix[0], ...closers.map((end) => end.charAt(0))].join(''),
    quoted: open.boundary === 'line',
    quick: !(closer === '' || keys || none || doubtful),
  }
  return {
    ...open,
    open: (context) => readFrame(frame, context),
    readComplete: (context, text, at) =>
      frame.quick ? readCompleteCall(context, text, skipSpace(text, at), closer, open.match) : -1,
  }
}
