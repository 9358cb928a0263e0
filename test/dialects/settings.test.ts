/** Settings that several dialects have: each goes wherever the target has it, and nowhere in silence. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatRequest, ChatSettings, Reasoning } from '../../src/core/chat.ts'
import type { Dialect, Setting } from '../../src/core/dialect.ts'
import type { Issue } from '../../src/core/issue.ts'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import { allDialects, getDialect } from '../../src/dialects/registry.ts'
import { settingName, valueAt } from '../../src/dialects/request-fields.ts'
import { transcode } from '../../src/dialects/transcode.ts'
import { weather } from './samples.ts'

/** A value of each setting that is not what every service does anyway. */
const VALUES: Required<Omit<ChatSettings, 'reasoning'>> = {
  maxTokens: 4000,
  temperature: 0.3,
  topP: 0.8,
  topK: 20,
  minP: 0.05,
  seed: 7,
  presencePenalty: 0.4,
  frequencyPenalty: -0.2,
  repetitionPenalty: 1.1,
  n: 2,
  stop: ['END'],
  verbosity: 'low',
  parallelToolCalls: false,
  store: true,
  user: 'user-1',
  metadata: { team: 'a' },
  serviceTier: 'default',
}
const PLAIN = Object.keys(VALUES) as (keyof typeof VALUES)[]

/** The wire value where it is not that of the neutral model. */
function wireValue(setting: Setting, dialect: Dialect): unknown {
  const value = VALUES[setting as keyof typeof VALUES]
  if (dialect.settings[setting]?.includes('disable_parallel')) return true
  return dialect.id === 'anthropic' && setting === 'serviceTier' ? 'standard_only' : value
}

const base: ChatRequest = {
  model: 'claude-opus-4-6', // the switch for parallel calls of Bedrock is Claude's
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [weather],
  toolChoice: 'auto',
}

function collected(): { readonly issues: Issue[]; report(issue: Issue): void } {
  const issues: Issue[] = []
  return { issues, report: (issue) => void issues.push(issue) }
}

/** What was reported about settings; a limit that a dialect demands is not one of those asked for. */
function told(issues: readonly Issue[]): string[] {
  return issues.filter(({ code }) => code !== 'added-field').map(({ message }) => message)
}

const PAIRS = allDialects.flatMap((from) => allDialects.map((to) => [from, to] as const))

describe.for(PAIRS.map(([from, to]) => [`${from.id} to ${to.id}`, from, to] as const))(
  '%s',
  ([, from, to]) => {
    test.for(PLAIN.filter((setting) => from.settings[setting]))('%s', (setting) => {
      const body = from.encodeRequest({ ...base, [setting]: VALUES[setting] })
      const { issues, report } = collected()
      const written = transcode(body, { from, to, report }) as JsonObject
      const place = to.settings[setting]
      if (place !== undefined) {
        expect(valueAt(written, place)).toEqual(wireValue(setting, to))
        expect(told(issues)).toEqual([])
      } else {
        expect(written).toEqual(transcode(from.encodeRequest(base), { from, to }))
        expect(told(issues)).toHaveLength(1)
        expect(told(issues)[0]).toMatch(lackOf(setting, to))
      }
    })

    test('reasoning, as an effort and switched off', () => {
      for (const reasoning of [{ effort: 'high' }, { enabled: false }] as const) {
        const { issues, report } = collected()
        const model = 'unknown'
        const body = from.encodeRequest({ ...base, model, reasoning })
        const written = transcode(body, { from, to, report }) as JsonObject
        const place = to.settings.reasoning ?? ''
        expect(valueAt(written, place)).toBeDefined()
        const isLevel = to.id === 'google-interactions' && 'enabled' in reasoning
        if (isLevel && from.id !== to.id) continue // the level `minimal` stands for "off"
        expect(told(issues)).toEqual([])
      }
    })
  },
)

