import { expect, test } from 'vitest'
import { createExtractor, extract } from '../src/index.ts'

const tools = ['get_weather']
const call = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'

test.for([
  ['<think>Rain?</think>Let me look.', '<think>Rain?</think>Let me look.'],
  ['Rain, surely.</think>Let me look.', 'Rain, surely.</think>Let me look.'],
  ['<think>Rain?', '<think>Rain?'],
  ['<|channel>thought\nRain?<channel|>Hello', '<|channel>thought\nRain?<channel|>Hello'],
] as const)('reasoning: text leaves %j as it is', ([reply, text]) => {
  for (const pieces of [[reply], [...reply]]) {
    const extractor = createExtractor({ tools, reasoning: 'text' })
    for (const piece of pieces) extractor.push(piece)
    extractor.end()
    expect(extractor.result()).toMatchObject({ text, reasoning: '', calls: [] })
  }
})

test('reasoning: text makes no call of a draft', () => {
  const reply = `<think>So: ${call}</think>${call}`
  const { calls, text } = extract(reply, { tools, reasoning: 'text' })
  expect(calls).toHaveLength(1)
  expect(text).toBe(`<think>So: ${call}</think>`)
})

test('reasoning: text still reads a message that is nothing but JSON behind it', () => {
  const reply = '<think>Rain?</think>{"name": "get_weather", "arguments": {"city": "Oslo"}}'
  const { calls, text } = extract(reply, { tools, reasoning: 'text' })
  expect(calls).toHaveLength(1)
  expect(text).toBe('<think>Rain?</think>')
})

test.for([
  ['<think>It ends with `<|im_end|>`, I think.</think>', 'It ends with `<|im_end|>`, I think.'],
  ['<think>It ends with "<eos>".</think>', 'It ends with "<eos>".'],
  ['<think>Rain?<|im_end|></think>', 'Rain?'],
] as const)('a token stays in the reasoning of %j where it is quoted', ([reply, reasoning]) => {
  for (const pieces of [[reply], [...reply]]) {
    const extractor = createExtractor({ tools })
    for (const piece of pieces) extractor.push(piece)
    extractor.end()
    expect(extractor.result()).toMatchObject({ text: '', reasoning })
  }
})

test.for(['think', 'thinking', 'thought'])(
  'a tool called %s does not hide the reasoning',
  (name) => {
    const reply = `<${name}>Rain? ${call}</${name}>${call}`
    for (const pieces of [[reply], [...reply]]) {
      const extractor = createExtractor({ tools: [...tools, name] })
      for (const piece of pieces) extractor.push(piece)
      extractor.end()
      const { calls, text, reasoning } = extractor.result()
      expect(calls.map((one) => one.name)).toEqual(['get_weather'])
      expect({ text, reasoning }).toEqual({ text: '', reasoning: `Rain? ${call}` })
    }
  },
)
