/** Tools one a line, for models with little room. */
import type { Tool } from '../core/model.ts'
import type { ToolListing } from '../core/protocol.ts'
import { dashed, labelOf } from '../core/tool-list.ts'
import { formatParameters } from './signature.ts'

/** Longest description in a compact list, the ellipsis included. */
const MAX_SHORT = 80

/**
 * A full stop that ends a sentence: another one begins behind it, and no abbreviation stands before
 * it. A letter on its own is one too, which covers "e.g." and "i.e.".
 */
const SENTENCE_END = /(?<!(?:^|\P{L})(?:\p{L}|[Ee]tc|vs|cf|approx))\.(?= ["'“([]?[\p{Lu}\p{Lo}`])/u

export const compactListing: ToolListing = {
  legend:
    'The list gives the signature of each tool, with a question mark behind optional parameters. ' +
    'It only tells you the names and types; calls are always written as shown above.',
  list: (tools) => tools.map(compactEntry).join('\n'),
}

function compactEntry({ name, description, inputSchema }: Tool): string {
  const signature = `${labelOf(name)}(${formatParameters(inputSchema)})`
  return `- ${signature}${dashed(shorten(description ?? ''))}`
}

/** The first sentence, on one line, and not all of it when it is long. */
function shorten(description: string): string {
  const line = description.replace(/\s+/g, ' ').trim()
  const end = line.search(SENTENCE_END)
  // By code point: a cut between two surrogates would leave half a character.
  const characters = [...(end === -1 ? line : line.slice(0, end + 1))]
  if (characters.length <= MAX_SHORT) return characters.join('')
  const start = characters.slice(0, MAX_SHORT - 1).join('')
  return `${start.trimEnd()}…`
}
