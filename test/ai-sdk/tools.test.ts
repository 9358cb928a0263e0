/** Tools of the AI SDK as ours, and ours under the AI SDK. */
import {
  tool as aiTool,
  dynamicTool,
  generateText,
  jsonSchema,
  stepCountIs,
  type ToolSet,
  zodSchema,
} from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { asAnswer } from '../../src/agent/tool-output.ts'
import { fromAiTools, toAiTools } from '../../src/ai-sdk/index.ts'
import type { Tool } from '../../src/core/model.ts'
import { extract } from '../../src/index.ts'
import { type RunnableTool, type ToolContext, tool } from '../../src/tool.ts'
import { leakingModel } from './leaking-model.ts'

const json = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const }, days: { type: 'integer' as const } },
  required: ['city'],
}

function contextFor(name: string, progress: unknown[] = []): ToolContext {
  return {
    call: { id: 'c1', name, arguments: {}, origin: 'native' },
    signal: new AbortController().signal,
    key: 'run/1/0',
    messages: [{ role: 'user', content: 'Umbrella?' }],
    progress: (value) => void progress.push(value),
  }
}

describe('from the SDK', () => {
  const schemas: Record<string, ToolSet[string]['inputSchema']> = {
    'jsonSchema()': jsonSchema(json),
    zod: z.object({ city: z.string(), days: z.int().optional() }),
    'zodSchema()': zodSchema(z.object({ city: z.string(), days: z.int().optional() })),
    'a function': () => jsonSchema(json),
  }

  test.for(Object.keys(schemas))('a schema of %s becomes JSON Schema', (kind) => {
    const [read] = fromAiTools({
      get_weather: dynamicTool({
        description: 'Forecast',
        inputSchema: schemas[kind] ?? jsonSchema(json),
        execute: () => 'rain',
      }),
    })
    expect(read).toMatchObject({
      name: 'get_weather',
      description: 'Forecast',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    })
    const { calls } = extract('{"name": "get_weather", "arguments": {"city": "Bergen"}}', {
      tools: read ? [read] : [],
    })
    expect(calls).toHaveLength(1)
  })

  test('a tool is told what it expects to be told', async () => {
    const told: unknown[] = []
    const [read] = fromAiTools({
      get_weather: aiTool({
        inputSchema: jsonSchema<{ city: string }>(json),
        needsApproval: ({ city }, { toolCallId }) => `${city} ${toolCallId}` === 'Bergen c1',
        execute: ({ city }, { toolCallId, messages, abortSignal }) => {
          told.push(city, toolCallId, messages, abortSignal?.aborted)
          return { degrees: 7 }
        },
      }),
    })
    const context = contextFor('get_weather')
    expect(await read?.needsApproval?.({ city: 'Bergen' }, context)).toBe(true)
    expect(await read?.execute?.({ city: 'Bergen' }, context)).toEqual({ degrees: 7 })
    expect(told).toEqual(['Bergen', 'c1', [{ role: 'user', content: 'Umbrella?' }], false])
  })

  test('what it shows the model is what the model is shown', async () => {
    const [read] = fromAiTools({
      draw: aiTool({
        inputSchema: jsonSchema({ type: 'object', properties: {} }),
        async *execute() {
          yield 'half'
          yield 'whole'
        },
        toModelOutput: ({ output }) => ({
          type: 'content',
          value: [{ type: 'text', text: `a ${output} picture` }],
        }),
      }),
      fail: aiTool({
        inputSchema: jsonSchema({ type: 'object', properties: {} }),
        execute: () => 1,
        toModelOutput: () => ({ type: 'error-text', value: '[ERROR:ENOENT] nothing there' }),
      }),
    })
    const progress: unknown[] = []
    const shown = await read?.execute?.({}, contextFor('draw', progress))
    expect(shown).toEqual([{ type: 'text', text: 'a whole picture' }])
    expect(progress).toEqual(['half', 'whole'])
  })

  test('an output that is an error is an error', async () => {
    const [read] = fromAiTools({
      fail: aiTool({
        inputSchema: jsonSchema({ type: 'object', properties: {} }),
        execute: () => 1,
        toModelOutput: () => ({ type: 'error-text', value: '[ERROR:ENOENT] nothing there' }),
      }),
    })
    const shown = await read?.execute?.({}, contextFor('fail'))
    expect(asAnswer(shown)).toEqual({
      content: 'nothing there',
      isError: true,
      errorCode: 'ENOENT',
    })
  })

  test('its own validation is kept', async () => {
    const [read] = fromAiTools({
      get_weather: dynamicTool({
        inputSchema: z.object({ city: z.string().min(3) }),
        execute: () => '',
      }),
    })
    expect(await read?.check?.({ city: 'X' })).toHaveProperty('issues')
    expect(await read?.check?.({ city: 'Bergen' })).toMatchObject({ value: { city: 'Bergen' } })
  })

  test('a tool that its provider runs is refused, and so is a schema that is a promise', () => {
    const search = { type: 'provider', id: 'acme.search', args: {}, inputSchema: jsonSchema({}) }
    // As a provider's package would make it.
    expect(() => fromAiTools({ search } as ToolSet)).toThrow(/search.*leave it out/)
    const inputSchema = jsonSchema(Promise.resolve(json))
    expect(() => fromAiTools({ late: { inputSchema } })).toThrow(/late.*await/)
  })
})

