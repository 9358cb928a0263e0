/**
 * What the three generations of ExAthena read in text. A block is strict: both fences on lines of their own,
 * and between them one JSON object with a `name`.
 */
import type { Opener, Protocol } from '../core/protocol.ts'
import { closedBlock, mentioned } from '../core/text/closed-block.ts'
import { freeJson } from '../core/text/free-json.ts'
import { type CallKeys, COMMON_KEYS } from '../core/text/json-calls.ts'
import { marker } from '../core/text/marker.ts'
import { untilLine, untilMarker } from '../core/text/result-block.ts'
import { hermes } from '../protocols/hermes.ts'
import { OTHER_KEYS, rawJson } from '../protocols/raw-json.ts'
import { CLOSE, FENCE_LINE, OPEN, textTagged } from '../protocols/text-tagged.ts'
import type { Tier } from './preset.ts'

/**
 * Arguments under a key of another system are read and not left out: a call without them would do something
 * that was not asked for.
 */
const BLOCK_KEYS: CallKeys = { ...COMMON_KEYS, name: ['name'], id: ['id'], wrappers: [] }

/** A fence with more on its line is neither a block nor the beginning of a code block. */
const fenceOnLine = mentioned({ ...marker(OPEN), boundary: 'line' })

const blocks = readBy(textTagged, [
  closedBlock({
    open: FENCE_LINE,
    findEnd: untilLine(CLOSE, OPEN),
    keys: BLOCK_KEYS,
    otherwise: 'issue',
  }),
  fenceOnLine,
])

const TAG = '<tool_call>'

const tags = readBy(hermes, [
  closedBlock({
    open: marker(TAG),
    findEnd: untilMarker('</tool_call>'),
    keys: { ...BLOCK_KEYS, arguments: ['arguments', 'input'] },
    otherwise: 'text',
  }),
])

const bareObjects: Protocol = {
  ...readBy(rawJson, [
    ...freeJson({
      keys: { ...COMMON_KEYS, name: ['name'], arguments: ['arguments'], id: ['id'] },
      otherKeys: OTHER_KEYS,
    }),
    fenceOnLine,
  ]),
  // What a model makes up in place of a tool is no text in any tier.
  results: textTagged.results ?? [],
}

function readBy(protocol: Protocol, openers: readonly Opener[]): Protocol {
  return { ...protocol, openers: () => openers }
}

/** Malformed JSON is an error wherever it is in a block, and no call wherever it is bare. */
const fences: Tier = {
  protocols: [blocks],
  repair: 'off',
  onMalformed: 'error',
  dedupe: false,
  ensureUniqueIds: false,
}
const bare: Tier = {
  ...fences,
  protocols: [bareObjects],
  rawJson: 'anywhere',
  onMalformed: 'issue',
}

/** A fence shuts out the rest of the tiers even where it is no call. */
const fencesFirst: Tier = { ...fences, issues: ['empty-call', 'unclosed-call', 'quoted-call'] }

export const fencesOnly: readonly Tier[] = [fences]

export const firstCascade: readonly Tier[] = [fencesFirst, bare]

export const laterCascade: readonly Tier[] = [
  fencesFirst,
  { protocols: [tags], repair: 'off', marker: TAG },
  { ...bare, begins: '{[' },
]
