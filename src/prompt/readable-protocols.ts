/** Which formats are looked for in the answer of a model that was asked to write one of them. */
import type { Protocol } from '../core/protocol.ts'
import { allProtocols } from '../protocols/registry.ts'

/** A model that was asked for one format may still fall back to its own. */
export function readableProtocols(asked: Protocol): 'auto' | readonly Protocol[] {
  if (asked.auto !== false && allProtocols.includes(asked)) return 'auto'
  const others = allProtocols.filter(({ auto, free }) => auto !== false && free !== 'text')
  return [asked, ...others]
}
