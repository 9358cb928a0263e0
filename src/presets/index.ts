/**
 * Presets reproduce, literally, how four earlier systems read a reply. They are data: option values
 * that `extract` starts from. `docs/reference/presets.md` lists what differs on purpose.
 */
import { InvalidInputError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import { functionPattern } from '../protocols/function-pattern.ts'
import { chatcliTiers } from './chatcli.ts'
import { fencesOnly, firstCascade, laterCascade } from './exathena.ts'
import type { Preset } from './preset.ts'

export type { Preset, Tier } from './preset.ts'

export type PresetName =
  | 'exathena-0.4'
  | 'exathena-0.4.6'
  | 'exathena'
  | 'go-agentic'
  | 'chatcli'
  | 'ai-gents'

const PRESETS: Readonly<Record<PresetName, Preset>> = {
  'exathena-0.4': {
    repair: 'off',
    onMalformed: 'error',
    ensureUniqueIds: false,
    tiers: fencesOnly,
  },
  'exathena-0.4.6': {
    repair: 'off',
    onMalformed: 'error',
    ensureUniqueIds: false,
    tiers: firstCascade,
  },
  exathena: {
    onMalformed: 'sentinel',
    dedupe: 'exact',
    nativeRepairs: ['dropped-comma'],
    tiers: laterCascade,
  },
  'go-agentic': {
    repair: 'off',
    onMalformed: 'skip',
    ids: 'sequential',
    ensureUniqueIds: false,
    allowUnknownTools: true,
    nativeShape: 'openai',
    fallThrough: true,
    tiers: [{ protocols: [functionPattern], dedupe: 'exact' }],
  },
  chatcli: {
    repair: 'off',
    onMalformed: 'raw',
    ensureUniqueIds: false,
    allowUnknownTools: true,
    tiers: chatcliTiers,
  },
  'ai-gents': { repair: 'off', ensureUniqueIds: false, tiers: [{ protocols: [] }] },
}

export const PRESET_NAMES: readonly PresetName[] = Object.keys(PRESETS) as PresetName[]

/** The preset of this name; a `TypeError` lists the known ones. */
export function getPreset(name: string): Preset {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name as PresetName]
  throw new InvalidInputError(
    `unknown preset "${name}"${didYouMean(name, PRESET_NAMES)}; known are: ${PRESET_NAMES.join(', ')}`,
  )
}
