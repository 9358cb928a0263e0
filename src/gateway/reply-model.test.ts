import { describe, expect, test } from 'vitest'
import { type ModelPlaces, renamingTo } from './reply-model.ts'

const CHAT: ModelPlaces = [['model']]
const RESPONSES: ModelPlaces = [['response', 'model'], ['model']]

function inBody(text: string, places = CHAT): string {
  return renamingTo('my/"model"', places).body(text)
}

describe('a whole body', () => {
  test.for([
    ['{"model":"a","x":1}', '{"model":"my/\\"model\\"","x":1}'],
    [
      '{\n  "id": "1",\n  "model" : "a\\"b\\\\"\n}',
      '{\n  "id": "1",\n  "model" : "my/\\"model\\""\n}',
    ],
    ['{"x":{"model":"a"},"y":[{"model":"b"}]}', undefined],
    ['{"text":"{\\"model\\":\\"a\\"}"}', undefined],
    ['{"model":null,"x":"model"}', undefined],
    [
      '{"big":12345678901234567890,"model":"a"}',
      '{"big":12345678901234567890,"model":"my/\\"model\\""}',
    ],
    ['["model"]', undefined],
    ['{"model":"a', undefined],
    ['', undefined],
  ] as const)('%s', ([text, named]) => {
    expect(inBody(text)).toBe(named ?? text)
  })

  test('the place may be inside of an object, and nowhere else', () => {
    const args = '"output":[{"arguments":{"model":"tool"},"model":"no"}]'
    expect(inBody(`{"response":{${args},"model":"a"}}`, RESPONSES)).toBe(
      `{"response":{${args},"model":"my/\\"model\\""}}`,
    )
    expect(inBody(`{${args},"model":"a"}`, RESPONSES)).toBe(`{${args},"model":"my/\\"model\\""}`)
  })
})

describe('frames', () => {
  const { frames } = renamingTo('asked', CHAT)

  test('of server-sent events', () => {
    const text = (name: string) =>
      `: ping\n\ndata: {"model":"${name}","choices":[{"delta":{"content":"\\"model\\": {"}}]}\n\n` +
      `event: x\ndata: {"choices":[{"input":{"model":"kept"}}],"model":"${name}"}\n\ndata: [DONE]\n\n`
    expect(frames(text('own'))).toBe(text('asked'))
  })

  test('on lines, with carriage returns and one that is cut off', () => {
    const text = (name: string) =>
      `{"model":"${name}","done":false}\r\n{"model":"${name}"}\r\n{"model":"cut`
    expect(frames(text('own'))).toBe(text('asked'))
  })

  test('without the name pass as they are', () => {
    const text = 'data: {"type":"response.output_text.delta","delta":"a model"}\n\n'
    expect(frames(text)).toBe(text)
  })
})
