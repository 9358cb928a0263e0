/**
 * Regular expressions as trees. The grammar is that of ECMAScript, with the `u` flag where the source allows it
 * and without flags otherwise. `RegExp` decides what is valid, by parsing alone: nothing is matched with it
 * but single characters against single classes.
 *
 * Back references are the one construct without a tree: what matches them cannot be found in linear time.
 */

export type Expression =
  /** A character that the token accepts, as in `a`, `\d`, `[^a-z]`. */
  | { readonly kind: 'character'; readonly token: string }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'choice'; readonly forms: readonly Expression[] }
  | {
      readonly kind: 'repeat'
      readonly body: Expression
      readonly least: number
      /** Infinity where there is no limit. */
      readonly most: number
    }
  /** A condition on a place that needs no more than the characters beside it. */
  | { readonly kind: 'place'; readonly place: Place }
  /** Look-ahead and look-behind. */
  | {
      readonly kind: 'look'
      readonly ahead: boolean
      readonly negated: boolean
      readonly body: Expression
    }

export const PLACES = ['^', '$', '\\b', '\\B'] as const

export type Place = (typeof PLACES)[number]

export interface Syntax {
  readonly tree: Expression
  /** Characters are code points with the `u` flag, and UTF-16 code units without. */
  readonly flags: 'u' | ''
}

/** Groups inside groups. What people write has less than ten. */
const MAX_DEPTH = 100

const GROUP = /\((?:\?(?::|<?([=!])|<(?![=!])[^>]*>))?/y
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y
const CLASS = /\[(?:\\.|[^\]\\])*\]/sy
const BAR = /\|/y
const GROUP_END = /\)/y
const ASSERTION = /\\[bB]|[\^$]/y
const REFERENCE = /\\(?:[1-9]|k)/y
const ESCAPE = {
  u: /\\(?:u\{[\da-f]+\}|ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|p\{[^}]*\}|.)/isy,
  // Without the flag `\c` is two characters where no letter follows.
  '': /\\(?:u[\da-f]{4}|x[\da-f]{2}|c[a-z]|0[0-7]{0,2}|[^c])/iy,
} as const
const LITERAL = { u: /./suy, '': /./sy } as const

/** Undefined for what is no expression, and for what has no tree. */
export function parseExpression(source: string): Syntax | undefined {
  const flags = flagsOf(source)
  if (flags === undefined) return undefined
  const tree = parse(source, flags)
  return tree && { tree, flags }
}

function flagsOf(source: string): Syntax['flags'] | undefined {
  return (['u', ''] as const).find((flags) => isValid(source, flags))
}

function isValid(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp
  } catch {
    return false
  }
}

/** Relies on the source being valid: only what is left open by the grammar is looked at. */
function parse(source: string, flags: Syntax['flags']): Expression | undefined {
  let at = 0
  let depth = 0

  function take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = at
    const found = pattern.exec(source) ?? undefined
    if (found) at = pattern.lastIndex
    return found
  }

  function choice(): Expression | undefined {
    const forms: Expression[] = []
    do {
      const form = sequence()
      if (!form) return undefined
      forms.push(form)
    } while (take(BAR))
    return forms.length === 1 ? forms[0] : { kind: 'choice', forms }
  }

  function sequence(): Expression | undefined {
    const parts: Expression[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const part = term()
      if (!part) return undefined
      parts.push(repeated(part))
    }
    return { kind: 'sequence', parts }
  }

  function repeated(body: Expression): Expression {
    const found = take(QUANTIFIER)
    if (!found) return body
    const [, sign, count, comma, limit] = found
    if (sign === '?') return { kind: 'repeat', body, least: 0, most: 1 }
    if (sign) return { kind: 'repeat', body, least: sign === '+' ? 1 : 0, most: Infinity }
    const most = comma ? limit || Infinity : count
    return { kind: 'repeat', body, least: Number(count), most: Number(most) }
  }

  function term(): Expression | undefined {
    if (source[at] === '(') return group()
    const place = take(ASSERTION)
    if (place) return assertion(place[0])
    if (take(REFERENCE)) return undefined
    const token = (take(CLASS) ?? take(ESCAPE[flags]) ?? take(LITERAL[flags]))?.[0]
    return token === undefined || token === '\\' ? undefined : { kind: 'character', token }
  }

  function group(): Expression | undefined {
    const [opener = '', look] = take(GROUP) ?? []
    // A `?` that is left begins flags, which not every version of the language knows.
    if (source[at] === '?' || depth >= MAX_DEPTH) return undefined
    depth += 1
    const body = choice()
    depth -= 1
    if (!body || !take(GROUP_END)) return undefined
    if (!look) return body
    return { kind: 'look', ahead: !opener.includes('<'), negated: look === '!', body }
  }

  return choice()
}

function assertion(text: string): Expression | undefined {
  const place = PLACES.find((one) => one === text)
  return place && { kind: 'place', place }
}
