/**
 * Syntax factory: calls written as in a program.
 *
 *     get_weather(city="Oslo", days=3)
 *
 * Prose and code are full of these, so with tools only their names begin a call.
 */
import { ARGUMENTS_LOST, isLost } from '../arguments/lost.ts'
import { readSpelled } from '../arguments/spelled.ts'
import { splitArguments } from '../arguments/split.ts'
import { checkTable } from '../caller-input.ts'
import type { Opener, ReadContext, Reader, ToolTable } from '../protocol.ts'
import { marker, TURN_END } from './marker.ts'
import { patternReader, sequence } from './pattern.ts'
import { createSteps } from './steps.ts'
import { NAMESPACES } from './tool-names.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_'
const ANY_NAME = { prefix: [LETTERS], match: patternReader(sequence('\\w{1,127}', '\\(')).match }
/** Longest text between the parentheses. */
const MAX_ARGUMENTS = 64 * 1024
const LINE_WINDOW = 64

export function functionCalls(tools: ToolTable): readonly Opener[] {
  checkTable(tools)
  const { known, names } = tools
  const markers = known
    ? NAMESPACES.flatMap((space) => names.map((name) => marker(`${space}${name}(`)))
    : [ANY_NAME]
  return markers.map((one) => ({ ...one, boundary: 'word', keep: true, open: readCall }))
}

function readCall(context: ReadContext): Reader {
  const reader = createSteps<Reader['state']>(readName)
  let name = ''
  let words = ''
  /** Brackets that are open. */
  let depth = 1
  let quote = ''
  let isEscaped = false
  /** True where an argument or a part of one can begin, so that a quote opens a text. */
  let atStart = true
  let lineIsBlank = false

  function readName(text: string, at: number): number {
    const end = text.indexOf('(', at)
    name = text.slice(at, end)
    reader.step = inArguments
    return end + 1
  }

  function inArguments(text: string, at: number, last: boolean): number {
    let i = at
    while (i < text.length && depth > 0) {
      if (!passes(text.charAt(i))) return reader.leave('declined', i)
      i++
    }
    words += text.slice(at, i)
    if (words.length > MAX_ARGUMENTS) return reader.leave('declined', i)
    if (depth === 0) reader.step = afterCall
    else if (last) return reader.leave('declined', i)
    return i
  }

  /** False where a paragraph or another bracket ends: whatever this is, it is no call. */
  function passes(character: string): boolean {
    if (quote !== '') {
      if (character === quote && !isEscaped) quote = ''
      isEscaped = character === '\\' && !isEscaped
      return true
    }
    if (atStart && (character === '"' || character === "'")) quote = character
    else if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character)) depth--
    // Another bracket than its own cannot close the call.
    if (depth === 0 && character !== ')') return false
    const isSpace = /\s/.test(character)
    if (character === '\n' && lineIsBlank) return false
    lineIsBlank = character === '\n' || (lineIsBlank && isSpace)
    atStart = isSpace || '([{,=:'.includes(character)
    return true
  }

  /** In a message that must be nothing but calls, other words behind a call make it prose. */
  function afterCall(text: string, at: number, last: boolean): number {
    const window = text.slice(at, at + LINE_WINDOW)
    const rest = window.replace(/^[^\S\n]+/, '')
    if (context.alone && /^<?$/.test(rest) && window.length < LINE_WINDOW && !last) return at
    const args = words.slice(0, -1)
    const isOver = /^(?:$|[\n;])/.test(rest) || TURN_END.test(rest)
    if (context.alone && (!isOver || isSignature(args))) return reader.leave('declined', at)
    const draft = context.begin(name)
    if (!draft) return reader.leave('declined', at)
    const parsed = readSpelled(args, draft.schema, context.fit)
    const { repairs } = parsed
    if (isLost(parsed.arguments, repairs)) draft.fail('invalid-arguments', ARGUMENTS_LOST, at)
    else draft.end({ json: JSON.stringify(parsed.arguments), repairs, end: at, raw: args })
    return reader.leave('done', at)
  }

  return reader
}

/** `search(query)` shows how a tool is called; a call has values. */
function isSignature(words: string): boolean {
  return splitArguments(words).some(
    (part) => /^[a-z_]\w*\??$/i.test(part) && !/^(?:true|false|none|null)$/i.test(part),
  )
}
