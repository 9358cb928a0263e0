/**
 * Does a quote end its Python string, or is it one the model forgot to escape?
 *
 *     run(command='sed -n '1,5p' notes.txt', dry=True)
 *
 * Behind the end of a string stands what its list, dict or call can go on with. Only text that
 * contradicts this makes a quote an inner one, so what is valid is never read differently.
 */

/** Where a string stands. `named`: an argument behind which none can stand without a name. */
export type Place = 'named' | 'argument' | 'item' | 'key' | 'member'

/** Undefined: more must be seen. */
export type EndsString = (place: Place, ahead: string, hasInner: boolean) => boolean | undefined

/** How far behind a quote is looked. */
export const QUOTE_WINDOW = 64
/** Stands for the end of the reply in what is looked at. */
export const END_OF_REPLY = '\uffff'

const NAME = `[^\\s=:,()[\\]{}'"\`<${END_OF_REPLY}]`
/** Between strings that are one; a prefix must stand apart, or it is the text between two quotes. */
const JOINED = '\\s*(?:\\+\\s*)?|\\s+(?:\\+\\s*)?[rbfuRBFU]{1,2}'
/** A comment, a token or tag, a fence, the end. */
const CLOSER = `#|<[|/]|\`\`\`|${END_OF_REPLY}`
const CLOSER_BEGINS = '<|`{1,2}'

/** `tail` is what tells that a call is over, behind its closing parenthesis; and how that begins. */
function stringEnds(tail: string, tailBegins: string): EndsString {
  const pair = (ends: string, begins: string) => ({
    ends: new RegExp(`^\\s*(?:${ends}|${CLOSER})`),
    begins: new RegExp(`^\\s*(?:${begins}|${CLOSER_BEGINS})$`),
  })
  const call = `\\)${tail}`
  const callBegins = `(?:\\)${tailBegins})?`
  const places = {
    named: pair(
      `,\\s*(?:${NAME}+\\s*[=:]|\\*\\*|\\)|${CLOSER})|${call}`,
      `,\\s*(?:${NAME}*\\s*|\\*|${CLOSER_BEGINS})|${callBegins}`,
    ),
    argument: pair(`[,=:]|${call}`, callBegins),
    item: pair('[,\\])}]', ''),
    key: pair('[:,}]', ''),
    member: pair(
      `,\\s*(?:${NAME}*["']|${NAME}+\\s*:|[}]|${CLOSER})|[}\\])]`,
      `(?:,\\s*(?:${NAME}*\\s*|${CLOSER_BEGINS}))?`,
    ),
  }
  const another = new RegExp(`^(?:${JOINED})["']`)
  const anotherBegins = new RegExp(`^(?:${JOINED})$`)
  return (place, ahead, hasInner) => {
    const { ends, begins } = places[place]
    if (ends.test(ahead)) return true
    // Quotes that were not escaped come in pairs, which strings to be joined look like.
    if (another.test(ahead)) return !hasInner
    const undecided = begins.test(ahead) || anotherBegins.test(ahead)
    return undecided ? ahead.length >= QUOTE_WINDOW || undefined : false
  }
}

const NEXT = `\\s*(?:[,;]?\\s*${NAME}+\\(|[\\];]|${CLOSER})`
const NEXT_BEGINS = `\\s*(?:[,;]?\\s*${NAME}*|${CLOSER_BEGINS})`

/** In one of several calls in brackets, or in a block of its own. */
export const IN_LIST: EndsString = stringEnds(NEXT, NEXT_BEGINS)

/** In a call on a line of its own, maybe the argument of another. */
export const ON_LINE: EndsString = stringEnds(
  `(?:\\s*\\))?(?:${NEXT}|[^\\S\\n]*\\n)`,
  `(?:\\s*\\))?${NEXT_BEGINS}`,
)

/** In a call that anything may follow. */
export const ANYWHERE: EndsString = stringEnds('', '')