/** Some say it in words of their own. */
function lackOf(setting: Setting, { id }: Dialect): RegExp {
  const usual = `^${id} has no \`${settingName(setting)}\`; it was left out$`
  return new RegExp(setting === 'parallelToolCalls' ? `${usual}|parallel` : usual)
}

describe.for(allDialects.map((dialect) => [dialect.id, dialect] as const))('%s', ([, dialect]) => {
  test('has all of its settings back, at once and one by one', () => {
    const own = PLAIN.filter((setting) => dialect.settings[setting])
    // Claude takes one of the two ways to sample.
    const all = Object.fromEntries(own.map((setting) => [setting, VALUES[setting]]))
    const singles = own.map((setting): ChatSettings => ({ [setting]: VALUES[setting] }))
    for (const settings of [all, ...singles]) {
      const { issues, report } = collected()
      const body = dialect.encodeRequest({ ...base, ...settings }, { report })
      const back = dialect.decodeRequest(JSON.parse(JSON.stringify(body)))
      expect(back).toMatchObject(settings)
      expect(back.extra).toBeUndefined()
      expect(told(issues)).toEqual([])
    }
  })

  test('says nothing about what every service does anyway', () => {
    const usual: ChatSettings = {
      ...{ topP: 1, minP: 0, presencePenalty: 0, frequencyPenalty: 0, repetitionPenalty: 1 },
      ...{ n: 1, parallelToolCalls: true, store: false, serviceTier: 'auto' },
    }
    const { issues, report } = collected()
    dialect.encodeRequest({ ...base, ...usual }, { report })
    expect(told(issues)).toEqual([])
  })

  test('keeps what is no setting: null says nothing, a wrong type stays', () => {
    const place = dialect.settings.temperature ?? ''
    const body = dialect.encodeRequest({ ...base, temperature: 0.5 })
    const odd = JSON.stringify(body).replace('0.5', '"warm"')
    const request = dialect.decodeRequest(JSON.parse(odd))
    expect(request.temperature).toBeUndefined()
    expect(valueAt(dialect.encodeRequest(request), place)).toBe('warm')
    const empty = JSON.stringify(body).replace('0.5', 'null')
    const without = dialect.decodeRequest(JSON.parse(empty))
    expect(valueAt(dialect.encodeRequest(without), place)).toBeUndefined()
  })

  test('keeps its own settings to the letter where nothing is translated', () => {
    const place = dialect.settings.reasoning ?? ''
    const body = dialect.encodeRequest({ ...base, topK: 3, reasoning: { effort: 'low' } })
    const { issues, report } = collected()
    expect(transcode(body, { from: dialect, to: dialect, report })).toEqual({
      ...body,
      // Converse and Gemini name the model elsewhere.
      ...('model' in body && { model: base.model }),
    })
    expect(valueAt(body, place)).toBeDefined()
    expect(issues).toEqual([])
  })
})

const ranges: { readonly [S in keyof typeof VALUES]: fc.Arbitrary<(typeof VALUES)[S]> } = {
  maxTokens: fc.integer({ min: 1, max: 100_000 }),
  temperature: fc.double({ min: 0, max: 1, noNaN: true }),
  topP: fc.double({ min: 0, max: 1, noNaN: true }),
  topK: fc.nat(),
  minP: fc.double({ min: 0, max: 1, noNaN: true }),
  seed: fc.integer(),
  presencePenalty: fc.double({ min: -2, max: 2, noNaN: true }),
  frequencyPenalty: fc.double({ min: -2, max: 2, noNaN: true }),
  repetitionPenalty: fc.double({ min: 0, max: 2, noNaN: true }),
  n: fc.nat(),
  stop: fc.array(fc.constantFrom('END', '###', 'a'), { minLength: 1 }),
  verbosity: fc.constantFrom('low', 'medium', 'high'),
  parallelToolCalls: fc.constant(false),
  store: fc.boolean(),
  user: fc.string({ minLength: 1, maxLength: 64 }),
  metadata: fc.dictionary(fc.constantFrom('a', 'b'), fc.string(), { minKeys: 1 }),
  serviceTier: fc.constantFrom('default'),
}
const amounts: fc.Arbitrary<Reasoning> = fc.oneof(
  fc.record({
    effort: fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  }),
  fc.record({ budgetTokens: fc.integer({ min: 0, max: 80_000 }) }),
  fc.record({ enabled: fc.boolean() }),
)
const reasonings: fc.Arbitrary<Reasoning> = fc
  .tuple(amounts, fc.constantFrom('none', 'auto', 'concise', 'detailed', undefined))
  .map(([amount, summary]) => ({ ...amount, ...(summary && { summary }) }))

