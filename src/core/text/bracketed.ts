/**
 * Syntax factory: a call in brackets, name first, then JSON or plain words.
 *
 *     [tool: @search {"query": "fjords"}]
 */
import { parseArguments } from '../arguments/parse.ts'
import { writeJson } from '../json/write.ts'
import type { Opener, ToolTable } from '../protocol.ts'
import { anyCase, markerAnyCase } from './any-case.ts'
import { type Groups, namedJson } from './named-json.ts'
import { ahead, oneOf, SPACE, sequence } from './pattern.ts'

export interface BracketedOptions {
  /** The markers, in lower case: `[tool:`. */
  readonly open: readonly string[]
  /** Put before a name that lacks it. */
  readonly prefix?: string
}

/** Letters and digits of all languages, but no ellipsis. */
const NAME = '(?<name>[\\w@.:/\\xaa-\\u1fff\\u2c00-\\uffef-]{1,127})'

/** `[tool: syntax]` may be prose: without JSON only a marked or declared name is a call. */
export function bracketed(options: BracketedOptions, tools: ToolTable): readonly Opener[] {
  const { prefix = '' } = options
  const open = oneOf(...options.open.map(anyCase))
  const behind = ahead('\\s{0,64}', oneOf('(?<json>\\{)', '[^\\s{]'))

  function identify({ name = '', json }: Groups) {
    const isMeant = tools.known ? tools.find(name) : name.startsWith('@')
    if (json === undefined && !isMeant) return undefined
    return { name: name.startsWith(prefix) ? name : prefix + name }
  }

  const call = namedJson({
    header: sequence(open, SPACE, NAME, '(?=[\\s\\]{])', behind),
    // Words stand on one line.
    open: oneOf(open, '[\\r\\n]'),
    close: '\\]',
    closer: ']',
    stops: '[]\r\n',
    plain: true,
    identify,
    readWords(words, schema) {
      const { arguments: args, repairs } = parseArguments(words, schema)
      return { json: writeJson(args), repairs }
    },
  })
  return options.open.map((opener) => ({ ...call, prefix: markerAnyCase(opener).prefix }))
}
