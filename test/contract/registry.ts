/** The contract of every registered protocol, in parts that run side by side. */
import { allProtocols } from '../../src/protocols/registry.ts'
import { type ProtocolCase, protocolContract } from './protocol.ts'

const auto = allProtocols.filter(({ auto }) => auto !== false)

export async function holdToContract(part: number, parts: number): Promise<void> {
  for (const protocol of allProtocols.filter((_, index) => index % parts === part)) {
    // A protocol without a fixtures file of the same name fails here, by design.
    const fixtures: { cases: readonly ProtocolCase[] } = await import(
      `../fixtures/protocols/${protocol.id}.ts`
    )
    protocolContract(protocol, fixtures.cases, protocol.auto === false ? [protocol, ...auto] : auto)
  }
}
