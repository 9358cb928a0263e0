/**
 * Does a quote end its text, or is it one the model forgot to escape?
 *
 *     run(command='sed -n '1,5p' notes.txt', dry=True)
 *
 * Behind the end of a text stands what its list, dict or call can go on with. Only text that
 * contradicts this makes a quote an inner one, so what is valid is never read differently.
 */

/** Where a text stands: an argument with or without its name, the value of a key, or another. */
export type Place = 'named' | 'argument' | 'member' | 'item'

/** Says so from what stands behind the quote. */
export type EndsText = (place: Place, ahead: string, hasInner: boolean) => boolean

/** How far behind a quote is looked. */
export const QUOTE_WINDOW = 64
/** Stands for the end of the reply in what is looked at. */
export const END_OF_REPLY = '\uffff'

const NAME = `[^\\s=:,()[\\]{}'"\`<${END_OF_REPLY}]`
/** A comment, a token or tag, a fence, the end. */
const CLOSER = `#|<[|/]|\`\`\`|${END_OF_REPLY}`
/** Texts that are one; a prefix must stand apart, or it is the text between two quotes. */
const ANOTHER = /^(?:\s*(?:\+\s*)?|\s+(?:\+\s*)?[rbfu]{1,2})["']/i

/** `tail` is what tells that a call is over, behind its closing parenthesis. */
function textEnds(tail: string): EndsText {
  const behind = (ends: string) => new RegExp(`^\\s*(?:${ends}|${CLOSER})`)
  const places = {
    named: behind(`,\\s*(?:${NAME}+\\s*[=:]|\\*\\*|\\)|${CLOSER})|\\)${tail}`),
    argument: behind(`[,=:]|\\)${tail}`),
    member: behind(`,\\s*(?:${NAME}*["']|${NAME}+\\s*:|[}]|${CLOSER})|[}\\])]`),
    item: behind('[,:\\])}]'),
  }
  // Quotes that were not escaped come in pairs, which texts to be joined look like.
  return (place, ahead, hasInner) => places[place].test(ahead) || (!hasInner && ANOTHER.test(ahead))
}

const NEXT = `\\s*(?:[,;]?\\s*${NAME}+\\(|[\\];]|${CLOSER})`

/** In one of several calls in brackets, or in a block of its own. */
export const IN_LIST: EndsText = textEnds(NEXT)

/** In a call on a line of its own, maybe the argument of another. */
export const ON_LINE: EndsText = textEnds(`(?:\\s*\\))?(?:${NEXT}|[^\\S\\n]*\\n)`)

/** In a call that anything may follow. */
export const ANYWHERE: EndsText = textEnds('')
