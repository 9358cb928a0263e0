/** Tools that take text instead of arguments, for APIs and models that know nothing but functions, and their calls. */
import type { ToolKind } from '../core/dialect.ts'
import type { Repair } from '../core/issue.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import type { Freeform, Grammar, Tool } from '../core/model.ts'

/** The arguments of such a tool. */
export const TEXT_SCHEMA: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
}

/** The `type` that calls of such a tool have in their `provider`, and in OpenAI's APIs. */
export const CUSTOM: 'custom' & ToolKind = 'custom'

/** The text of a call. Arguments that are something else are the text themselves: nothing is lost. */
export function freeformText(args: JsonObject): string {
  const { input } = args
  if (typeof input === 'string') return input
  return Object.keys(args).length > 0 ? JSON.stringify(args) : ''
}

/** An object, perhaps with slips, perhaps in a code fence. */
const LIKE_OBJECT = /^(?:```\w*\s*)?\{\s*(?:"|\}$)/

/**
 * The text in the place of a call's arguments; undefined where an object was meant. Whether the text was
 * cut off, it does not show.
 */
export function bareText(args: unknown): string | undefined {
  if (typeof args !== 'string') return undefined
  const text = args.trim()
  if (text === '' || LIKE_OBJECT.test(text)) return undefined
  const read = text.startsWith('"') ? parseStrict(text) : undefined
  return typeof read === 'string' ? read : args
}

/** What was done to a call with such a text. */
export const NAMED_TEXT: Repair = { code: 'named-positional', path: ['input'], risk: 'safe' }

/** What a definition says about the text, from the object that holds syntax and definition of a grammar. */
export function readFreeform(grammar: JsonValue | undefined): Freeform {
  if (!isJsonObject(grammar)) return {}
  const { syntax, definition } = grammar
  if ((syntax !== 'lark' && syntax !== 'regex') || typeof definition !== 'string') return {}
  return { grammar: { syntax, definition } }
}

/** The same tool as a function with the text as its only argument; the description says what the text is. */
export function asFunction(tool: Tool): Tool {
  const { freeform, description = '', ...rest } = tool
  if (!freeform) return tool
  const words = [description.trim(), HOW_TO_CALL, grammarWords(freeform.grammar), example(freeform)]
  const schema = { ...TEXT_SCHEMA, properties: { input: { type: 'string', description: ABOUT } } }
  return {
    ...rest,
    description: words.filter((text) => text !== '').join('\n\n'),
    inputSchema: schema,
  }
}

const ABOUT = 'The whole text for the tool, exactly as the tool takes it.'

/** Descriptions of such tools often forbid JSON, which is meant for the text. */
const HOW_TO_CALL =
  'How to call this tool here: it is a function with one string argument, `input`, which is the whole text for ' +
  'the tool. Put the plain text there, without quotes, code fences or JSON of your own around it.'

const SYNTAXES: Readonly<Record<Grammar['syntax'], string>> = {
  lark: 'this Lark grammar',
  regex: 'this regular expression',
}

function grammarWords(grammar: Grammar | undefined): string {
  if (!grammar) return ''
  const { syntax, definition } = grammar
  return `The text must match ${SYNTAXES[syntax]}:\n\`\`\`${syntax}\n${definition.trim()}\n\`\`\``
}

/** Texts for grammars that many models have seen, by a text that only this grammar has. */
const KNOWN_TEXTS: readonly (readonly [mark: string, text: string])[] = [
  [
    '*** Begin Patch',
    [
      '*** Begin Patch',
      '*** Add File: notes/todo.txt',
      '+Buy milk',
      '*** Update File: src/greeting.js',
      '@@ export function greet() {',
      "-  return 'Hi'",
      "+  return 'Hello'",
      '*** End Patch',
    ].join('\n'),
  ],
]

function example({ grammar }: Freeform): string {
  const known = KNOWN_TEXTS.find(([mark]) => grammar?.definition.includes(mark))
  const input = known?.[1] ?? 'the text for the tool'
  return `Example of the arguments: ${JSON.stringify({ input })}`
}
