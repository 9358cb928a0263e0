import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allProtocols } from '../src/protocols/registry.ts'
import { type ProtocolCase, protocolContract } from './contract/protocol.ts'

for (const protocol of allProtocols) {
  // A protocol without a fixtures file of the same name fails here, by design.
  const fixtures: { cases: readonly ProtocolCase[] } = await import(
    `./fixtures/protocols/${protocol.id}.ts`
  )
  protocolContract(protocol, fixtures.cases, allProtocols)
}

test('every fixtures file belongs to a protocol', () => {
  const files = readdirSync(new URL('./fixtures/protocols', import.meta.url))
  expect(files.sort()).toEqual(allProtocols.map(({ id }) => `${id}.ts`).sort())
})
