/** What a preset is made of. */
import type { IssueCode, RepairCode } from '../core/issue.ts'
import type { CoreOptions, Sought } from '../core/options.ts'
import type { Protocol } from '../core/protocol.ts'

/** How a reply is read, whatever is looked for in it. */
type Manner = Omit<CoreOptions, keyof Sought>

/** The options at the top are those for native calls; a tier has its own for text. */
export interface Preset extends Manner {
  /** What text is read for, best first: the first tier that finds something shuts out those after it. */
  readonly tiers: readonly Tier[]
  /** Native calls of any other shape are malformed. */
  readonly nativeShape?: 'openai'
  /** The only repairs that arguments of native calls get. */
  readonly nativeRepairs?: readonly RepairCode[]
  /** Native calls of which none can be read leave the text to be searched. */
  readonly fallThrough?: boolean
}

export interface Tier extends Manner {
  readonly protocols: readonly Protocol[]
  /** Text that decides for this tier wherever it occurs, whatever the tier finds. */
  readonly marker?: string
  /** Issues that decide for this tier like a call does, unless the provider has no native tool calls. */
  readonly issues?: readonly IssueCode[]
  /** The tier counts only when the text begins with one of these characters, or with a call. */
  readonly begins?: string
}