describe('to the SDK', () => {
  const weather = tool({
    name: 'get_weather',
    description: 'Forecast',
    inputSchema: json,
    execute: ({ city, days }) => ({ city: city ?? null, days: days ?? null }),
  })

  async function ask(tools: readonly RunnableTool[], input: string) {
    const content = [
      { type: 'tool-call' as const, toolCallId: 'c1', toolName: tools[0]?.name ?? '', input },
    ]
    const finish = { unified: 'tool-calls' as const, raw: 'tool_calls' }
    const model = leakingModel([{ content, finish }, 'Done.'])
    const { steps } = await generateText({
      model,
      tools: toAiTools(tools),
      prompt: 'Umbrella?',
      stopWhen: stepCountIs(2),
    })
    return { step: steps[0], model }
  }

  test('the model is shown the schema as it is', async () => {
    const { model } = await ask([weather], '{"city": "Bergen"}')
    expect(model.asked[0]?.tools).toEqual([
      { type: 'function', name: 'get_weather', description: 'Forecast', inputSchema: json },
    ])
  })

  test('inputs are brought into the types of the schema', async () => {
    const { step } = await ask([weather], '{"city": "Bergen", "days": "3"}')
    expect(step?.toolResults).toMatchObject([{ output: { city: 'Bergen', days: 3 } }])
  })

  test('inputs that do not fit never reach the tool', async () => {
    const { step, model } = await ask([weather], '{"days": 3}')
    expect(step?.toolResults).toEqual([])
    expect(JSON.stringify(model.asked[1]?.prompt.at(-1))).toContain('city')
  })

  test('images are shown to the model', async () => {
    const camera = tool({
      name: 'look',
      inputSchema: { type: 'object', properties: {} },
      execute: () => [{ type: 'image', data: 'iVBORw0KGgo=', mediaType: 'image/png' }],
    })
    const { model } = await ask([camera], '{}')
    expect(model.asked[1]?.prompt.at(-1)).toMatchObject({
      content: [{ output: { type: 'content', value: [{ type: 'image-data' }] } }],
    })
  })

  test('the tool knows which call it answers', async () => {
    const told: unknown[] = []
    const spy = tool({
      name: 'spy',
      inputSchema: { type: 'object', properties: {} },
      execute: (_, { call, key, messages, signal, progress }) => {
        progress('half')
        told.push(call.id, call.name, key, messages, signal.aborted)
        return 'done'
      },
    })
    await ask([spy], '{}')
    expect(told).toEqual(['c1', 'spy', 'c1', [{ role: 'user', content: 'Umbrella?' }], false])
  })

  test('a tool that needs approval waits for it', async () => {
    const { step } = await ask([{ ...weather, needsApproval: () => true }], '{"city": "Bergen"}')
    expect(step?.toolResults).toEqual([])
    expect(step?.content.map(({ type }) => type)).toContain('tool-approval-request')
  })

  test('definitions without a function are for others to run', () => {
    const bare: Tool = { name: 'ask_user', inputSchema: json, strict: true }
    expect(toAiTools([bare])['ask_user']).not.toHaveProperty('execute')
    expect(toAiTools([bare])['ask_user']).toHaveProperty('strict', true)
  })

  test('and back again', () => {
    const [back] = fromAiTools(toAiTools([weather]))
    expect(back).toMatchObject({ name: 'get_weather', description: 'Forecast', inputSchema: json })
  })
})
