import { expect, test } from 'vitest'
import { createExtractor, type ExtractEvent, extract } from '../src/index.ts'
import { dishonesty, streamFault } from './stream.ts'

const TEXT = 'So: <tool_call>{"name": "tide", "arguments": {"port": "Bergen"}}</tool_call>'
const OPTIONS = { ids: 'sequential' } as const

test('pieces that change nothing are no fault', () => {
  expect(streamFault([...TEXT], OPTIONS, extract(TEXT, OPTIONS))).toBeUndefined()
})

test('text that turns out to be reasoning may have been told as text', () => {
  const text = `Where is Bergen?</think>${TEXT}`
  const whole = extract(text, OPTIONS)
  expect(whole.reasoning).toContain('Where is Bergen?')
  expect(streamFault([...text], OPTIONS, whole)).toBeUndefined()
})

test.for(['calls', 'text', 'reasoning', 'issues', 'protocol'] as const)(
  'other %s than those of the whole text are a fault',
  (part) => {
    const other = { calls: [], text: '?', reasoning: '?', issues: [], protocol: '?' }
    const issues = [{ code: 'empty-call', message: 'nothing' }] as const
    const whole = { ...extract(TEXT, OPTIONS), ...(part === 'issues' ? { issues } : {}) }
    const changed = part === 'issues' ? whole : { ...whole, [part]: other[part] }
    expect(streamFault([TEXT], OPTIONS, changed)).toMatch(`${part} whole `)
  },
)

test.for([
  ['text-delta', 'the text deltas do not join'],
  ['call-delta', 'the deltas of tide join to'],
  ['call-end', 'the calls told are not those found'],
] as const)('leaving out a %s is dishonest', ([type, fault]) => {
  const extractor = createExtractor(OPTIONS)
  const events = [...extractor.push(TEXT), ...extractor.end()]
  const without = (left: ExtractEvent) => events.filter((event) => event !== left)
  const [first] = events.filter((event) => event.type === type)
  expect(dishonesty(events, extractor.result())).toBeUndefined()
  expect(first && dishonesty(without(first), extractor.result())).toMatch(fault)
})
