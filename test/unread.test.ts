/** Calls of which a marker or a keyword is damaged: they stay text, and are reported. */
import { describe, expect, test } from 'vitest'
import { createExtractor, extract } from '../src/index.ts'
import { soupTools as tools } from './support/soup.ts'

describe('what is left of a call is reported', () => {
  test.for([
    'Sure.\n\n<tool_cll>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call> Well?',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_bgin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>',
    '[TOOL_CALS]get_weather[ARGS]{"city": "Oslo"}',
    '<unction name="get_weather">\n<param name="city">Oslo</param>\n</function>',
    '<tool_use>\n<name>get_weather</ame>\n<arguments>{"city": "Oslo"}</arguments>\n</tool_use>',
    'So:\n```json\n{"name": "get_weather", "argments": {"city": "Oslo"}}\n```',
  ])('%j', (text) => {
    const { calls, issues, text: left } = extract(text, { tools })
    expect(calls).toEqual([])
    expect(issues).toMatchObject([{ code: 'unread-call', name: 'get_weather' }])
    const [from = 0, to = 0] = issues[0]?.span ?? []
    const start = text.indexOf('get_weather')
    expect(from).toBeLessThanOrEqual(start)
    expect(to).toBeGreaterThan(text.indexOf('Oslo') + 3)
    expect(left).toContain('Oslo')
  })

  test('beside a call that was read', () => {
    const call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    const text = `${call}\n${call.replace('tool_call', 'tol_call').replace('Oslo', 'Bergen')}`
    const { calls, issues } = extract(text, { tools })
    expect(calls).toMatchObject([{ arguments: { city: 'Oslo' } }])
    const start = call.length + '\n<tol_call>\n'.length
    expect(issues).toMatchObject([{ code: 'quoted-call', span: [start, expect.any(Number)] }])
  })

  test('what still looks like a call is reported as one among text', () => {
    const text = 'First this:\n{"nme": "get_weather", "arguments": {"city": "Oslo"}}'
    expect(extract(text, { tools })).toMatchObject({ calls: [], issues: [{ code: 'quoted-call' }] })
  })

  test('in a stream, at its end', () => {
    const extractor = createExtractor({ tools })
    for (const character of '[TOOL_CALS]get_weather[ARGS]{"city": "Oslo"}') {
      const events = extractor.push(character)
      expect(events.every(({ type }) => type === 'text-delta')).toBe(true)
    }
    expect(extractor.end().map(({ type }) => type)).toContain('issue')
  })
})

describe('nothing is reported of', () => {
  test.for([
    'I can use get_weather(city: string) for that.',
    'The tool "get_weather" takes a city and the number of days.',
    'Use `{"nme": "get_weather", "arguments": {"city": "Oslo"}}` as it is.',
    'An example:\n```python\ncall = {"name": "get_weather", "arguments": {"city": "Oslo"}}\n```\nand so on.',
    '[{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]',
    'get_weather, city: Oslo',
  ])('%j', (text) => {
    const { calls, issues } = extract(text, { tools })
    expect(calls).toEqual([])
    expect(issues.filter(({ code }) => code === 'unread-call')).toEqual([])
  })
})
