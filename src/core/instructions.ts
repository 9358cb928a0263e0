/** What a model without tools of its own is told, the same for every format but for its example. */
import type { Tool, ToolCall } from './model.ts'
import type { Protocol, ToolListing } from './protocol.ts'
import { labelledResultText } from './result-text.ts'
import type { ResultForm } from './text/result-block.ts'
import { listTools } from './tool-list.ts'

export interface ToolInstructions {
  readonly tools: readonly Tool[]
  /** How the tools are listed; by default each with its whole schema. */
  readonly listing?: ToolListing | undefined
  /** A call as the format writes it, mostly its `formatCall(EXAMPLE_CALL)`; not indented. */
  readonly how: string
  /** What the example cannot show, in whole sentences. */
  readonly note?: string | undefined
}

/**
 * The call that instructions show. It names no real tool, so a model that repeats its instructions
 * calls nothing; two parameters, so it can be seen what stands between them and how types look.
 */
export const EXAMPLE_CALL: Pick<ToolCall, 'name' | 'arguments'> = {
  name: 'tool_name',
  arguments: { first_parameter: 'some text', second_parameter: 5 },
}

/** Tells a model which tools there are and how to call one. */
export function describeTools({ tools, listing, how, note }: ToolInstructions): string {
  const { legend, list } = listing ?? { list: listTools }
  return [
    'You can use the tools listed below.',
    'To call a tool, answer with exactly this shape and no other, without the indentation:',
    indent(how),
    ...(note ? [note] : []),
    'Put the name of a listed tool and your own arguments in place of those in the example. ' +
      'Write one such block per call; several blocks in one answer are allowed. ' +
      'Then stop: the results come with the next message, so never write them yourself.',
    'When you need no tool any more, answer in plain text without such a block.',
    ...(legend && tools.length > 0 ? [legend] : []),
    'Available tools:',
    `${list(tools) || '(none)'}\n`,
  ].join('\n\n')
}

/** What encloses a result where a format has no form of its own. */
const TOOL_RESPONSE = ['<tool_response>\n', '\n</tool_response>'] as const

/** How the results of a protocol are written: by a function, or between two texts that no block is found by. */
type WrittenResult = ResultForm | Protocol['formatResult'] | readonly [open: string, close: string]

/** How a protocol writes, given how it writes a call and a result. */
export function writing(
  formatCall: Protocol['formatCall'],
  result: WrittenResult = TOOL_RESPONSE,
  note?: string,
): Pick<Protocol, 'formatTools' | 'formatCall' | 'formatResult' | 'results'> {
  return {
    formatTools: (tools, options) =>
      describeTools({ tools, ...options, how: formatCall(EXAMPLE_CALL), note }),
    formatCall,
    ...('results' in result ? result : { formatResult: writerOf(result) }),
  }
}

function writerOf(result: Exclude<WrittenResult, ResultForm>): Protocol['formatResult'] {
  if (typeof result === 'function') return result
  return (given, place) => result[0] + labelledResultText(given, place) + result[1]
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '    ')
}
