/**
 * Mistral, since the tokenizer v11: the name behind a token, then the arguments.
 *
 *     [TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]get_time[ARGS]{"zone": "CET"}
 *     [TOOL_CALLS]get_weather[CALL_ID]a1B2c3D4e[ARGS]{"city": "Oslo"}
 *
 * Earlier ones leave `[ARGS]` out, and some servers lose the last bracket of a token, or the token.
 *
 * @see https://docs.mistral.ai/cookbooks/concept-deep-dive-tokenization-tool_calling
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { labelledResultText } from '../core/result-text.ts'
import { onOwnLine } from '../core/text/followed-calls.ts'
import {
  NAME,
  namedJson,
  OBJECT,
  plainId,
  withoutTokens,
  writeNamedCall,
} from '../core/text/named-json.ts'
import { literally, oneOf, optional, SPACE, sequence } from '../core/text/pattern.ts'
import { resultIn } from '../core/text/result-block.ts'

const OPEN = '[TOOL_CALLS]'
const ARGS = '[ARGS]'
const CLOSE = '[/TOOL_CALLS]'

/** A token whose last bracket may be missing. */
const token = (text: string) => sequence(literally(text.slice(0, -1)), '\\]?')

const ID = optional(token('[CALL_ID]'), SPACE, '(?<id>\\w{0,64})', SPACE)

const rest = { open: token(OPEN), chained: true, stops: '[' }

const MARKED = {
  prefix: [...OPEN.slice(0, 6)],
  ...namedJson({
    ...rest,
    header: sequence(
      token(OPEN),
      SPACE,
      oneOf(sequence(NAME, SPACE, ID, optional(token(ARGS))), token(ARGS)),
      optional(token(ARGS)),
      SPACE,
      '(?=\\{)',
    ),
    cut: OPEN.length + 1,
  }),
}

const UNMARKED = {
  ...rest,
  header: sequence(NAME, ID, optional(token(ARGS)), ' ?', OBJECT),
}

export const mistralV11: Protocol<'mistral-v11'> = {
  id: 'mistral-v11',
  emitters: 'Mistral Small 3.2, Mistral Small 2506, Devstral, Magistral, Ministral',
  endsReasoning: true,
  openers: (tools) => [MARKED, ...withoutTokens(UNMARKED, tools).map(onOwnLine)],
  strays: [CLOSE],
  ...writing(
    writeNamedCall(OPEN, ({ id }) => (plainId(id) && `[CALL_ID]${id}`) + ARGS, ''),
    resultIn('[TOOL_RESULTS]', '[/TOOL_RESULTS]', (result, place) => {
      const id = plainId(result.callId)
      return (id && `${id}[TOOL_CONTENT]`) + labelledResultText(result, place)
    }),
  ),
}
