import { expect, test } from 'vitest'
import { extract } from '../extract.ts'

test.for([10_000, 100_000, 1_000_000])('a tool may have a name of %i characters', (length) => {
  const name = 'a'.repeat(length)
  const text = `Well.<tool_call>{"name": "${name}", "arguments": {}}</tool_call>`
  expect(extract(text, { tools: [name] }).calls).toMatchObject([{ name }])
})
