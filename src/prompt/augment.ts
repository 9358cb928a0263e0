/** Tools for models that have none: their description goes into the system prompt. */
import { checkText, refused } from '../core/caller-input.ts'
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import { InvalidInputError } from '../core/errors.ts'
import type { Tool } from '../core/model.ts'
import type { Protocol, ToolListing } from '../core/protocol.ts'
import { normalizeTools } from '../core/schema/tool.ts'
import { getProtocol } from '../protocols/registry.ts'
import { compactListing } from './compact-list.ts'
import { type FittedList, fitList } from './fitted-list.ts'

export interface AugmentOptions {
  /** The format the model shall write its calls in: an id, or a protocol of your own. */
  readonly protocol?: string | Protocol
  /** One line a tool instead of its whole schema; `auto` does so when the schemas are long. */
  readonly compact?: boolean | 'auto'
}

const KEYS: OptionKeys<AugmentOptions> = { protocol: 0, compact: 0 }

/** Characters of full instructions that `auto` still takes. */
const MAX_FULL = 8192

/**
 * The system prompt with instructions for calling tools behind it. Tools may be in any provider's
 * spelling.
 *
 * @throws InvalidInputError when a tool has no usable name or schema, or no such protocol exists.
 */
export function augmentSystemPrompt(
  system: string | undefined | null,
  tools: Parameters<typeof normalizeTools>[0],
  options: AugmentOptions = {},
): string {
  checkText('the system prompt', system ?? '')
  checkKeys('augmentSystemPrompt', options, KEYS, '{ compact: true }')
  const { protocol = 'text-tagged', compact = false }: AugmentOptions = options
  const instructions = instruct(asProtocol(protocol), normalizeTools(tools), compact)
  return system?.trim() ? `${system}\n\n${instructions}` : instructions
}

/** Instructions for calling tools, the list of which takes no more than so many characters if it can. */
export function fittedInstructions(
  protocol: Protocol,
  tools: readonly Tool[],
  room: number,
): FittedList {
  return writing(tools, () => {
    const around = protocol.formatTools(tools, { listing: EMPTY }).length
    return fitList(tools, room + around, (listed, listing) =>
      protocol.formatTools(listed, listing && { listing }),
    )
  })
}

const EMPTY: ToolListing = { legend: '', list: () => '' }

function asProtocol(protocol: string | Protocol): Protocol {
  if (typeof protocol === 'string') return getProtocol(protocol)
  if (typeof protocol?.formatTools === 'function') return protocol
  throw refused('protocol', protocol, 'an id or a protocol of your own')
}

function instruct(protocol: Protocol, tools: readonly Tool[], compact: boolean | 'auto'): string {
  return writing(tools, () => {
    if (compact === true) return protocol.formatTools(tools, { listing: compactListing })
    const full = protocol.formatTools(tools)
    const tooLong = compact === 'auto' && full.length > MAX_FULL
    return tooLong ? protocol.formatTools(tools, { listing: compactListing }) : full
  })
}

/** What cannot be written is blamed on the tool. */
function writing<T>(tools: readonly Tool[], write: () => T): T {
  try {
    return write()
  } catch (error) {
    for (const tool of tools) checkWritable(tool)
    throw error
  }
}

/** A schema that contains itself, or is too deep, can be read but not written. */
function checkWritable({ name, inputSchema }: Tool): void {
  try {
    JSON.stringify(inputSchema)
  } catch (cause) {
    throw new InvalidInputError(
      `the schema of tool ${name} cannot be written as JSON; where it contains itself, use $ref`,
      { cause },
    )
  }
}