describe.for(allDialects.map((dialect) => [dialect.id, dialect] as const))(
  'laws of %s',
  ([, dialect]) => {
    const own = PLAIN.filter((setting) => dialect.settings[setting])
    const some = fc.record(Object.fromEntries(own.map((key) => [key, ranges[key]])), {
      requiredKeys: [],
    }) as fc.Arbitrary<ChatSettings>

    test('decode(encode(x)) = x for all settings that the dialect has', () => {
      fc.assert(
        fc.property(some, (settings) => {
          const body = dialect.encodeRequest({ ...base, ...settings })
          const back = dialect.decodeRequest(JSON.parse(JSON.stringify(body)))
          for (const key of own) {
            const isAdded = dialect.id === 'anthropic' && key === 'maxTokens' && !(key in settings)
            if (!isAdded) expect(plainZero(back[key])).toEqual(plainZero(settings[key]))
          }
        }),
      )
    })

    test('reasoning that was translated once stays as it is', () => {
      fc.assert(
        fc.property(reasonings, (reasoning) => {
          const once = dialect.decodeRequest(dialect.encodeRequest({ ...base, reasoning }))
          const twice = dialect.decodeRequest(dialect.encodeRequest({ ...once, model: base.model }))
          expect(twice.reasoning).toEqual(once.reasoning)
        }),
      )
    })
  },
)

/** JSON has no negative zero. */
function plainZero(value: unknown): unknown {
  return value === 0 ? 0 : value
}

test('thoughts alone are no wish to think', () => {
  for (const dialect of allDialects) {
    const body = dialect.encodeRequest({ ...base, reasoning: { summary: 'auto' } })
    const { reasoning } = dialect.decodeRequest(body)
    expect(reasoning === undefined || Object.keys(reasoning).join() === 'summary').toBe(true)
  }
})

type Form = readonly [reasoning: Reasoning, model: string, fields: JsonObject]

