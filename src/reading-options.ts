/** How replies are read: the options that `extract` shares with all that ask a model. */
import { refused } from './core/caller-input.ts'
import type { OptionKeys } from './core/check-options.ts'
import type { RepairLevel } from './core/options.ts'
import type { Protocol } from './core/protocol.ts'
import { checkWords } from './extract-options.ts'
import { getPreset, type PresetName } from './presets/index.ts'
import { getProtocol, type ProtocolId } from './protocols/registry.ts'

export interface ReadingOptions {
  /** The formats to look for: `auto` is every format that needs no asking; or ids, or protocols of your own. */
  readonly protocols?: 'auto' | readonly (ProtocolId | (string & {}) | Protocol)[] | undefined
  /** How far what is not JSON may be repaired. Default `guess`. */
  readonly repair?: RepairLevel | undefined
  /** Start from the options of an earlier system. */
  readonly preset?: PresetName | undefined
}

/** Part of the known options of all that take them. */
export const READING_KEYS: OptionKeys<ReadingOptions> = { preset: 0, protocols: 0, repair: 0 }

type Definite<Options> = { readonly [Key in keyof Options]?: Exclude<Options[Key], undefined> }

/**
 * What several layers say together, without what they leave open. A later layer goes before an earlier one;
 * one with a preset starts anew.
 */
export function mergeReading(...layers: readonly ReadingOptions[]): Definite<ReadingOptions> {
  return layers.reduce<Definite<ReadingOptions>>((before, { preset, protocols, repair }) => {
    const kept = preset === undefined ? before : {}
    return {
      ...kept,
      ...(preset !== undefined && { preset }),
      ...(protocols !== undefined && { protocols }),
      ...(repair !== undefined && { repair }),
    }
  }, {})
}

/** @throws InvalidInputError for a preset, format or word that there is not. */
export function checkReading({ preset, protocols, repair }: ReadingOptions): void {
  if (preset !== undefined) getPreset(preset)
  checkWords({ repair })
  if (protocols === undefined || protocols === 'auto') return
  if (!Array.isArray(protocols)) throw refused('protocols', protocols, 'auto or a list')
  for (const protocol of protocols) asProtocol(protocol)
}

/** What is neither an id nor a protocol, such as the misspelled member of a module, is refused like an unknown id. */
export function asProtocol(given: string | Protocol): Protocol {
  const isProtocol = typeof given === 'object' && 'openers' in (given ?? {})
  return isProtocol ? given : getProtocol(String(given))
}
