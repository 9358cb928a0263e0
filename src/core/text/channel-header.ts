/**
 * Headers of messages that go to somebody, on a channel: who is meant, and what kind of message it is.
 *
 *     <|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>
 *     <|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>
 *     <|channel|>final<|message|>
 */
import { type Marker, NEED_MORE, NO_MATCH } from '../protocol.ts'
import { literal } from './marker.ts'
import type { Groups } from './named-json.ts'
import { literally, optional, type Pattern, patternReader, sequence } from './pattern.ts'

const START = literally('<|start|>')
export const CHANNEL: Pattern = literally('<|channel|>')
const SPACE = '\\s{0,2}'

const recipient = (group: string): Pattern =>
  sequence(SPACE, literally('to='), `(?<${group}>[^\\s<{"]{1,100})`)

/** What the body is written in. */
const CONTENT: Pattern = sequence(SPACE, optional(literally('<|constrain|>')), '\\w{0,16}', SPACE)

/** Some headers name two channels: the last one counts. */
export const HEADER: Pattern = sequence(
  optional(START, '(?<role>[\\w.-]{0,64})'),
  optional(recipient('to')),
  `(?:${sequence(CHANNEL, '(?<channel>[a-z]{1,16})', optional(recipient('channelTo')))}){0,2}`,
  CONTENT,
  literally('<|message|>'),
)

type Kind = 'call' | 'reasoning' | 'result' | 'text'

/** Shorter than any of its tokens: less of a header at the end of a reply is text. */
const SHORTEST = '<|start|>'.length

const reader = patternReader(HEADER)

/** The headers of one kind that begin like this. */
export function headers(kind: Kind, beginning: string): Marker {
  return {
    prefix: [...beginning.slice(0, 6)],
    match(text, at, end, last) {
      const found = reader.read(text, at, end)
      if (!found) return NO_MATCH
      if (!found.whole && !last) return NEED_MORE
      // Without a token of its own, half a header is `to=` and a word.
      const counts = found.whole || (beginning.startsWith('<') && found.length >= SHORTEST)
      return counts && kindOf(found.groups) === kind ? found.length : NO_MATCH
    },
  }
}

/** A token that begins no header. */
export function loneToken(token: string): Marker {
  const matchToken = literal(token)
  return {
    prefix: [...token.slice(0, 6)],
    match(text, at, end, last) {
      const found = reader.read(text, at, end)
      if (!found) return matchToken(text, at, end, last)
      return found.whole || last ? NO_MATCH : NEED_MORE
    },
  }
}

function kindOf(groups: Groups): Kind {
  if (groups['role']?.startsWith('functions.')) return 'result'
  if (recipientOf(groups) !== undefined) return 'call'
  return groups['channel'] === 'analysis' ? 'reasoning' : 'text'
}

/** Whom the message is for, unless it stays with the model. */
export function recipientOf({ to, channelTo = to }: Groups): string | undefined {
  return channelTo === 'assistant' ? undefined : channelTo?.replace(/^functions\./, '')
}