/** Each way to ask for reasoning, and how it is read again when that is not how it was asked. */
const FORMS: Readonly<Record<string, readonly (readonly [...Form, back?: Reasoning])[]>> = {
  'openai-chat': [
    [{ effort: 'minimal' }, 'x', { reasoning_effort: 'minimal' }],
    [{ effort: 'high' }, 'x', { reasoning_effort: 'high' }],
    [{ enabled: false }, 'x', { reasoning_effort: 'none' }],
    [{ budgetTokens: 10_000 }, 'x', { reasoning_effort: 'medium' }, { effort: 'medium' }],
    [{ enabled: true }, 'x', { reasoning_effort: 'medium' }, { effort: 'medium' }],
    [{ effort: 'max' }, 'gpt-5', { reasoning_effort: 'high' }, { effort: 'high' }],
    [{ enabled: false }, 'gpt-5-mini', { reasoning_effort: 'minimal' }, { effort: 'minimal' }],
    [{ effort: 'minimal' }, 'o3', { reasoning_effort: 'low' }, { effort: 'low' }],
  ],
  'openai-responses': [
    [
      { effort: 'xhigh', summary: 'auto' },
      'x',
      { reasoning: { effort: 'xhigh', summary: 'auto' } },
    ],
    [{ summary: 'detailed' }, 'x', { reasoning: { summary: 'detailed' } }],
    [{ enabled: false }, 'x', { reasoning: { effort: 'none' } }],
    [{ budgetTokens: 31_999 }, 'x', { reasoning: { effort: 'high' } }, { effort: 'high' }],
  ],
  anthropic: [
    [{ budgetTokens: 2000 }, 'x', { thinking: { type: 'enabled', budget_tokens: 2000 } }],
    [{ enabled: true }, 'x', { thinking: { type: 'adaptive' } }],
    [{ enabled: false }, 'x', { thinking: { type: 'disabled' } }],
    [{ effort: 'max' }, 'x', { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }],
    [
      { enabled: true, summary: 'auto' },
      'claude-opus-4-8',
      { thinking: { type: 'adaptive', display: 'summarized' } },
    ],
    [
      { effort: 'medium' },
      'claude-sonnet-4-5',
      { thinking: { type: 'enabled', budget_tokens: 8192 }, max_tokens: 16_384 + 8192 },
      { budgetTokens: 8192 },
    ],
    [
      { budgetTokens: 31_999 },
      'claude-opus-4-7',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      { effort: 'high' },
    ],
    [
      { effort: 'xhigh' },
      'claude-opus-4-6',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      { effort: 'high' },
    ],
  ],
  gemini: [
    [{ effort: 'low' }, 'x', { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } }],
    [{ budgetTokens: 9 }, 'x', { generationConfig: { thinkingConfig: { thinkingBudget: 9 } } }],
    [{ enabled: false }, 'x', { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
    [{ enabled: true }, 'x', { generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }],
    [
      { effort: 'high', summary: 'auto' },
      'gemini-2.5-flash',
      { generationConfig: { thinkingConfig: { thinkingBudget: 24_576, includeThoughts: true } } },
      { budgetTokens: 24_576, summary: 'auto' },
    ],
    [
      { effort: 'max' },
      'gemini-2.5-flash',
      { generationConfig: { thinkingConfig: { thinkingBudget: 24_576 } } },
      { budgetTokens: 24_576 },
    ],
    [
      { enabled: false },
      'gemini-2.5-pro',
      { generationConfig: { thinkingConfig: { thinkingBudget: 128 } } },
      { budgetTokens: 128 },
    ],
    [
      { budgetTokens: 10_000, summary: 'none' },
      'gemini-3.5-flash',
      { generationConfig: { thinkingConfig: { thinkingLevel: 'medium', includeThoughts: false } } },
      { effort: 'medium', summary: 'none' },
    ],
  ],
  'google-interactions': [
    [{ effort: 'minimal' }, 'x', { generation_config: { thinking_level: 'minimal' } }],
    [
      { effort: 'high', summary: 'auto' },
      'x',
      { generation_config: { thinking_level: 'high', thinking_summaries: 'auto' } },
    ],
    [
      { budgetTokens: 500 },
      'x',
      { generation_config: { thinking_level: 'low' } },
      { effort: 'low' },
    ],
  ],
  ollama: [
    [{ enabled: true }, 'x', { think: true }],
    [{ enabled: false }, 'x', { think: false }],
    [{ effort: 'medium' }, 'x', { think: 'medium' }],
    [{ effort: 'minimal' }, 'x', { think: 'low' }, { effort: 'low' }],
  ],
  bedrock: [
    [
      { budgetTokens: 2000 },
      'anthropic.claude-sonnet-4-5-v1:0',
      { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2000 } } },
    ],
    [
      { effort: 'high' },
      'anthropic.claude-opus-4-7-v1:0',
      {
        additionalModelRequestFields: {
          thinking: { type: 'adaptive' },
          output_config: { effort: 'high' },
        },
      },
    ],
    [
      { effort: 'medium' },
      'us.amazon.nova-2-lite-v1:0',
      {
        additionalModelRequestFields: {
          reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
        },
      },
    ],
    [
      { effort: 'high' },
      'openai.gpt-oss-120b-1:0',
      { additionalModelRequestFields: { reasoning_effort: 'high' } },
    ],
  ],
  mistral: [
    [{ effort: 'medium' }, 'mistral-large-4', { reasoning_effort: 'medium' }],
    [{ enabled: false }, 'mistral-large-4', { reasoning_effort: 'none' }],
    [{ effort: 'low' }, 'mistral-small-latest', { reasoning_effort: 'high' }, { effort: 'high' }],
    [{ enabled: true }, 'magistral-medium', { prompt_mode: 'reasoning' }],
  ],
  cohere: [
    [{ enabled: true }, 'x', { thinking: { type: 'enabled' } }],
    [{ enabled: false }, 'x', { thinking: { type: 'disabled' } }],
    [{ budgetTokens: 300 }, 'x', { thinking: { type: 'enabled', token_budget: 300 } }],
    [
      { effort: 'low' },
      'x',
      { thinking: { type: 'enabled', token_budget: 2048 } },
      { budgetTokens: 2048 },
    ],
  ],
}

