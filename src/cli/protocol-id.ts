/** The id of a protocol, as an option has it. */
import { didYouMean } from '../core/nearest.ts'
import { allProtocols, findProtocol } from '../protocols/registry.ts'
import { UsageError } from './command.ts'

export function checkProtocol(id: string): string {
  if (findProtocol(id)) return id
  const ids = allProtocols.map((protocol) => protocol.id)
  throw new UsageError(
    `no protocol is called ${id}${didYouMean(id, ids)}; "toolglot protocols" lists them all`,
  )
}
