/**
 * Syntax factory: a call in brackets, name first, then JSON or plain words.
 *
 *     [tool: @search {"query": "fjords"}]
 */
import { readSpelled } from '../arguments/spelled.ts'
import { checkList, checkObject, checkTable } from '../caller-input.ts'
import { parseObject } from '../json/strict.ts'
import { writeJson } from '../json/write.ts'
import type { CallEnding, Opener, ReadContext, Reader, ToolTable } from '../protocol.ts'
import { anyCase, prefixAnyCase } from './any-case.ts'
import { lineEnds, readIfFollowed } from './followed-calls.ts'
import { type Groups, namedJson } from './named-json.ts'
import { ahead, oneOf, type Pattern, SPACE, sequence } from './pattern.ts'
import { plainSchema } from './plain-schema.ts'

export interface BracketedOptions {
  /** The markers, in lower case: `[tool:`. */
  readonly open: readonly string[]
  /** Put before a name that lacks it. */
  readonly prefix?: string
}

/** Letters and digits of all languages, but no ellipsis. */
const NAME = '(?<name>[\\w@.:/\\xaa-\\u1fff\\u2c00-\\uffef-]{1,127})'

const WORDS = ahead('[ \\t]{0,64}', '[^\\s{]')

/**
 * `[tool: syntax]` may be prose: without JSON only a marked or declared name is a call, and a declared one
 * only if it stands alone on its line with all that the tool needs.
 */
export function bracketed(options: BracketedOptions, tools: ToolTable): readonly Opener[] {
  checkObject('options', options, "{ open: ['[tool:'] }")
  checkList('open', options.open, 'a list of markers')
  checkTable(tools)
  const { prefix = '' } = options
  const open = oneOf(...options.open.map(anyCase))

  const call = (behind: Pattern, isMeant: (name: string) => unknown) =>
    namedJson({
      header: sequence(open, SPACE, NAME, '(?=[\\s\\]{])', behind),
      // Words stand on one line.
      open: oneOf(open, '[\\r\\n]'),
      close: '\\]',
      closer: ']',
      stops: '[]\r\n',
      plain: true,
      identify: ({ name = '' }: Groups) =>
        isMeant(name) ? { name: name.startsWith(prefix) ? name : prefix + name } : undefined,
      readWords(words, schema, fit) {
        const { arguments: args, repairs } = readSpelled(words, schema, fit)
        return { json: writeJson(args), repairs }
      },
    })

  const calls = [
    call(ahead('\\s{0,64}', '\\{'), () => true),
    tools.known
      ? { ...alone(call(WORDS, tools.find)), boundary: 'line' as const }
      : call(WORDS, (name) => name.startsWith('@')),
  ]
  return calls.flatMap((one) =>
    options.open.map((opener) => ({ ...one, prefix: prefixAnyCase(opener) })),
  )
}

/** Makes calls only where they are all of their line and lack nothing. */
function alone<T extends Pick<Opener, 'open'>>(opener: T): T {
  function open(context: ReadContext): Reader {
    let lacks = false
    function begin(own: ReadContext, ...named: Parameters<ReadContext['begin']>) {
      const draft = own.begin(...named)
      if (!draft) return draft
      const { required } = plainSchema(draft.schema)
      return {
        ...draft,
        end(ending: CallEnding) {
          const given = parseObject(ending.json) ?? {}
          lacks = required.some((key) => !Object.hasOwn(given, key))
          draft.end(ending)
        },
      }
    }
    return readIfFollowed(
      context,
      (...place) => !lacks && lineEnds(...place),
      (own) => opener.open({ ...own, begin: (...named) => begin(own, ...named) }),
    )
  }
  return { ...opener, open }
}
