import { expect, test } from 'vitest'
import { extract } from '../src/index.ts'
import { dropsText } from './dropped-text.ts'

const CALL = '<tool_call>{"name": "tide", "arguments": {}}</tool_call>'

function drops(expected: string, input: string): boolean {
  const { segments = [] } = extract(input, { protocols: ['hermes'], trace: true })
  return dropsText(expected, input, segments)
}

test.for([
  ['Let me look.', `Let me look.\n${CALL}\nDone soon.`, 'what follows a call'],
  ['Done soon.', `Let me look.\n${CALL}\nDone soon.`, 'what precedes a call'],
  ['', `Let me look.\n${CALL}`, 'everything'],
  ['One. Three.', `One. ${CALL} Two. ${CALL} Three.`, 'what stands between calls'],
] as const)('%j of %j: the reference drops %s', ([expected, input]) => {
  expect(drops(expected, input)).toBe(true)
})

test.for([
  ['Let me look.', `Let me look.\n${CALL}</tool>`, 'a closer is left over'],
  ['', `[TOOL_CALLS]${CALL}`, 'a marker is left over'],
  ['Let me', `Let me look.\n${CALL}`, 'only whole runs are dropped'],
  ['Let me look again.', `Let me look.\n${CALL}`, 'text is missing'],
  ['One. Two.', `One. ${CALL}\n\nTwo.`, 'only white space differs'],
  ['Two. One.', `One. ${CALL} Two.`, 'the order is another'],
] as const)('%j of %j: no, %s', ([expected, input]) => {
  expect(drops(expected, input)).toBe(false)
})
