/** Tools for models that have none: their description goes into the system prompt. */
import { checkText } from '../core/caller-input.ts'
import type { Protocol } from '../core/protocol.ts'
import { normalizeTools } from '../core/schema/tool.ts'
import { getProtocol } from '../protocols/registry.ts'
import { compactListing } from './compact-list.ts'

export interface AugmentOptions {
  /** The format the model shall write its calls in: an id, or a protocol of your own. */
  readonly protocol?: string | Protocol
  /** One line a tool instead of its whole schema; `auto` does so when the schemas are long. */
  readonly compact?: boolean | 'auto'
}

/** Characters of full instructions that `auto` still takes. */
const MAX_FULL = 8192

/**
 * The system prompt with instructions for calling tools behind it. Tools may be in any provider's
 * spelling.
 *
 * @throws TypeError when a tool has no usable name or schema, or no such protocol exists.
 */
export function augmentSystemPrompt(
  system: string | undefined | null,
  tools: Parameters<typeof normalizeTools>[0],
  options: AugmentOptions = {},
): string {
  checkText('the system prompt', system ?? '')
  const { protocol = 'text-tagged', compact = false } = options
  const format = typeof protocol === 'string' ? getProtocol(protocol) : protocol
  const instructions = instruct(format, normalizeTools(tools), compact)
  return system?.trim() ? `${system}\n\n${instructions}` : instructions
}

function instruct(
  protocol: Protocol,
  tools: ReturnType<typeof normalizeTools>,
  compact: boolean | 'auto',
): string {
  if (compact === true) return protocol.formatTools(tools, { listing: compactListing })
  const full = protocol.formatTools(tools)
  const tooLong = compact === 'auto' && full.length > MAX_FULL
  return tooLong ? protocol.formatTools(tools, { listing: compactListing }) : full
}
