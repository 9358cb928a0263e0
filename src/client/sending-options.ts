/** How requests are written for one service or model: what its server takes, and how tools reach it in text mode. */
import { refused } from '../core/caller-input.ts'
import type { OptionKeys } from '../core/check-options.ts'
import type { Quirks, ReasoningField, SystemMessages } from '../core/dialect.ts'
import { REASONING_FIELDS } from '../dialects/openai-chat/reasoning-field.ts'
import type { Route } from '../providers/provider.ts'
import type { ModelMemory } from './model-memory.ts'

export interface SendingOptions {
  /**
   * `first`: the model takes one system message, before all others; later ones become text of the user.
   * `anywhere`: any number of them, at any place. Default: what is known of the provider.
   */
  readonly systemMessages?: SystemMessages | undefined
  /**
   * The field of assistant messages in which the reasoning of earlier turns goes back, where the service speaks
   * OpenAI's chat dialect; false: it does not go back, in any dialect with such a field. Default: the field in
   * which the service has sent reasoning itself, or the one that is known of the provider.
   */
  readonly reasoningField?: ReasoningField | false | undefined
  /** In text mode, one line a tool instead of its whole schema. Default `auto`: when there is no room for more. */
  readonly compact?: boolean | 'auto' | undefined
  /**
   * How many characters the list of tools may take in text mode before descriptions are shortened. Default: what
   * fits into half of the model's context.
   */
  readonly toolListChars?: number | undefined
}

export const SENDING_KEYS: OptionKeys<SendingOptions> = {
  systemMessages: 0,
  reasoningField: 0,
  compact: 0,
  toolListChars: 0,
}

export const SYSTEM_MESSAGES: readonly SystemMessages[] = ['first', 'anywhere']

/** @throws InvalidInputError */
export function checkSending(options: SendingOptions): void {
  const { systemMessages, reasoningField, compact, toolListChars } = options
  checkOneOf('systemMessages', systemMessages, SYSTEM_MESSAGES)
  checkOneOf('reasoningField', reasoningField, [...REASONING_FIELDS, false])
  checkOneOf('compact', compact, [true, false, 'auto'])
  const isCount = Number.isSafeInteger(toolListChars) && Number(toolListChars) >= 1
  if (toolListChars === undefined || isCount) return
  throw refused('toolListChars', toolListChars, 'a whole number from 1')
}

function checkOneOf(name: string, value: unknown, known: readonly unknown[]): void {
  if (value === undefined || known.includes(value)) return
  throw refused(name, value, known.map(String).join(', '))
}

/** What several layers say together; a later layer goes before an earlier one. */
export function mergeSending(...layers: readonly SendingOptions[]): SendingOptions {
  const merged: Record<string, unknown> = {}
  for (const layer of layers) {
    for (const key of Object.keys(SENDING_KEYS) as (keyof SendingOptions)[]) {
      if (layer[key] !== undefined) merged[key] = layer[key]
    }
  }
  // Each value comes from the field of the same name.
  return merged as SendingOptions
}

export interface QuirkOptions extends SendingOptions {
  readonly quirks?: Quirks | undefined
}

/** What is known of a model in the end: of its provider, by the caller, and from its replies and refusals. */
export function quirksFor(
  { quirks: usual = {} }: Route,
  model: string,
  { quirks = {}, systemMessages, reasoningField }: QuirkOptions,
  models: ModelMemory,
): Quirks {
  const field = models.reasoningField(
    model,
    usual.reasoningField,
    reasoningField ?? quirks.reasoningField,
  )
  return {
    ...usual,
    ...quirks,
    ...(systemMessages !== undefined && { systemMessages }),
    ...(field !== undefined && { reasoningField: field }),
  }
}
