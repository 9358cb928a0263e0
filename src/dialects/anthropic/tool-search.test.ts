/** Requests in which the model has to search for some of the tools. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../core/json/value.ts'
import { anthropic } from '../anthropic.ts'
import { transcode } from '../transcode.ts'

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }
const search = { name: 'ToolSearch', description: 'Finds tools.', input_schema: { type: 'object' } }
const tide = { name: 'tide', description: 'The tide.', input_schema: SCHEMA, defer_loading: true }
const moon = { name: 'moon', input_schema: SCHEMA, defer_loading: true }
const placeholder = {
  name: 'DeferredToolPlaceholder',
  input_schema: { type: 'object' },
  defer_loading: true,
}

function turnsWith(content: JsonObject[]): JsonObject[] {
  return [
    { role: 'user', content: 'When is high water?' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'ToolSearch', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content }] },
  ]
}

const reference = (name: string): JsonObject => ({ type: 'tool_reference', tool_name: name })

function request(messages: JsonObject[], tools: JsonObject[] = []): JsonObject {
  const all = [search, placeholder, tide, moon, ...tools]
  return { model: 'claude-opus-5', max_tokens: 9, tools: all, messages }
}

const DEFINITION =
  '<functions>\n<function>{"description":"The tide.","name":"tide","parameters":' +
  '{"type":"object","properties":{"city":{"type":"string"}}}}</function>\n</functions>'

const found = request(turnsWith([reference('tide')]))
const FOREIGN = ['tool-search'] as const

describe('other APIs', () => {
  test('only tools that were found are offered', () => {
    expect(names(anthropic.decodeRequest(request([{ role: 'user', content: 'Hi' }])))).toEqual([
      'ToolSearch',
    ])
    expect(names(anthropic.decodeRequest(found))).toEqual(['ToolSearch', 'tide'])
  })

  test('a reference becomes the definition', () => {
    const { messages } = anthropic.decodeRequest(found)
    expect(messages.at(-1)?.toolResults?.[0]?.content).toBe(DEFINITION)
  })

  test('content beside the references stays in its place', () => {
    const said = (text: string): JsonObject => ({ type: 'text', text })
    const content = [said('Found:'), reference('tide'), reference('gone'), said('Go on.')]
    const { messages } = anthropic.decodeRequest(request(turnsWith(content)))
    const [before, text, after] = messages.at(-1)?.toolResults?.[0]?.content ?? []
    expect([before, after]).toEqual([said('Found:'), said('Go on.')])
    expect(text).toMatchObject({
      text: expect.stringContaining('The tool "gone" is no longer available.'),
    })
  })

  test('a tool that was called counts as found, when its search is no longer in the history', () => {
    const called = { type: 'tool_use', id: 't2', name: 'moon', input: {} }
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [called] },
    ]
    expect(names(anthropic.decodeRequest(request(messages)))).toEqual(['ToolSearch', 'moon'])
  })

  test('tools come and go with system messages', () => {
    const sun = { name: 'sun', input_schema: { type: 'object' } }
    const change = (type: string, tool: JsonObject): JsonObject => ({
      role: 'system',
      content: [{ type, tool }],
    })
    const added = change('tool_addition', { type: 'tool_definition', definition: sun })
    const first = { role: 'user', content: 'Hi' }
    const offered = (messages: JsonObject[]) => names(anthropic.decodeRequest(request(messages)))
    expect(offered([first, added])).toEqual(['ToolSearch', 'sun'])
    const loaded = change('tool_addition', { type: 'tool_reference', name: 'moon' })
    expect(offered([first, loaded])).toEqual(['ToolSearch', 'moon'])
    const removed = change('tool_removal', { type: 'tool_reference', name: 'sun' })
    expect(offered([first, added, removed])).toEqual(['ToolSearch'])
    const dropped = change('tool_removal', { type: 'tool_reference', name: 'ToolSearch' })
    expect(offered([first, added, dropped])).toEqual(['sun'])
  })

  test('a chat server gets no word of references', () => {
    const body = transcode(found, { from: 'anthropic', to: 'openai-chat' })
    expect(JSON.stringify(body)).not.toMatch(/defer_loading|tool_reference|Placeholder|"moon"/)
  })
})

describe('Anthropic', () => {
  test('everything goes back as it came', () => {
    const { tools, messages } = anthropic.encodeRequest(anthropic.decodeRequest(found))
    expect(messages).toEqual(found['messages'])
    expect(tools).toHaveLength(4)
    expect(tools).toEqual(expect.arrayContaining([search, placeholder, tide, moon]))
  })

  test('a service that lacks the search gets what others get', () => {
    const quirks = { lacks: FOREIGN }
    const { tools, messages } = anthropic.encodeRequest(anthropic.decodeRequest(found), { quirks })
    const { defer_loading: _, ...plain } = tide
    expect(tools).toEqual([search, plain])
    expect(JSON.stringify(messages)).toContain(JSON.stringify(DEFINITION))
    expect(JSON.stringify(messages)).not.toContain('tool_reference')
  })

  test('so it does when its body is not decoded', () => {
    const body = anthropic.withoutFeatures?.(found, FOREIGN)
    const { defer_loading: _, ...plain } = tide
    expect(body?.['tools']).toEqual([search, plain])
    expect(body?.['messages']).toEqual(turnsWith([{ type: 'text', text: DEFINITION }]))
    const usual = { model: 'm', tools: [search], messages: turnsWith([]) }
    expect(anthropic.withoutFeatures?.(usual, FOREIGN)).toBe(usual)
  })
})

function names({
  tools = [],
}: {
  readonly tools?: readonly { readonly name: string }[]
}): string[] {
  return tools.map(({ name }) => name)
}
