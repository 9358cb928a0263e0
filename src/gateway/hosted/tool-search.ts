/** The search for tools that the model does not know of yet, as a tool. */

import { matches } from '../../core/expression/match.ts'
import { type CompiledExpression, compileExpression } from '../../core/expression/program.ts'
import type { Tool } from '../../core/model.ts'
import type { HostedAnswer, HostedTool, ToolSearchWish } from './hosted-tool.ts'

/** As many as Anthropic's search returns. */
const MAX_FOUND = 5
/** The API's own limit. */
const MAX_QUERY = 500
const MAX_EXPRESSION_SIZE = 2000
/** Visits of instructions, for all tools together: some hundredths of a second. */
const MAX_STEPS = 5_000_000

export function toolSearchTool(wish: ToolSearchWish, held: readonly Tool[]): HostedTool {
  const { name, by } = wish
  const documents = held.map((tool) => ({ tool, text: documentOf(tool) }))
  return {
    wish,
    tool: {
      name,
      description: `Searches ${held.length} further tools by name, description and parameters. The tools that are found can be called from then on.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            description:
              by === 'pattern'
                ? 'A regular expression, such as weather|forecast.'
                : 'Words, such as weather forecast.',
          },
        },
        required: ['query'],
      },
    },
    async run({ query }): Promise<HostedAnswer> {
      if (typeof query !== 'string' || query.trim() === '') return { error: 'invalid_input' }
      if (query.length > MAX_QUERY) return { error: 'query_too_long' }
      const found = by === 'pattern' ? byPattern(documents, query) : byWords(documents, query)
      return found ? { found: found.slice(0, MAX_FOUND) } : { error: 'invalid_input' }
    },
  }
}

interface Document {
  readonly tool: Tool
  readonly text: string
}

/** Its own words come before those of its parameters, so that both can be found. */
function documentOf({ name, description = '', inputSchema }: Tool): string {
  return `${name}\n${description}\n${JSON.stringify(inputSchema)}`
}

/** Undefined for what is no expression. The expression is the model's, so its cost is bounded. */
function byPattern(documents: readonly Document[], source: string): Tool[] | undefined {
  // Models write Python's way to ignore the case, which is what is done anyway.
  const plain = source.replace(/^\(\?i\)/, '').toLowerCase()
  const expression = compileExpression(plain, MAX_EXPRESSION_SIZE)
  if (!expression) return undefined
  const allowance = { steps: MAX_STEPS }
  return documents
    .filter(({ text }) => isMatch(expression, text, allowance))
    .map(({ tool }) => tool)
}

function isMatch(
  expression: CompiledExpression,
  text: string,
  allowance: { steps: number },
): boolean {
  return matches(expression, text.toLowerCase(), allowance) === true
}

/** Those with the most words of the query come first; words in the name count three times. */
function byWords(documents: readonly Document[], query: string): Tool[] {
  const words = [...new Set(wordsOf(query))]
  const scored = documents.map(({ tool, text }) => {
    const [inName, inText] = [new Set(wordsOf(tool.name)), new Set(wordsOf(text))]
    const score = words.reduce(
      (sum, word) => sum + (inName.has(word) ? 3 : 0) + (inText.has(word) ? 1 : 0),
      0,
    )
    return { tool, score }
  })
  const found = scored.filter(({ score }) => score > 0)
  return found.sort((one, other) => other.score - one.score).map(({ tool }) => tool)
}

/** `getWeather` and `get_weather` are two words. */
function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
  return spaced.match(/[\p{L}\p{N}]+/gu) ?? []
}
