/** Real clients against a server that leaks: each must get proper calls, whatever the format. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Rescue, rescueFetch } from '../../src/fetch.ts'
import { getProtocol } from '../../src/protocols/registry.ts'
import { startUpstream, type Upstream } from '../../src/testing/upstream.ts'
import { clients } from './clients.ts'

/** Formats that are told by their marks, wherever they stand. */
const MARKED = [
  'anthropic-xml',
  'deepseek-dsml',
  'deepseek-v3',
  'functionary-v31',
  'glm45',
  'granite-20b-fc',
  'harmony',
  'hermes',
  'internlm2',
  'kimi-k2',
  'lfm2',
  'llama4-pythonic',
  'minimax-m2',
  'mistral-array',
  'mistral-v11',
  'olmo3',
  'phi4-mini',
  'qwen3-coder',
  'react',
  'seed-oss',
] as const
/** Formats without marks: the call must be all there is. */
const BARE = ['fenced-json', 'json-array', 'llama3-json', 'pythonic', 'xlam'] as const

const args = { city: 'Bergen “på øya”', days: 3 }
const call = { name: 'get_weather', arguments: args }
const PROSE = 'Let me look that up.\n'

const cases = [
  ...MARKED.map((id) => ({ id, prose: PROSE })),
  ...[...MARKED, ...BARE].map((id) => ({ id, prose: '' })),
]

let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())

describe.each(clients)('$name', (client) => {
  it.each(cases)('gets a call in $id after "$prose"', async ({ id, prose }) => {
    const reply = prose + getProtocol(id).formatCall(call)
    const rescues: Rescue[] = []
    const fetch = rescueFetch({ onRescue: (rescue) => rescues.push(rescue) })

    upstream.play({ reply })
    const outcomes = [await client.whole(upstream.url, fetch)]
    for (const pieceLength of [1, 7, 1000]) {
      upstream.play({ reply, pieceLength })
      outcomes.push(await client.streamed(upstream.url, fetch))
    }
    for (const { text, calls, finish, ids } of outcomes) {
      expect({ text, calls, finish }).toEqual({ text: prose, calls: [call], finish: client.finish })
      expect(ids.every((one) => /^[\w.:-]{5,40}$/.test(one))).toBe(true)
    }
    expect(rescues).toHaveLength(outcomes.length)
  })

  it('gets plain text as it is', async () => {
    const reply = 'In Bergen < 10 mm of rain [once more], `{"a": 1}` and <b>wind</b>.'
    upstream.play({ reply, pieceLength: 3 })
    const fetch = rescueFetch()
    const expected = { text: reply, calls: [] }
    expect(await client.whole(upstream.url, fetch)).toMatchObject(expected)
    expect(await client.streamed(upstream.url, fetch)).toMatchObject(expected)
  })
})
