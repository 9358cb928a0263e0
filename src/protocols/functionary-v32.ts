/**
 * Functionary 3.2: every part of a reply goes to somebody, text to `all`.
 *
 *     >>>all
 *     One moment.>>>get_weather
 *     {"city": "Oslo"}
 *
 * @see https://github.com/MeetKai/functionary
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { onLineBefore } from '../core/text/followed-calls.ts'
import { passOver, startMarker } from '../core/text/marker.ts'
import { NAME, namedJson, withoutTokens, writeNamedCall } from '../core/text/named-json.ts'
import { literally, SPACE, sequence } from '../core/text/pattern.ts'

const OPEN = '>>>'
const TEXT = '>>>all\n'
/** What stands behind the name. */
const REST = sequence('[ \\t\\r]{0,8}', '\\n', SPACE, '(?=\\{)')

const rest = { open: literally(OPEN), stops: '>' }

const OPENERS = [
  { prefix: [...OPEN], ...namedJson({ ...rest, header: sequence(literally(OPEN), NAME, REST) }) },
]

/** The prompt may end with the first marker: then the name of a tool begins the reply. */
const UNMARKED = { ...rest, header: sequence(NAME, REST) }

/** The same before text; any reply may begin with that word, unless it is known to be of this format. */
const FIRST = [{ ...startMarker('all\n'), open: passOver }]

export const functionaryV32: Protocol<'functionary-v32'> = {
  id: 'functionary-v32',
  emitters: 'Functionary Small v3.2, Functionary Medium v3.2',
  openers: (tools, isOnly) => [
    ...OPENERS,
    ...withoutTokens(UNMARKED, tools).map(onLineBefore(OPEN)),
    ...(isOnly ? FIRST : []),
  ],
  tokens: [TEXT, '<|eom_id|>', '<|eot_id|>'],
  ...writing(writeNamedCall(OPEN, '\n', '')),
}