test('every dialect has a form for reasoning', () => {
  expect(Object.keys(FORMS).sort()).toEqual(allDialects.map(({ id }) => id))
})

describe.for(Object.entries(FORMS))('reasoning of %s', ([id, forms]) => {
  const dialect = getDialect(id)
  test.for(forms)('%j for %s', ([reasoning, model, fields, back = reasoning]) => {
    const body = dialect.encodeRequest({ model, messages: base.messages, reasoning })
    expect(body).toMatchObject(fields)
    const read = dialect.decodeRequest(body)
    expect(read.reasoning).toEqual(back)
    expect(read.extra).toBeUndefined()
  })
})

/** What a service that speaks OpenAI's dialect says of itself, and what it is sent. */
const STYLES: readonly (readonly [style: string, reasoning: Reasoning, fields: JsonObject])[] = [
  ['reasoning', { effort: 'high' }, { reasoning: { effort: 'high' } }],
  ['reasoning', { budgetTokens: 2000 }, { reasoning: { max_tokens: 2000 } }],
  ['reasoning', { enabled: false }, { reasoning: { effort: 'none' } }],
  [
    'reasoning',
    { enabled: true, summary: 'none' },
    { reasoning: { enabled: true, exclude: true } },
  ],
  ['thinking', { enabled: true }, { thinking: { type: 'enabled' } }],
  ['thinking', { enabled: false }, { thinking: { type: 'disabled' } }],
  ['enable_thinking', { budgetTokens: 500 }, { enable_thinking: true, thinking_budget: 500 }],
  ['enable_thinking', { enabled: false }, { enable_thinking: false }],
  [
    'chat_template_kwargs',
    { enabled: false },
    { chat_template_kwargs: { enable_thinking: false } },
  ],
  [
    'chat_template_kwargs',
    { effort: 'high' },
    { chat_template_kwargs: { enable_thinking: true }, reasoning_effort: 'high' },
  ],
]

test.for(STYLES)('services ask in their own way: %s, %j', ([style, reasoning, fields]) => {
  const chat = getDialect('openai-chat')
  const quirks = { reasoning: style as 'effort' }
  const body = chat.encodeRequest({ ...base, model: 'x', reasoning }, { quirks })
  const { model: _, messages: __, tools: ___, tool_choice: ____, ...rest } = body
  expect(rest).toEqual(fields)
  expect(chat.decodeRequest(body).reasoning).toEqual(reasoning)
})

