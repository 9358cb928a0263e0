/**
 * Kimi K2: an id that holds the name, then the arguments, between tokens.
 *
 *     <|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>
 *
 * Servers lose the tokens of the section or of the call, and some replies give a number for an id.
 *
 * @see https://huggingface.co/moonshotai/Kimi-K2-Instruct/blob/main/docs/tool_call_guidance.md
 */
import { writing } from '../core/instructions.ts'
import type { ToolResult } from '../core/model.ts'
import type { CallPlace, Opener, Protocol, ResultPlace } from '../core/protocol.ts'
import { formatResultText, labelledResultText } from '../core/result-text.ts'
import { onLineBefore } from '../core/text/followed-calls.ts'
import type { Identity } from '../core/text/json-calls.ts'
import { type Groups, namedJson, withoutTokens, writeNamedCall } from '../core/text/named-json.ts'
import {
  literally,
  oneOf,
  optional,
  patternReader,
  SPACE,
  sequence,
  twice,
} from '../core/text/pattern.ts'

const SECTION = '<|tool_calls_section_begin|>'
const SECTION_END = '<|tool_calls_section_end|>'
const CALL = '<|tool_call_begin|>'
const ARGS = '<|tool_call_argument_begin|>'
const CLOSE = '<|tool_call_end|>'

/** Some write the section in the singular. */
const section = (text: string) =>
  sequence(literally('<|tool_call'), 's?', literally(text.slice('<|tool_calls'.length)))

const OPEN = oneOf(section(SECTION), literally(CALL))
/** Where the token behind the id is missing, only the id may stand before the arguments. */
const ID = oneOf(
  sequence('(?<id>[^<{]{0,128})', literally(ARGS)),
  sequence('(?<alone>[^\\s<{]{1,128})', SPACE, '(?=\\{)'),
)

const rest = {
  open: OPEN,
  close: literally(CLOSE),
  closer: CLOSE,
  tail: section(SECTION_END),
  chained: true,
  identify,
}

const PREFIX = [...'<|tool']
const NAMESPACE = literally('functions.')

/** Servers lose some of the tokens before the id, or all up to the arguments. */
const MARKED = namedJson({
  ...rest,
  header: oneOf(
    sequence(twice(OPEN), SPACE, optional(literally(CALL)), SPACE, ID),
    sequence(literally(ARGS), SPACE, '(?=\\{)'),
  ),
  cut: CALL.length,
})
const BARE = namedJson({
  ...rest,
  header: sequence(`(?<id>${sequence(NAMESPACE, '[^\\s<{]{1,128}')})`, SPACE, literally(ARGS)),
})
/** An id with its number is not much else, even with no token left. */
const ALONE = namedJson({
  ...rest,
  header: sequence(
    `(?<alone>${sequence(NAMESPACE, '[^\\s<{:]{1,128}', ':', '\\d{1,4}')})`,
    SPACE,
    '(?=\\{)',
  ),
})

const OPENERS: readonly Opener[] = [
  { ...MARKED, prefix: PREFIX },
  ...[BARE, onLineBefore('functions.')(ALONE)].map((call) => ({ ...call, prefix: [...'functi'] })),
]

/** Where all tokens before it are lost, the id begins the reply. */
const UNMARKED = { ...rest, header: sequence('(?<id>[^\\s<{]{1,128})', SPACE, literally(ARGS)) }

/** `functions.get_weather:0`, maybe without its beginning or its end; a bare number names nothing. */
function identify({ id, alone = '' }: Groups): Identity {
  const written = (id ?? alone).trim()
  const [, name = '', index] = /^(?:functions\.)?(.*?)(?::(\d+))?$/s.exec(written) ?? []
  if (/^\d*$/.test(name)) return {}
  return { name, id: index === undefined ? undefined : written }
}

/** The number in an id of this format, else that of the call in its turn. */
function numberOf({ id = '', name }: { id?: string; name: string }, place?: CallPlace): string {
  const own = identify({ id })
  return (own.name === name && own.id?.split(':').at(-1)) || String((place?.index ?? 1) - 1)
}

/** Under the id of the call, as the template of the models has it. */
function writeReturn(result: ToolResult, place?: ResultPlace): string {
  const { callId: id, name } = result
  if (place === 'orphan' || name === undefined) return labelledResultText(result, place)
  return `## Return of functions.${name}:${numberOf({ id, name }, place)}\n${formatResultText(result)}`
}

/** A section without calls says nothing. */
const EMPTY = {
  prefix: PREFIX,
  match: patternReader(sequence(section(SECTION), SPACE, section(SECTION_END))).match,
}

export const kimiK2: Protocol<'kimi-k2'> = {
  id: 'kimi-k2',
  emitters: 'Kimi K2, Kimi latest',
  endsReasoning: true,
  openers: (tools) => [...OPENERS, ...withoutTokens(UNMARKED, tools)],
  strays: [CLOSE, SECTION_END],
  tokens: [EMPTY, '<|im_assistant|>assistant', '<|im_middle|>'],
  ...writing(
    writeNamedCall(
      `${SECTION}${CALL}functions.`,
      (call, place) => `:${numberOf(call, place)}${ARGS}`,
      `${CLOSE}${SECTION_END}`,
    ),
    (result, place) => `<tool_response>\n${writeReturn(result, place)}\n</tool_response>`,
  ),
}
