import { expect, test } from 'vitest'
import { nameTools } from './tool-names.ts'

const tools = [
  { server: 'web', tool: 'search' },
  { server: 'web', tool: 'fetch' },
  { server: 'mail', tool: 'search' },
]

test.for([
  [true, ['web__search', 'web__fetch', 'mail__search']],
  ['on-conflict', ['web__search', 'fetch', 'mail__search']],
] as const)('prefix %s', ([prefix, names]) => {
  expect(nameTools(tools, prefix)).toEqual(names)
})

test.for([
  [false, tools],
  [
    true,
    [
      { server: 'a', tool: 'b__c' },
      { server: 'a__b', tool: 'c' },
    ],
  ],
  ['on-conflict', [...tools, { server: 'chat', tool: 'web__search' }]],
] as const)('prefix %s never gives two tools one name', ([prefix, list]) => {
  expect(() => nameTools(list, prefix)).toThrow(/both have a tool named/)
})
