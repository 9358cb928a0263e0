import { describe, expect, test } from 'vitest'
import { createClient } from '../client/create-client.ts'
import type { Issue } from '../core/issue.ts'
import type { Tool } from '../core/model.ts'
import { hermes } from '../protocols/hermes.ts'
import { fitList, toolListRoom, type WriteList } from './fitted-list.ts'
import { writeTextRequest } from './text-request.ts'

function tool(name: string, description: string, parameter: string): Tool {
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: parameter },
        tags: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      },
      required: ['path'],
    },
  }
}

const TOOLS = [
  tool('long', 'Runs it. '.repeat(1000), 'The path. '.repeat(50)),
  tool('middle', 'Looks at it. '.repeat(100), 'Where it is.'),
  tool('short', 'Asks.', 'A file.'),
]
const write: WriteList = (tools, listing) => listing?.list(tools) ?? JSON.stringify(tools)
const FULL = write(TOOLS).length

const fitted = (room: number) => fitList(TOOLS, room, write)

describe('a list of tools', () => {
  test('is whole as long as there is room', () => {
    expect(fitted(FULL)).toEqual({ text: write(TOOLS) })
  })

  test('loses its longest descriptions first', () => {
    const { text, loss } = fitted(FULL - 5000)
    expect(text.length).toBeLessThanOrEqual(FULL - 5000)
    expect(text.length).toBeGreaterThan((FULL - 5000) * 0.9)
    const [long, ...others] = JSON.parse(text) as Tool[]
    expect(others).toEqual(TOOLS.slice(1))
    expect(long?.description?.endsWith('…')).toBe(true)
    expect(long?.inputSchema).toEqual(TOOLS[0]?.inputSchema)
    expect(loss).toMatch(/^descriptions were cut to \d+ characters$/)
  })

  test('loses the descriptions of parameters next, and never names, types and what is required', () => {
    const { text, loss } = fitted(900)
    expect(loss).toBe('descriptions of parameters were left out')
    const tools = JSON.parse(text) as Tool[]
    expect(tools.map(({ name }) => name)).toEqual(['long', 'middle', 'short'])
    for (const { inputSchema, description } of tools) {
      expect(description).not.toBe('')
      expect(inputSchema).toMatchObject({
        properties: { path: { type: 'string' }, tags: { items: { type: 'object' } } },
        required: ['path'],
      })
    }
  })

  test('has a line for each tool in the end, however little room there is', () => {
    const { text } = fitted(10)
    expect(text.split('\n')).toHaveLength(3)
    expect(text).toContain('- long(path: string, tags?: ')
  })

  test('never grows when there is less room', () => {
    let before = Infinity
    for (let room = FULL + 10; room > 0; room -= 97) {
      const { length } = fitted(room).text
      expect(length).toBeLessThanOrEqual(before)
      before = length
    }
  })

  test('keeps data that looks like a description', () => {
    const inputSchema = {
      type: 'object',
      properties: { description: { type: 'string', default: { description: 'x'.repeat(500) } } },
    }
    const only = [{ name: 'a', description: 'y'.repeat(500), inputSchema }]
    const { text } = fitList(only, write(only).length - 300, write)
    expect(JSON.parse(text)).toMatchObject([{ inputSchema }])
  })
})

describe('in text mode', () => {
  const messages = [{ role: 'user', content: 'Go.' }] as const

  test('the room depends on the context of the model', () => {
    expect(toolListRoom(8192)).toBeLessThan(toolListRoom())
    expect(toolListRoom()).toBeLessThan(toolListRoom(200_000))
  })

  test('what was shortened is reported, with the option', () => {
    const issues: Issue[] = []
    const report = (issue: Issue): unknown => issues.push(issue)
    const request = { model: 'm', messages, tools: TOOLS }
    writeTextRequest(request, { protocol: hermes, toolListChars: 4000, report })
    expect(issues).toEqual([
      { code: 'not-expressible', message: expect.stringMatching(/4000 .*`toolListChars`/) },
    ])
  })

  test.each([
    [undefined, true],
    [3000, false],
  ])('a client with toolListChars %s', async (toolListChars, isWhole) => {
    let prompt = ''
    const client = createClient({
      provider: 'openai-compatible',
      baseUrl: 'http://models.test/v1',
      model: 'm',
      env: {},
      toolMode: 'text',
      toolListChars,
      fetch: async (_, init) => {
        prompt = JSON.parse(String(init?.body)).messages[0].content
        return Response.json({ choices: [{ message: { role: 'assistant', content: 'Well.' } }] })
      },
    })
    await client.complete({ messages, tools: TOOLS })
    expect(prompt.includes(TOOLS[0]?.description?.trim() ?? '')).toBe(isWhole)
    expect(prompt).toContain('"path"')
  })
})
