/** Looking protocols up. The only place that imports all of them. */
import { unknownName } from '../core/name-table.ts'
import type { Protocol } from '../core/protocol.ts'
import * as registry from './index.ts'

/** The id of a registered protocol. */
export type ProtocolId = (typeof registry)[keyof typeof registry]['id']

/**
 * All registered protocols, listed by id, because bundlers list the members of a module in orders of their own. Which of
 * them reads a text that several could read is not decided by this order but by what they declare (`before`).
 */
export const allProtocols: readonly Protocol[] = Object.values<Protocol>(registry).sort((a, b) =>
  a.id < b.id ? -1 : 1,
)

const byId: ReadonlyMap<string, Protocol> = new Map(allProtocols.map((one) => [one.id, one]))

export function findProtocol(id: string): Protocol | undefined {
  return byId.get(id)
}

/**
 * The protocol with this id.
 *
 * @throws InvalidInputError that names the nearest one, or else all of them.
 */
export function getProtocol(id: string): Protocol {
  const protocol = findProtocol(id)
  if (protocol) return protocol
  throw unknownName('protocol', id, [...byId.keys()])
}
