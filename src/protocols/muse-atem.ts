/**
 * Muse: messages with headers; those to a tool hold calls in tags, those to `self` are reasoning.
 *
 *      to=self<|message|>I need the weather.<|eom|><|start|>assistant to=get_weather<|message|>
 *     <atem:function_calls>
 *     <atem:invoke name="get_weather">
 *     <atem:parameter name="city">Oslo</atem:parameter>
 *     </atem:invoke>
 *     </atem:function_calls><|eom|><|start|>assistant to=user<|message|>It is warm.<|eot|>
 *
 * The first header stands in the prompt up to the recipient. Calls that are addressed to nobody or to
 * the user count when they are all of their message and of declared tools.
 */
import { writing } from '../core/instructions.ts'
import {
  type Marker,
  NEED_MORE,
  NO_MATCH,
  type Opener,
  type Protocol,
  type ReadContext,
  type Reader,
  type ToolTable,
} from '../core/protocol.ts'
import { skipSpace } from '../core/text/characters.ts'
import { followedBy, readIfFollowed } from '../core/text/followed-calls.ts'
import { findAny, literal } from '../core/text/marker.ts'
import { literally, optional, patternReader, sequence } from '../core/text/pattern.ts'
import { resultIn } from '../core/text/result-block.ts'
import { createSteps } from '../core/text/steps.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import { readTagged } from '../core/text/tagged-reader.ts'
import type { TaggedCallSpec } from '../core/text/tagged-spec.ts'

const START = '<|start|>assistant'
const MESSAGE = '<|message|>'
const ENDS = ['<|eom|>', '<|eot|>'] as const

const SPEC: TaggedCallSpec = {
  sections: ['atem:function_calls'],
  calls: ['atem:invoke'],
  parameters: ['atem:parameter'],
  trim: 'none',
  untyped: 'json',
}

const HEADER = patternReader(
  sequence(
    optional(literally(START)),
    optional('\\s?', literally('to='), '(?<to>[^\\s<]{1,128})'),
    literally(MESSAGE),
  ),
)
const TAGGED = taggedProtocol(SPEC, {})
const isOver = followedBy([...ENDS, START])
const opensCalls = literal('<atem:function_calls>')

type Recipient = 'self' | 'user' | 'nobody' | 'tool'

/** Headers to a recipient, with calls behind them or with anything. */
function headers(wanted: (to: Recipient, calls: boolean) => boolean): Marker[] {
  const match: Marker['match'] = (text, at, end, last) => {
    const found = HEADER.read(text, at, end)
    if (!found) return NO_MATCH
    if (!found.whole) return last ? NO_MATCH : NEED_MORE
    const i = skipSpace(text, at + found.length, end)
    const calls = opensCalls(text, i, end, last)
    if (calls === NEED_MORE) return NEED_MORE
    return wanted(recipientOf(found.groups['to']), calls > 0) ? found.length : NO_MATCH
  }
  const first = ([' to=', 'to='] as const).map(
    // Behind the first message every header has its token.
    (begun) => ({ prefix: [...begun], boundary: 'start', match }) as const,
  )
  const marked = [START, MESSAGE].map((token) => ({ prefix: [...token.slice(0, 6)], match }))
  return [...marked, ...first]
}

function recipientOf(to = ''): Recipient {
  if (to === 'self' || to === 'user') return to
  return to === '' || to.startsWith('atem:') ? 'nobody' : 'tool'
}

function openers({ known }: ToolTable): Opener[] {
  const toTool = headers((to, calls) => to === 'tool' && calls)
  const lost = headers((to, calls) => (to === 'user' || to === 'nobody') && calls && known)
  const answer = headers((to, calls) => to === 'user' && !(calls && known))
  const opener = (open: Opener['open']) => (header: Marker) => ({ ...header, priority: 1, open })
  return [
    ...toTool.map(opener((context) => readMessage(context, readTagged(SPEC, context)))),
    ...lost.map(opener((context) => readMessage(context, readLost(context)))),
    ...answer.map(opener((context) => readMessage(context))),
  ]
}

function readLost(context: ReadContext): Reader {
  return readIfFollowed(context, isOver, (own) => readTagged(SPEC, own))
}

/** Reads the calls of a message; what is none is text. */
function readMessage(context: ReadContext, calls?: Reader): Reader {
  const reader = createSteps<Reader['state']>(readHeader)

  function readHeader(_text: string, at: number): number {
    context.skip(at)
    reader.step = calls ? readCalls : readText
    return at
  }

  function readCalls(text: string, at: number, last: boolean): number {
    const end = calls?.read(text, at, last) ?? at
    if (calls?.state === 'done') reader.state = 'done'
    if (calls?.state !== 'declined') return end
    reader.step = readText
    return readText(text, end, last)
  }

  /** Headers and calls in it are quoted, so only its own end counts. */
  function readText(text: string, at: number, last: boolean): number {
    const { start, end } = findAny(ENDS, text, at, last)
    return reader.leave(end > start ? 'declined' : 'passing', start)
  }

  return reader
}

export const museAtem: Protocol<'muse-atem'> = {
  id: 'muse-atem',
  emitters: 'Muse',
  rawText: true,
  openers,
  tokens: [...headers((to) => to === 'tool' || to === 'nobody'), ...ENDS],
  reasoning: headers((to) => to === 'self').map((open) => ({ open, close: ENDS, until: [START] })),
  strays: TAGGED.strays,
  ...writing(
    (call) => `${START} to=${call.name}${MESSAGE}${TAGGED.formatCall(call)}${ENDS[0]}`,
    resultIn(`<|start|>tool${MESSAGE}`, ENDS[0]),
  ),
}
