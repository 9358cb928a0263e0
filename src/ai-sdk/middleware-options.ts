/** What a caller can ask of the middleware. */
import { refused } from '../core/caller-input.ts'
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import type { Issue, Repair } from '../core/issue.ts'
import type { ToolCall } from '../core/model.ts'
import type { Protocol } from '../core/protocol.ts'
import { checkWords } from '../extract-options.ts'
import { getProtocol, type ProtocolId } from '../protocols/registry.ts'
import { checkReading, READING_KEYS, type ReadingOptions } from '../reading-options.ts'

const MODES = ['rescue', 'text', 'auto'] as const

const KEYS: OptionKeys<MiddlewareOptions> = {
  ...READING_KEYS,
  mode: 0,
  protocol: 0,
  model: 0,
  compact: 0,
  reasoning: 0,
  allowUnknownTools: 0,
  generateId: 0,
  onIssue: 0,
  onRepair: 0,
}

/**
 * When the middleware is made, and not at the first reply.
 *
 * @throws InvalidInputError
 */
export function checkOptions(options: MiddlewareOptions): void {
  checkKeys('toolglotMiddleware', options, KEYS, "{ mode: 'text' }")
  const { mode = 'auto', protocol, reasoning, onIssue, onRepair }: MiddlewareOptions = options
  if (!MODES.includes(mode)) throw refused('mode', mode, MODES.join(', '))
  if (typeof protocol === 'string') getProtocol(protocol)
  checkReading(options)
  checkWords({ reasoning })
  for (const [name, listener] of Object.entries({ onIssue, onRepair })) {
    if (listener === undefined || typeof listener === 'function') continue
    throw refused(name, listener, 'a function')
  }
}

export interface MiddlewareOptions extends ReadingOptions {
  /**
   * `rescue`: tools go to the model as the provider has them, and calls that it leaves in its text are
   * found. `text`: the tools are described in the system prompt, and all calls are read from the text.
   * Default `auto`: rescue, and text from the moment when a provider refuses tools.
   */
  readonly mode?: (typeof MODES)[number]
  /** The format that the model is asked to write in text mode. Default `text-tagged`. */
  readonly protocol?: ProtocolId | Protocol | (string & {})
  /** The model, when its id does not tell its family. */
  readonly model?: string
  /** In text mode, one line a tool instead of its whole schema. Default `auto`: when they are long. */
  readonly compact?: boolean | 'auto'
  /** `text` leaves reasoning where it stands in the text, with its tags. Default `split`. */
  readonly reasoning?: 'split' | 'text'
  /** Hand calls of tools that were not offered to the SDK, which refuses them. Default: they are text. */
  readonly allowUnknownTools?: boolean
  /** Ids for the calls that are found, where the model gave none. */
  readonly generateId?: () => string
  /** Told of everything that was wrong with a reply. What it throws is ignored. */
  readonly onIssue?: (issue: Issue) => void
  /** Told of every call that had to be mended. What it throws is ignored. */
  readonly onRepair?: (repairs: readonly Repair[], call: ToolCall) => void
}
