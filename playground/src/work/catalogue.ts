/** What there is to choose from: everything the registries list, and replies to begin with. */
import { SAMPLE_CALL } from '../../../src/cli/sample-tool.ts'
import { SAMPLE_TOOLS, SAMPLES } from '../../../src/cli/samples.ts'
import { PAYLOAD_KINDS, type PayloadKind } from '../../../src/dialects/payload.ts'
import { allDialects } from '../../../src/dialects/registry.ts'
import { allProtocols } from '../../../src/protocols/registry.ts'

export interface Catalogue {
  readonly protocols: readonly CatalogueProtocol[]
  readonly dialects: readonly string[]
  readonly kinds: readonly PayloadKind[]
  /** Replies as models really write them. */
  readonly samples: readonly ReplySample[]
  /** The tools of the samples, as JSON. */
  readonly tools: string
}

export interface CatalogueProtocol {
  readonly id: string
  readonly emitters: string
  /** A reply with one call in it. */
  readonly reply: string
  /** False: it is read only when asked for by name. */
  readonly isAuto: boolean
}

export interface ReplySample {
  readonly title: string
  readonly reply: string
  readonly isCut: boolean
}

export function catalogue(): Catalogue {
  return {
    protocols: allProtocols.map(({ id, emitters, auto, free, formatCall }) => {
      const call = formatCall(SAMPLE_CALL)
      // What has no marker of its own is a call only when nothing stands beside it.
      return { id, emitters, isAuto: auto !== false, reply: free ? call : `Let me check.\n${call}` }
    }),
    dialects: allDialects.map(({ id }) => id).sort(),
    kinds: PAYLOAD_KINDS,
    samples: SAMPLES.map(({ title, reply, finishReason }) => {
      return { title, reply, isCut: finishReason === 'length' }
    }),
    tools: JSON.stringify(SAMPLE_TOOLS, null, 2),
  }
}
