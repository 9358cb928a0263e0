import { expect, test } from 'vitest'
import { extract } from '../src/index.ts'

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
