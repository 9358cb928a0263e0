/** What does `rescueFetch` add to the cost of a streamed reply in which nothing is to be rescued? */

import type { ChatRequest } from '../src/core/chat.ts'
import type { JsonObject } from '../src/core/json/value.ts'
import type { Tool } from '../src/core/model.ts'
import { getDialect } from '../src/dialects/registry.ts'
import type { Asked } from './fetched.ts'
import type { Effort, Timing } from './harness.ts'
import { compare, ratio } from './harness.ts'
import { TOOLS } from './inputs.ts'
import type { Report, Table } from './report.ts'
import { timeCell, worstOf } from './report.ts'
import { byOpenAi, measureServed, type ServedCase } from './rescue-server.ts'
import { load } from './subject.ts'
import { ARGUMENT, framedBytes, recut, speechOf, wireReply } from './wire-replies.ts'

const { fetchFrames, playing, rescueFetch } =
  await load<typeof import('./fetched.ts')>('./fetched.ts')

const WORDS = 2000
const LARGE = 16_384

const URLS = {
  'openai-chat': 'http://host/v1/chat/completions',
  'openai-responses': 'http://host/v1/responses',
  anthropic: 'http://host/v1/messages',
  gemini: 'http://host/v1beta/models/harbour-large-2:streamGenerateContent?alt=sse',
  ollama: 'http://host/api/chat',
} as const

type WireId = keyof typeof URLS

interface Case {
  readonly wire: WireId
  readonly tools: boolean
  readonly calls: boolean
  /** Bytes of a chunk; without it, each frame is one. */
  readonly size?: number
  readonly way: Asked['way']
}

interface Result {
  readonly name: string
  readonly frames: number
  readonly plain: Timing
  readonly rescued: Timing
}

/** As a client has them. */
const OFFERED: readonly Tool[] = JSON.parse(JSON.stringify(TOOLS))
const WIRES = Object.keys(URLS) as WireId[]
const PROSE = { tools: true, calls: false, way: 'reader' } as const
const CHAT = { ...PROSE, wire: 'openai-chat' } as const

const CASES: readonly Case[] = [
  { ...CHAT, tools: false },
  { ...CHAT, tools: false, size: LARGE },
  ...WIRES.flatMap((wire): Case[] => [
    { ...PROSE, wire },
    { ...PROSE, wire, size: LARGE },
  ]),
  { ...CHAT, way: 'loop' },
  { ...CHAT, calls: true },
  { ...CHAT, calls: true, size: LARGE },
  { ...CHAT, wire: 'anthropic', calls: true },
]

/** With the global `fetch`, and with the client of OpenAI. */
const SERVED: readonly ServedCase[] = [
  ...WIRES.map((wire) => ({ name: `${wire}, prose, by fetch`, read: byFetch(wire) })),
  {
    name: 'openai-chat, prose, by the client of OpenAI',
    read: (origin) => byOpenAi(origin, requestOf('openai-chat', true)),
  },
]

function byFetch(wire: WireId): ServedCase['read'] {
  const { framing } = getDialect(wire)
  const body = JSON.stringify(requestOf(wire, true))
  return (origin) => (fetch) => {
    const url = URLS[wire].replace('http://host', `${origin}/${wire}`)
    return fetchFrames(fetch, { url, body, framing, way: 'reader' })
  }
}

export async function rescueFetches(effort: Effort): Promise<Report> {
  const results: Result[] = []
  for (const one of CASES) results.push(await measure(one, effort))
  const served = await measureServed(SERVED, rescueFetch(), effort)
  return {
    tables: [
      table('Replies with nothing to rescue: ratio to plain fetch', results),
      table('The same from a real server: ratio to plain fetch', served),
    ],
    bars: [
      worstOf(
        'a streamed reply with nothing to rescue against plain fetch',
        results.map((r) => ({ name: r.name, value: ratio(r.rescued, r.plain) })),
        1.1,
      ),
      worstOf(
        'the same from a real server',
        served.map((r) => ({ name: r.name, value: ratio(r.rescued, r.plain) })),
        1.1,
      ),
      {
        name: 'streamed replies of which frames are missing',
        value: [...results, ...served].filter(({ rescued }) => !rescued.correct).length,
        limit: 0,
        kind: 'max',
      },
    ],
  }
}

async function measure(one: Case, effort: Effort): Promise<Result> {
  const { wire, tools, calls, size, way } = one
  const dialect = getDialect(wire)
  const reply = wireReply(wire, speechOf(WORDS, calls ? ARGUMENT : []))
  const framed = framedBytes(reply)
  const fetch = playing(dialect.framing, size === undefined ? framed : recut(framed, size))
  const body = JSON.stringify(requestOf(wire, tools))
  const asked = { url: URLS[wire], body, framing: dialect.framing, way }
  const frames = reply.frames.filter(({ data }) => data.startsWith('{')).length
  const rescuing = rescueFetch({ fetch })
  const [plain, rescued] = await compare(
    [
      { name: 'plain', run: () => fetchFrames(fetch, asked), expected: frames },
      { name: 'rescued', run: () => fetchFrames(rescuing, asked), expected: frames },
    ],
    { ...effort, sampleMs: effort.sampleMs * 5 },
  )
  if (!plain.correct) throw new Error(`the client saw ${plain.result} of ${frames} frames`)
  return { name: nameOf(one), frames, plain, rescued }
}

function requestOf(wire: WireId, tools: boolean): JsonObject {
  const question: ChatRequest = {
    model: 'harbour-large-2',
    messages: [{ role: 'user', content: 'When does it leave?' }],
    maxTokens: 4000,
    stream: true,
  }
  return getDialect(wire).encodeRequest({ ...question, ...(tools && { tools: OFFERED }) })
}

function nameOf({ wire, tools, calls, size, way }: Case): string {
  const said = !tools ? 'no tools' : calls ? 'a call of its own' : 'prose'
  const cut = size === undefined ? 'a frame at a time' : `${Math.round(size / 1024)} KB at a time`
  return `${wire}, ${said}, ${cut}${way === 'loop' ? ', by a loop' : ''}`
}

function table(title: string, results: readonly Result[]): Table {
  return {
    title,
    head: ['stream', 'plain, a frame', 'rescueFetch'],
    rows: results.map(({ name, frames, plain, rescued }) => [
      name,
      timeCell(plain.median / frames, 1),
      timeCell(rescued.median / frames, ratio(rescued, plain), rescued.correct ? '' : '!'),
    ]),
  }
}
