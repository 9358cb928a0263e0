/**
 * Tests texts against the patterns of schemas. An expression can take longer than anybody waits, and
 * both it and the text come from elsewhere: so the worse it can get, the shorter a text must be to be
 * tested at all. A longer one passes.
 */

interface Pattern {
  readonly expression: RegExp
  readonly maxLength: number
}

/** Steps that may be taken for one text, by a rough count. */
const MAX_STEPS = 10_000_000

const MAX_LENGTH = 10_000

/** Where the time doubles, or worse, with every character. */
const MAX_NESTED_LENGTH = 16

const SEPARATOR = String.raw`\\?[-_.:/,;@# ]`
const CLASS = String.raw`\[(?:\\.|[^\]\\])+\]|\\[wd]`

/** `(?:-[a-z]+)*`, `(?:[a-z]+-)*`: a list. Its separator leaves one way only to read a text. */
const LIST = new RegExp(
  String.raw`\((?:\?:)?(?:(${SEPARATOR})(${CLASS})[+*]|(${CLASS})[+*](${SEPARATOR}))\)[*+]`,
  'g',
)

const REFERENCE = /\\(?:[1-9]|k<)/

const ESCAPE_OR_CLASS = /\\.|\[(?:\\.|[^\]\\])*\]/gs

/** A group without groups inside, and how it is repeated. */
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<\w+>))?([^()]*)\)([*+]|\{\d+,\d*\})?/

const LOOP = /[*+]|\{\d+,\d*\}/g

/** Answers whether a text matches; true also for what is no pattern, or too costly for the text. */
export function createPatterns(): (source: string, text: string) => boolean {
  const known = new Map<string, Pattern | undefined>()
  return (source, text) => {
    if (!known.has(source)) known.set(source, compile(source))
    const pattern = known.get(source)
    return !pattern || text.length > pattern.maxLength || pattern.expression.test(text)
  }
}

function compile(source: string): Pattern | undefined {
  const expression = toExpression(source, 'u') ?? toExpression(source, '')
  return expression && { expression, maxLength: longestFor(source) }
}

function toExpression(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}

function longestFor(source: string): number {
  if (REFERENCE.test(source)) return MAX_NESTED_LENGTH
  // Only what repeats is of interest: everything else becomes an `x`.
  let outline = source.replace(LIST, flattenList).replace(ESCAPE_OR_CLASS, 'x')
  for (let group = GROUP.exec(outline); group; group = GROUP.exec(outline)) {
    const [whole, inside = '', repeat = ''] = group
    if (repeat !== '' && /[*+?|{]/.test(inside)) return MAX_NESTED_LENGTH
    outline = outline.replace(whole, () => `x${repeat}${inside.match(LOOP)?.join('') ?? ''}`)
  }
  // Each loop may end at any character, and without an anchor the whole may begin at any.
  const loops = (outline.match(LOOP)?.length ?? 0) + (outline.startsWith('^') ? 0 : 1)
  return Math.min(MAX_LENGTH, Math.floor(MAX_STEPS ** (1 / Math.max(1, loops))))
}

function flattenList(
  list: string,
  before: string | undefined,
  items: string | undefined,
  otherItems: string | undefined,
  behind: string | undefined,
): string {
  const separator = (before ?? behind ?? '').slice(-1)
  const isApart = !toExpression(items ?? otherItems ?? '.', 'u')?.test(separator)
  return isApart ? 'x*' : list
}
