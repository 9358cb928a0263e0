/** What every client must get from the gateway, whatever it speaks and however the model writes its calls. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openaiChat } from '../../src/dialects/openai-chat.ts'
import { listDemoModels } from '../../src/gateway/demo/demo-models.ts'
import type { GatewayObserver, Outcome } from '../../src/gateway/observer.ts'
import { type RunningGateway, startGateway } from '../support/gateway.ts'

export interface Client {
  readonly name: string
  /**
   * The demo models speak OpenAI's chat: replies to clients of the same dialect are passed on, others are translated.
   * The clients of that dialect do not show `reasoning_content`.
   */
  readonly lane: 'pass' | 'translate'
  /** How it says that tools are to be called, that all is said, and that the reply was cut off. */
  readonly finish: { readonly calls: string; readonly stop: string; readonly length: string }
  /** Asks, runs the tools that are called and sends back what they answer, until none is called any more. */
  converse(ask: Ask): Promise<readonly Turn[]>
  /** Asks for a stream and gives it up when the first piece is there. */
  leave(ask: Ask): Promise<void>
  /** Fails when the error is not the client's own for a model that nobody has, or for a wrong key. */
  expectNotFound(error: unknown): void
  expectUnauthorized(error: unknown): void
}

export interface Ask {
  readonly url: string
  readonly key: string
  readonly model: string
  readonly question: string
  readonly withTools: boolean
  readonly streamed: boolean
}

/** One reply, as the client tells it. */
export interface Turn {
  readonly text: string
  /** As far as the client has a place for it. */
  readonly reasoning?: string | undefined
  readonly calls: readonly Call[]
  readonly finish: string | null | undefined
  /** How often it was said that the reply is over. */
  readonly finishes: number
  readonly usage: { readonly input: number | undefined; readonly output: number | undefined }
}

export interface Call {
  /** Undefined where the client has no ids. */
  readonly id: string | undefined
  readonly name: string
  readonly arguments: unknown
}

// ── the tool and what is asked ──────────────────────────────────────────────────────────────────

export const TOOL_NAME = 'get_weather'
export const DESCRIPTION = 'The weather of the next days in a city'
export const PARAMETERS: WeatherSchema = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Its name' },
    days: { type: 'integer', description: 'How many' },
  },
  required: ['city'],
}

/** A type and no interface, which some clients would not take for a schema. */
type WeatherSchema = {
  type: 'object'
  properties: {
    city: { type: 'string'; description: string }
    days: { type: 'integer'; description: string }
  }
  required: 'city'[]
}

/** With what is special in one format or another. */
const PLACE = "Å i Lofoten, it's <b>north</b> & 50% \\ {snow}"
const OTHER_PLACE = 'São Tomé'
const QUESTION = `How will the weather be in "${PLACE}", and in "${OTHER_PLACE}"?`
const CALLS = [
  { name: TOOL_NAME, arguments: { city: PLACE } },
  { name: TOOL_NAME, arguments: { city: OTHER_PLACE } },
] as const

/** What the tool answers; clients that run tools themselves are given this. */
export function runWeather(args: unknown): string {
  const city = typeof args === 'object' && args !== null && 'city' in args ? args.city : undefined
  if (city === PLACE) return '-4 °C and snow'
  if (city === OTHER_PLACE) return '31 °C and sun'
  throw new Error(`no such city: ${JSON.stringify(args)}`)
}

const ANSWER = 'The tool answered: -4 °C and snow'
const OTHER_ANSWER = 'The tool answered: 31 °C and sun'

// ── what must come of it ────────────────────────────────────────────────────────────────────────

const MODELS = listDemoModels().map(({ id }) => id)
/** Every text format. */
export const FORMATS: readonly string[] = MODELS.filter((id) => MODELS.includes(`${id}:parallel`))
/** Some of every kind: marked by tags, tokens, words or nothing; arguments as JSON, tags, code or YAML. */
const SOME: ReadonlySet<string> = new Set([
  ...['hermes', 'qwen3-coder', 'glm45', 'yaml-xml', 'deepseek-v3', 'kimi-k2', 'step3', 'harmony'],
  ...['mistral-v11', 'llama3-json', 'xlam', 'pythonic', 'llama4-pythonic', 'react', 'fenced-json'],
  ...['solar', 'text-tagged', 'function-pattern'],
])
const WAYS = [
  { way: 'whole', streamed: false },
  { way: 'streamed', streamed: true },
] as const
const KEY = 'tg-the-right-one'

