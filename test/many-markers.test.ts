import { expect, test } from 'vitest'
import { createFinder, findAny } from '../src/core/text/marker.ts'
import { createExtractor, extract } from '../src/index.ts'

const call = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'

test.for([
  'The interval [x, y] is kept; otherwise the pair {x, y} is dropped, and a[i] is next. ',
  'A function that calls functions of other functions: function(x) and get_weather, but not here. ',
  'Where x < y holds, the <b>bold</b> part and the <table> stay; so do <t> and <to>. ',
  'See "quotes", `code`, ~tildes~ and |bars| of all kinds -> and <- arrows. ',
])('a call behind a long text is found: %s', (sentence) => {
  const text = sentence.repeat(5000)
  for (const options of [{}, { tools: ['get_weather'] }]) {
    const { calls, issues } = extract(text + call, options)
    expect(calls).toHaveLength(1)
    expect(issues.filter(({ code }) => code === 'limit-exceeded')).toEqual([])
  }
})

test('a text full of markers is text, and that is said', () => {
  const { calls, issues, text } = extract('<tool_call'.repeat(5000) + call, {
    tools: ['get_weather'],
  })
  expect(calls).toEqual([])
  expect(issues).toMatchObject([{ code: 'limit-exceeded' }])
  expect(text).toContain(call)
})

test.for([
  [1, 'Put `x` in <tool_call> and close it with </tool_call>. A <tool_call> has a name. '],
  [1, 'I write <tool_call> and then <tool_call> again: '],
  [2, '<tool_call>\nnothing\n</tool_call>\n'.repeat(20)],
  [5, 'Ten times <tool_call> is mentioned. '.repeat(10)],
  [1, 'Quoted: `<tool_call>`, `<tool_call>`, `<tool_call>`. '],
] as const)('mentions of a marker do not use up %i calls', ([maxCalls, mentions]) => {
  const options = { tools: ['get_weather'], limits: { maxCalls } }
  const { calls, issues } = extract(mentions + call, options)
  expect(calls).toHaveLength(1)
  expect(issues.filter(({ code }) => code === 'limit-exceeded')).toEqual([])
})

test('headers of messages without end count as markers as well', () => {
  const header = '<|start|>assistant<|channel|>commentary to=functions.nothing '
  const { calls, issues } = extract(header.repeat(5000) + call, { tools: ['get_weather'] })
  expect(calls).toEqual([])
  expect(issues).toMatchObject([{ code: 'limit-exceeded' }])
})

test('a block of calls ends where the limit is reached', () => {
  const block = `<|tool_call_start|>\n${"get_weather(city='Oslo')\n".repeat(50)}<|tool_call_end|>`
  const { calls } = extract(block, { tools: ['get_weather'], limits: { maxCalls: 20 } })
  expect(calls.length).toBeLessThanOrEqual(20)
})

test('a parameter that is given again and again becomes one list, told once', () => {
  const count = 3000
  const values = Array.from({ length: count }, (_, i) => `city ${i}`)
  const parameters = values.map((value) => `<parameter=city>\n${value}\n</parameter>\n`).join('')
  const text = `<tool_call>\n<function=get_weather>\n${parameters}</function>\n</tool_call>`
  const extractor = createExtractor({ protocols: ['qwen3-coder'] })
  const told = [...extractor.push(text), ...extractor.end()]
    .map((event) => (event.type === 'call-delta' ? event.argumentsDelta : ''))
    .join('')
  expect(extractor.result().calls).toMatchObject([{ arguments: { city: values } }])
  expect(JSON.parse(told)).toEqual({ city: values })
  expect(told.length).toBeLessThan(2 * text.length)
})

test('parameters in tags of many names are all read', () => {
  const count = 3000
  const tags = Array.from({ length: count }, (_, i) => `<key${i}>value ${i}</key${i}>`).join('')
  const text = `<function_calls><invoke><tool_name>get_weather</tool_name><parameters>${tags}</parameters></invoke></function_calls>`
  const { calls } = extract(text, { protocols: ['anthropic-xml'] })
  expect(Object.keys(calls[0]?.arguments ?? {})).toHaveLength(count)
})

test('results that are made up again and again are all told', () => {
  const count = 5000
  const { issues, text } = extract('<|im_start|>user\nx<|im_end|>'.repeat(count))
  expect(issues).toHaveLength(count)
  expect(text).toBe('')
})

test('the nearest of several markers is looked for no further than needed', () => {
  const looked: number[] = []
  const text = `x<b>${'y'.repeat(100_000)}`
  // What is asked of the text tells how far it is looked.
  const spy = Object.assign(new String(text), {
    slice(start: number, end: number) {
      looked.push(end)
      return text.slice(start, end)
    },
  })
  expect(findAny(['<a>', '<b>'], spy as unknown as string, 0, true)).toEqual({ start: 1, end: 4 })
  expect(Math.max(...looked)).toBeLessThan(1000)
})

test('what several kinds of calls look for is looked for once', () => {
  let searches = 0
  const far = (text: string, at: number) => {
    searches++
    return text.indexOf('<end>', at)
  }
  const text = `${'x'.repeat(100)}<end>`
  const find = createFinder()
  for (let at = 0; at < 100; at++) {
    expect(find(text, far, at)).toBe(100)
    expect(find(text, 'x', at)).toBe(at)
  }
  expect(searches).toBe(1)
  // Whoever goes back may find what was passed.
  expect(find(text, 'x', 3)).toBe(3)
  expect(find(`${text}!`, far, 101)).toBe(-1)
  expect(searches).toBe(2)
})
