/**
 * Syntax factory: a call in brackets, name first, then JSON or plain words.
 *
 *     [tool: @search {"query": "fjords"}]
 */
import { parseArguments } from '../arguments/parse.ts'
import type { Repair } from '../issue.ts'
import type { CallDraft, Opener, ReadContext, Reader } from '../protocol.ts'
import { isSpace, isWord, skipSpace } from './characters.ts'
import { createJsonArguments, type JsonArguments } from './json-arguments.ts'
import { isHopeless } from './json-block.ts'
import { markerAnyCase } from './marker.ts'
import { createSteps, type Step } from './steps.ts'

export interface BracketedOptions {
  /** The markers, in lower case: `[tool:`. */
  readonly open: readonly string[]
  /** Put before a name that lacks it. */
  readonly prefix?: string
}

/** Longest name, and longest run of plain words as arguments. */
const MAX_NAME = 128
const MAX_WORDS = 4096
const CLOSER_WINDOW = 64
const LETTER = /[\p{L}\p{N}]/u

export function bracketed(options: BracketedOptions): readonly Opener[] {
  return options.open.map((opener) => ({
    ...markerAnyCase(opener, followsOpener),
    open: (context) => readBracket(options.prefix ?? '', context),
  }))
}

/** The beginning of a name: a marker without one is prose. */
function followsOpener(text: string, at: number, end: number, last: boolean): boolean | undefined {
  const i = skipSpace(text, at, end)
  if (i === end) return last ? false : undefined
  return isNameCharacter(text.charCodeAt(i))
}

function readBracket(prefix: string, context: ReadContext): Reader {
  const reader = createSteps<Reader['state']>(readName)
  let name = ''
  let draft: CallDraft | undefined
  let args: JsonArguments | undefined

  function readName(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + MAX_NAME)
    const start = skipSpace(text, at, window)
    let end = start
    while (end < window && isNameCharacter(text.charCodeAt(end))) end++
    if (end === text.length && !last && end < at + MAX_NAME) return at
    if (end === start || (end < window && !endsName(text.charCodeAt(end)))) return decline(at)
    if (end === at + MAX_NAME) return decline(at)
    name = text.slice(start, end)
    reader.step = readArguments
    return end
  }

  function readArguments(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + CLOSER_WINDOW)
    const i = skipSpace(text, at, window)
    if (i === text.length && !last && i < at + CLOSER_WINDOW) return at
    if (text.charAt(i) === '{') return openJson(i)
    if (text.charAt(i) === ']' && !isMeant()) return decline(i)
    reader.step = readWords([])
    return i
  }

  /** `[tool: syntax]` may be prose: without arguments only a marked or declared name is a call. */
  function isMeant(): boolean {
    return context.tools.known ? context.tools.find(name) !== undefined : name.startsWith('@')
  }

  function openJson(at: number): number {
    draft = begin()
    args = createJsonArguments(context, draft, (text, i) => text.charAt(i) === ']')
    reader.step = readJson
    return at
  }

  function begin(): CallDraft | undefined {
    return context.begin(name.startsWith(prefix) ? name : prefix + name)
  }

  function readJson(text: string, at: number, last: boolean): number {
    if (!args) return at
    const json = args.reader
    const end = json.read(text, at, last)
    if (json.status === 'done') reader.step = readCloser
    else if (json.status === 'failed') fail('invalid-json', 'the arguments are not JSON', end)
    else if (last) {
      fail('truncated-call', 'the reply ends inside a call', text.length)
      return text.length
    }
    return end
  }

  function readCloser(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + CLOSER_WINDOW)
    const i = skipSpace(text, at, window)
    if (i === text.length && !last && i < at + CLOSER_WINDOW) return at
    const closed = i < window && text.charAt(i) === ']'
    const end = closed ? i + 1 : at
    if (isHopeless(args?.repairs ?? [])) {
      fail('invalid-json', 'the arguments are not JSON', end)
      return end
    }
    finish(args?.json() ?? '{}', [...(args?.repairs ?? []), ...(closed ? [] : [missing()])], end)
    return end
  }

  /** Plain words up to the bracket, which must stand on the same line. */
  function readWords(pieces: string[]): Step {
    let budget = MAX_WORDS
    return (text, at, last) => {
      const limit = Math.min(text.length, at + budget)
      let end = at
      while (end < limit && !']\r\n'.includes(text.charAt(end))) end++
      pieces.push(text.slice(at, end))
      budget -= end - at
      if (end === text.length && !last && budget > 0) return end
      const closed = end < limit && text.charAt(end) === ']'
      const cut = !closed && end === text.length
      return endWords(pieces.join('').trim(), closed, closed ? end + 1 : end, cut)
    }
  }

  function endWords(words: string, closed: boolean, end: number, cut: boolean): number {
    if (!isMeant() && (!closed || context.tools.known)) return decline(end)
    draft = begin()
    const parsed = parseArguments(words, draft?.schema)
    const repairs = [...parsed.repairs, ...(closed ? [] : [missing()])]
    finish(JSON.stringify(parsed.arguments), repairs, end, words, cut)
    return end
  }

  function finish(
    json: string,
    repairs: readonly Repair[],
    end: number,
    raw?: string,
    cut = false,
  ): void {
    reader.state = 'done'
    if (draft) draft.end({ json, repairs, end, raw, cut, streamed: args?.streamed })
    else context.issue('unknown-tool', `there is no tool named ${name}`, end, name)
  }

  function fail(code: 'invalid-json' | 'truncated-call', message: string, end: number): void {
    reader.state = 'done'
    if (draft) draft.fail(code, message, end)
    else context.issue(code, message, end, name)
  }

  function decline(at: number): number {
    reader.state = 'declined'
    return at
  }

  return reader
}

function isNameCharacter(code: number): boolean {
  // An ellipsis is no letter. Beside words: `@`, `.`, `-`, `:` and `/`.
  if (code >= 128) return LETTER.test(String.fromCharCode(code))
  return isWord(code) || code === 64 || code === 46 || code === 45 || code === 58 || code === 47
}

function endsName(code: number): boolean {
  return isSpace(code) || code === 93 || code === 123
}

function missing(): Repair {
  return { code: 'missing-closer', path: [], risk: 'safe', after: ']' }
}