/** Runs all of it in the file of a client. `isThorough`: all formats in all that can be wrong with them. */
export function clientContract(client: Client, isThorough = false): void {
  describe(client.name, () => {
    const outcomes: Outcome[] = []
    /** What the model was asked last. */
    let asked = ''
    const observer: GatewayObserver = {
      begin: () => ({
        attempt({ body = '' }) {
          asked = body
        },
        end: (outcome) => void outcomes.push(outcome),
      }),
    }
    let open: RunningGateway
    let locked: RunningGateway
    beforeAll(async () => {
      open = await startGateway({}, { observers: [observer] })
      locked = await startGateway({ keys: [{ name: 'test', key: KEY }] })
    })
    afterAll(async () => {
      await open.close()
      await locked.close()
    })

    function ask(model: string, more: Partial<Ask>): Ask {
      const usual = { key: 'none', question: QUESTION, withTools: true, streamed: false }
      return { url: open.url, model: `demo/${model}`, ...usual, ...more }
    }

    test('there is enough to try', () => {
      expect(FORMATS.length).toBeGreaterThanOrEqual(20)
      expect(FORMATS).toEqual(expect.arrayContaining([...SOME]))
    })

    describe.for(WAYS)('$way', ({ streamed }) => {
      const isPassed = client.lane === 'pass'
      const variantsOf = (variant: string) => modelsOf(variant, isThorough && streamed)

      async function converse(model: string, more: Partial<Ask> = {}): Promise<readonly Turn[]> {
        const turns = await client.converse(ask(model, { streamed, ...more }))
        for (const turn of turns) expectComplete(turn)
        return turns
      }

      async function expectLoop(model: string): Promise<void> {
        const [first, last, ...more] = await converse(model)
        expectCalls(first, [CALLS[0]], client)
        expectAnswer(last, [ANSWER], client)
        expectHistory(asked, 1)
        expect(more).toEqual([])
      }

      test.for(FORMATS)('demo/%s: a call, and an answer from its result', (id) => expectLoop(id))

      test('demo/native: the same', () => expectLoop('native'))

      test.for(variantsOf('broken'))('demo/%s: mended', (id) => expectLoop(id))

      test.for(variantsOf('parallel'))('demo/%s: two calls, two results', async (id) => {
        const [first, last, ...more] = await converse(id)
        expectCalls(first, CALLS, client)
        expectAnswer(last, [ANSWER, OTHER_ANSWER], client)
        expectHistory(asked, 2)
        expect(more).toEqual([])
      })

      test.for(variantsOf('thinking'))('demo/%s: no call out of the reasoning', async (id) => {
        const [first, last, ...more] = await converse(id)
        expectCalls(first, [CALLS[0]], client)
        if (!isPassed) expect(first?.reasoning).toContain('not what was asked for')
        expectAnswer(last, [ANSWER], client)
        expect(more).toEqual([])
      })

      test.for(variantsOf('truncated'))('demo/%s: no half call', async (id) => {
        const [first, ...more] = await converse(id)
        expect(first?.calls).toEqual([])
        expect(first?.text).toMatch(HALF_CALL)
        expect(first?.finish).toBe(client.finish.length)
        expect(more).toEqual([])
      })

      test('demo/echo: the very words, without tools', async () => {
        const question = 'Good morning, <b>世界</b>! `{"a": [1]}`'
        const [first, ...more] = await converse('echo', { question, withTools: false })
        expect(first).toMatchObject({ text: question, calls: [], finish: client.finish.stop })
        expect(more).toEqual([])
      })

      test('a model that nobody has', async () => {
        client.expectNotFound(await failure(client.converse(ask('nobody', { streamed }))))
      })

      test('a wrong key, and the right one', async () => {
        const { url } = locked
        const wrong = client.converse(ask('hermes', { streamed, url, key: 'tg-a-wrong-one' }))
        client.expectUnauthorized(await failure(wrong))
        const [first] = await converse('hermes', { url, key: KEY })
        expectCalls(first, [CALLS[0]], client)
      })
    })

    test('a stream that the client gives up is given up in the gateway', async () => {
      outcomes.length = 0
      await client.leave(ask('slow', { streamed: true, withTools: false }))
      await expect.poll(() => outcomes, { timeout: 5000 }).toHaveLength(1)
      expect(outcomes[0]).toMatchObject({ status: 499, error: 'client_closed' })
      expect(open.gateway.pending()).toBe(0)
    })
  })
}