describe('services of the chat dialect', () => {
  const chat = getDialect('openai-chat')

  test('have settings that OpenAI lacks, when they say so', () => {
    const sampling = { topK: 4, minP: 0.1, repetitionPenalty: 1.2 }
    const quirks = {
      settings: { topK: 'top_k', minP: 'min_p', repetitionPenalty: 'repetition_penalty' },
    } as const
    const body = chat.encodeRequest({ ...base, ...sampling }, { quirks })
    expect(body).toMatchObject({ top_k: 4, min_p: 0.1, repetition_penalty: 1.2 })
    expect(chat.decodeRequest(body)).toMatchObject(sampling)
  })

  test('may lack what OpenAI has', () => {
    const { issues, report } = collected()
    const quirks = { settings: { store: false, verbosity: false } } as const
    const body = chat.encodeRequest({ ...base, store: false, verbosity: 'low' }, { quirks, report })
    expect(body).not.toHaveProperty('store')
    expect(body).not.toHaveProperty('verbosity')
    expect(told(issues)).toEqual(['the service has no `verbosity`; it was left out'])
  })

  test('models without reasoning are not asked for any', () => {
    const { issues, report } = collected()
    const model = 'gpt-4o'
    const body = chat.encodeRequest({ ...base, model, reasoning: { effort: 'low' } }, { report })
    expect(body).not.toHaveProperty('reasoning_effort')
    expect(told(issues)).toEqual(['gpt-4o has no `reasoning_effort`; it was left out'])
    const off = collected()
    chat.encodeRequest({ ...base, model, reasoning: { enabled: false } }, { report: off.report })
    expect(off.issues).toEqual([])
  })

  test('a name of a user that is too long is left out', () => {
    const { issues, report } = collected()
    const user = 'u'.repeat(65)
    for (const id of ['openai-chat', 'openai-responses']) {
      expect(getDialect(id).encodeRequest({ ...base, user }, { report })).not.toHaveProperty('user')
    }
    expect(told(issues)).toHaveLength(2)
    expect(told(issues)[0]).toContain('64 characters')
  })
})

describe('what Anthropic demands of a request that thinks', () => {
  const { encodeRequest } = getDialect('anthropic')
  const older = { ...base, model: 'claude-sonnet-4-5' }

  function asked(request: Partial<ChatRequest>): { body: JsonObject; messages: string[] } {
    const { issues, report } = collected()
    return { body: encodeRequest({ ...older, ...request }, { report }), messages: told(issues) }
  }

  test('a budget of at least 1024 tokens, below the limit of the reply', () => {
    const small = asked({ reasoning: { budgetTokens: 10 }, maxTokens: 5000 })
    expect(small.body['thinking']).toEqual({ type: 'enabled', budget_tokens: 1024 })
    expect(small.messages).toHaveLength(1)
    const large = asked({ reasoning: { effort: 'high' }, maxTokens: 5000 })
    expect(large.body).toMatchObject({ max_tokens: 5000, thinking: { budget_tokens: 4000 } })
    expect(large.messages).toHaveLength(1)
    const none = asked({ reasoning: { effort: 'high' }, maxTokens: 1000 })
    expect(none.body).not.toHaveProperty('thinking')
    expect(none.messages[0]).toContain('no room')
  })

  test('no temperature, no top_k, and nearly all of top_p', () => {
    const reasoning = { budgetTokens: 2000 }
    const { body, messages } = asked({ reasoning, temperature: 0.2, topK: 5, topP: 0.96 })
    expect(body).not.toHaveProperty('temperature')
    expect(body).not.toHaveProperty('top_k')
    expect(body['top_p']).toBe(0.96)
    expect(messages).toEqual(['a model that thinks takes no `temperature`, `top_k`; left out'])
  })

  test('freedom to answer without a call', () => {
    const { body, messages } = asked({ reasoning: { effort: 'low' }, toolChoice: 'required' })
    expect(body).not.toHaveProperty('thinking')
    expect(body['tool_choice']).toEqual({ type: 'any' })
    expect(messages).toHaveLength(1)
  })
})

test('what is left over is named, and the sentence is true', () => {
  const { issues, report } = collected()
  const generationConfig: JsonObject = { seed: 3, responseModalities: ['TEXT'] }
  const contents: JsonValue = [{ role: 'user', parts: [{ text: 'Hi' }] }]
  const body = transcode({ contents, generationConfig }, { to: 'openai-chat', report })
  expect(body).toMatchObject({ seed: 3 })
  expect(told(issues)).toEqual([
    '`generationConfig.responseModalities` of gemini is not translated to openai-chat; it was left out',
  ])
})
