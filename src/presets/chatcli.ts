/**
 * The formats of the `chatcli` preset: tools are called `@name`, and an object with a known command
 * is a call of `@coder`.
 */
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { Opener, Protocol, ReadContext, Reader } from '../core/protocol.ts'
import { bracketed } from '../core/text/bracketed.ts'
import { freeJson } from '../core/text/free-json.ts'
import { createJsonArguments } from '../core/text/json-arguments.ts'
import { createSteps } from '../core/text/steps.ts'
import { BRACKET_MARKERS, bracket } from '../protocols/bracket.ts'
import { hermes } from '../protocols/hermes.ts'
import { jsonShim } from '../protocols/json-shim.ts'
import { rawJson } from '../protocols/raw-json.ts'
import { xmlAttributes } from '../protocols/xml-attributes.ts'
import type { Tier } from './preset.ts'

const COMMAND =
  /^(clean|exec|git-(branch|changed|diff|log|status)|patch|read|rollback|search|test|tree|write)$/

const KEYS = {
  name: ['tool_call', 'name', 'tool'],
  arguments: ['args', 'arguments'],
  id: [],
  wrappers: [],
}

const namedOpeners = freeJson({ keys: KEYS, accepts: isToolName })
const commandOpeners: readonly Opener[] = freeJson({ keys: KEYS, firstKey: 'cmd' }).map(
  (opener) => ({ ...opener, open: readCommand }),
)

const brackets: Protocol = {
  ...bracket,
  openers: (tools) => bracketed({ open: BRACKET_MARKERS, prefix: '@' }, tools),
}

/** Arguments in text are recovered as far as possible; brackets are read where nothing else is a call. */
const text: Omit<Tier, 'protocols'> = { repair: 'guess', rawJson: 'anywhere' }

export const chatcliTiers: readonly Tier[] = [
  {
    ...text,
    protocols: [
      xmlAttributes,
      hermes,
      jsonShim,
      { ...rawJson, openers: () => commandOpeners },
      { ...rawJson, openers: () => namedOpeners },
    ],
  },
  { ...text, protocols: [brackets] },
]

function isToolName(name: string): boolean {
  return name.startsWith('@') || name === 'coder'
}

/** `{"cmd": "read", "args": {…}}`: the whole object is what `@coder` gets. */
function readCommand(context: ReadContext): Reader {
  const args = createJsonArguments(context, undefined)
  const reader = createSteps<Reader['state']>((text, at, last) => {
    const end = args.reader.read(text, at, last)
    if (args.reader.status === 'open' && !last) return end
    const json = args.reader.status === 'done' ? args.json() : 'null'
    const draft = isCommand(parseStrict(json)) ? context.begin('@coder') : undefined
    draft?.end({ json, repairs: args.repairs, end })
    reader.state = draft ? 'done' : 'declined'
    return end
  })
  return reader
}

/** A web search result looks like the command `search`; what tells them apart is the query. */
function isCommand(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const { cmd, args } = value
  if (typeof cmd !== 'string' || !COMMAND.test(cmd)) return false
  return !(cmd === 'search' && isJsonObject(args) && 'query' in args)
}
