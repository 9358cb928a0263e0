/**
 * Presets reproduce, literally, how four earlier systems read a reply. They are data: option values
 * that `extract` starts from.
 */
import { InvalidInputError } from '../core/errors.ts'
import type { CoreOptions } from '../core/options.ts'
import type { Protocol } from '../core/protocol.ts'
import { functionPattern } from '../protocols/function-pattern.ts'
import { hermes } from '../protocols/hermes.ts'
import { rawJson } from '../protocols/raw-json.ts'
import { textTagged, textTaggedOpener } from '../protocols/text-tagged.ts'
import { chatcliProtocols } from './chatcli.ts'

export interface Preset extends Omit<CoreOptions, 'tools'> {
  /** A native call without an id is malformed. */
  readonly requireId?: boolean
  /** Native calls of which none can be read leave the text to be searched. */
  readonly fallThrough?: boolean
}

/** A block holds one call, never a list. */
const singleCallOpeners = [textTaggedOpener(false)]
const singleCallBlocks: Protocol = { ...textTagged, openers: () => singleCallOpeners }

export type PresetName =
  | 'exathena-0.4'
  | 'exathena-0.4.6'
  | 'exathena'
  | 'go-agentic'
  | 'chatcli'
  | 'ai-gents'

const PRESETS: Readonly<Record<PresetName, Preset>> = {
  'exathena-0.4': { protocols: [singleCallBlocks], onMalformed: 'error' },
  'exathena-0.4.6': {
    protocols: [singleCallBlocks, rawJson],
    rawJson: 'anywhere',
    onMalformed: 'error',
  },
  exathena: {
    protocols: [singleCallBlocks, hermes, rawJson],
    rawJson: 'message',
    onMalformed: 'sentinel',
    dedupe: 'exact',
  },
  'go-agentic': {
    protocols: [functionPattern],
    onMalformed: 'skip',
    ids: 'sequential',
    ensureUniqueIds: false,
    dedupe: 'exact',
    allowUnknownTools: true,
    requireId: true,
    fallThrough: true,
  },
  chatcli: {
    protocols: chatcliProtocols,
    rawJson: 'anywhere',
    onMalformed: 'raw',
    allowUnknownTools: true,
  },
  'ai-gents': { protocols: [] },
}

export const PRESET_NAMES: readonly PresetName[] = Object.keys(PRESETS) as PresetName[]

/** The preset of this name; a `TypeError` lists the known ones. */
export function getPreset(name: string): Preset {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name as PresetName]
  throw new InvalidInputError(`unknown preset "${name}"; known are: ${PRESET_NAMES.join(', ')}`)
}
