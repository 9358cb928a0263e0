/**
 * Sections of calls as DeepSeek writes them. Servers and copies of the models spell the special tokens
 * with other bars and other spaces.
 */
import { writing } from '../../core/instructions.ts'
import type { Protocol } from '../../core/protocol.ts'
import { onOwnLine } from '../../core/text/followed-calls.ts'
import { namedJson, withoutTokens, writeNamedCall } from '../../core/text/named-json.ts'
import {
  literally,
  oneOf,
  optional,
  type Pattern,
  patternReader,
  SPACE,
  sequence,
  twice,
} from '../../core/text/pattern.ts'

const SPELLINGS = { '｜': '[｜|]', '▁': oneOf('[▁_ ]', sequence('\\\\', '_')) }

const token = (text: string): Pattern => literally(`<｜${text}｜>`, SPELLINGS)

const SECTION = oneOf(token('tool▁calls▁begin'), token('tool▁calls'))
const SECTION_END = token('tool▁calls▁end')
const CALL = token('tool▁call▁begin')
const CALL_END = token('tool▁call▁end')
const OPEN = oneOf(SECTION, CALL)
export const SEPARATOR: Pattern = token('tool▁sep')

const RESULT = [
  '<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>',
  '<｜tool▁output▁end｜><｜tool▁outputs▁end｜>',
] as const

const TOKENS = [
  '<｜begin▁of▁sentence｜>',
  '<｜Assistant｜>',
  '<｜end▁of▁sentence｜>',
  // As some servers spell it.
  '<|end▁of▁sentence|>',
  '<｜tool▁outputs▁begin｜>',
  '<｜tool▁output▁begin｜>',
  '<｜tool▁output▁end｜>',
  '<｜tool▁outputs▁end｜>',
]

interface SectionOptions {
  /** What stands between the opener of a call and its arguments. */
  readonly header: Pattern
  /** The same without any token, and the word that stands before the name. */
  readonly bare: Pattern
  readonly word?: string
  /** How that is written, before and behind the name, and what stands behind the arguments. */
  readonly written: readonly [before: string, behind: string, after: string]
  readonly fenced?: boolean
}

export function deepseekSection({
  header,
  bare,
  word,
  written: [before, behind, after],
  fenced = false,
}: SectionOptions): Omit<Protocol, 'id' | 'emitters'> {
  const rest = {
    open: OPEN,
    close: CALL_END,
    tail: SECTION_END,
    chained: true,
    fenced,
  }
  const marked = {
    prefix: PREFIX,
    ...namedJson({
      ...rest,
      header: sequence(twice(OPEN), SPACE, optional(CALL), SPACE, header),
      cut: '<｜tool▁calls｜>'.length,
      closer: '<｜tool▁call▁end｜>',
    }),
  }
  return {
    endsReasoning: true,
    openers: (tools) => [
      marked,
      ...withoutTokens({ ...rest, header: bare }, tools, word).map(onOwnLine),
    ],
    strays: ['<｜tool▁call▁end｜>', '<｜tool▁calls▁end｜>'],
    tokens: [EMPTY, ...TOKENS],
    ...writing(
      writeNamedCall(
        `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${before}`,
        behind,
        `${after}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
      ),
      RESULT,
    ),
  }
}

const PREFIX = ['<', '｜|', ...'tool']

/** A section without calls says nothing. */
const EMPTY = {
  prefix: PREFIX,
  match: patternReader(sequence(SECTION, SPACE, SECTION_END)).match,
}
