import { expect, test } from 'vitest'
import type { Tool } from '../core/model.ts'
import { sharedTools } from './shared-tools.ts'

function weather(type: string): Tool {
  return { name: 'weather', inputSchema: { type: 'object', properties: { city: { type } } } }
}

test('equal lists are one', () => {
  expect(sharedTools([weather('string')])).toBe(sharedTools([weather('string')]))
  expect(sharedTools([weather('string')])).not.toBe(sharedTools([weather('number')]))
  expect(sharedTools([weather('number')])).toEqual([weather('number')])
})

test('who changes a list afterwards changes only their own', () => {
  const mine = [{ name: 'now', inputSchema: { type: 'object', properties: {} } }]
  sharedTools(mine)
  Object.assign(mine[0]?.inputSchema.properties ?? {}, { zone: { type: 'string' } })
  const others = [{ name: 'now', inputSchema: { type: 'object', properties: {} } }]
  expect(sharedTools(others)).toEqual(others)
  expect(sharedTools(mine)).toEqual(mine)
})

test('what JSON cannot hold stays as it is', () => {
  const round: Record<string, unknown> = { type: 'object' }
  round['properties'] = { self: round }
  const tools = [{ name: 'walk', inputSchema: round }] as unknown as Tool[] // no schema should be so
  expect(sharedTools(tools)).toBe(tools)
})