/** The models of a variant: of all formats once in each lane, in streams; elsewhere of some. */
function modelsOf(variant: string, isThorough: boolean): readonly string[] {
  return MODELS.filter((id) => {
    const [format = '', name] = id.split(':')
    return name === variant && (isThorough || SOME.has(format))
  })
}

function expectComplete({ finishes, usage }: Turn): void {
  expect(finishes).toBe(1)
  expect(usage.input).toBeGreaterThan(0)
  expect(usage.output).toBeGreaterThan(0)
}

function expectCalls(
  turn: Turn | undefined,
  calls: readonly Omit<Call, 'id'>[],
  { finish }: Client,
): void {
  expect(turn?.calls.map(({ id: _, ...call }) => call)).toEqual(calls)
  expectIds(turn?.calls ?? [])
  expectNoMarkup(turn?.text)
  expect(turn?.finish).toBe(finish.calls)
}

function expectIds(calls: readonly Call[]): void {
  const ids = calls.flatMap(({ id }) => (id === undefined ? [] : [id]))
  for (const id of ids) expect(id).toMatch(/^[\w.:-]{1,64}$/)
  expect(new Set(ids).size).toBe(ids.length)
}

/** It has got as far as the name of the place. */
const HALF_CALL = /Å i Lof/

/** Most models say a sentence first. */
function expectNoMarkup(text: string | undefined): void {
  expect(['', `I will use ${TOOL_NAME} for this.`]).toContain(text?.trim())
}

function expectAnswer(turn: Turn | undefined, lines: readonly string[], { finish }: Client): void {
  expect(turn?.text.split('\n')).toEqual(lines)
  expect(turn?.calls).toEqual([])
  expect(turn?.finish).toBe(finish.stop)
}

/** The model has seen the question, its own calls, and what came of each, and nothing else. */
function expectHistory(body: string, calls: 1 | 2): void {
  const { messages, tools } = openaiChat.decodeRequest(JSON.parse(body))
  const [question, called, ...results] = messages
  expect(question).toMatchObject({ role: 'user', content: QUESTION })
  const made = called?.toolCalls ?? []
  expect(made.map(({ name, arguments: args }) => ({ name, arguments: args }))).toEqual(
    CALLS.slice(0, calls),
  )
  const answered = results.flatMap(({ toolResults = [] }) => toolResults)
  expect(answered.map(({ callId }) => callId)).toEqual(made.map(({ id }) => id))
  expect(results.filter(({ toolResults }) => !toolResults)).toEqual([])
  expect(tools?.map(({ name }) => name)).toEqual([TOOL_NAME])
}

/** For what a client can do besides: a gateway for the file, and the question that begins a loop. */
export function loopAsk(): (model: string) => Ask {
  let running: RunningGateway
  beforeAll(async () => {
    running = await startGateway()
  })
  afterAll(() => running.close())
  return (model) => {
    const usual = { key: 'none', question: QUESTION, withTools: true, streamed: false }
    return { url: running.url, model: `demo/${model}`, ...usual }
  }
}

/** What models say in the end when so many calls were answered. */
export function answersOf(calls: 1 | 2): string {
  return [ANSWER, OTHER_ANSWER].slice(0, calls).join('\n')
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => expect.fail(`it came to ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
}
