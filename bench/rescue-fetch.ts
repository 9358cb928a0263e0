/** What does `rescueFetch` add to the cost of a streamed reply in which nothing is to be rescued? */

import type { ChatRequest } from '../src/core/chat.ts'
import type { Tool } from '../src/core/model.ts'
import { getDialect } from '../src/dialects/registry.ts'
import type { Asked } from './fetched.ts'
import type { Effort, Timing } from './harness.ts'
import { compare, ratio } from './harness.ts'
import { TOOLS } from './inputs.ts'
import type { Report, Table } from './report.ts'
import { timeCell, worstOf } from './report.ts'
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

export async function rescueFetches(effort: Effort): Promise<Report> {
  const results: Result[] = []
  for (const one of CASES) results.push(await measure(one, effort))
  return {
    tables: [table(results)],
    bars: [
      worstOf(
        'a streamed reply with nothing to rescue against plain fetch',
        results.map((r) => ({ name: r.name, value: ratio(r.rescued, r.plain) })),
        1.1,
      ),
      {
        name: 'streamed replies of which frames are missing',
        value: results.filter(({ rescued }) => !rescued.correct).length,
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
  const question: ChatRequest = {
    model: 'harbour-large-2',
    messages: [{ role: 'user', content: 'When does it leave?' }],
    maxTokens: 4000,
    stream: true,
  }
  const request = dialect.encodeRequest({ ...question, ...(tools && { tools: OFFERED }) })
  const asked = { url: URLS[wire], body: JSON.stringify(request), framing: dialect.framing, way }
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

function nameOf({ wire, tools, calls, size, way }: Case): string {
  const said = !tools ? 'no tools' : calls ? 'a call of its own' : 'prose'
  const cut = size === undefined ? 'a frame at a time' : `${Math.round(size / 1024)} KB at a time`
  return `${wire}, ${said}, ${cut}${way === 'loop' ? ', by a loop' : ''}`
}

function table(results: readonly Result[]): Table {
  return {
    title: 'Replies with nothing to rescue: ratio to plain fetch',
    head: ['stream', 'plain, a frame', 'rescueFetch'],
    rows: results.map(({ name, frames, plain, rescued }) => [
      name,
      timeCell(plain.median / frames, 1),
      timeCell(rescued.median / frames, ratio(rescued, plain), rescued.correct ? '' : '!'),
    ]),
  }
}
