/** Frames that look like those before are not read; what comes of them is the same as if they were. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { randomChunks } from '../../src/testing/chunks.ts'
import { encode, readFrames, rescue } from './replies.ts'

const CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Ålesund"}}</tool_call>'
const WORDS = [
  ...['The', ' ferry', ' of', ' to', ' if', ' half', 'f', ' a', ' <', ' [', ' `x`', '\n', '\n\n'],
  ...[
    ' “é”',
    ' 水',
    ' 😀',
    ' "so"',
    ' \\',
    ' {',
    '<tool',
    ' ```\ncode\n```\n',
    ' 3.5',
    '>>',
    ' Action',
  ],
  ...[CALL, ` ${CALL}`, ' <think>', '</think>', ' get_weather', '{"a": 1}', '<|im_end|>', '\ud83d'],
]

type Wire = 'openai-chat' | 'anthropic'

function framesOf(wire: Wire, words: readonly string[]): JsonObject[] {
  if (wire === 'openai-chat') {
    const chunk = (delta: JsonObject, finish: string | null, i: number): JsonObject => ({
      id: 'c',
      created: 1790 + i,
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
    return [
      ...words.map((content, i) => chunk({ content }, null, i)),
      chunk({}, 'stop', words.length),
    ]
  }
  return [
    { type: 'message_start', message: { id: 'm', content: [], usage: {} } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...words.map((text) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} },
    { type: 'message_stop' },
  ]
}

/** With `isUnlike`, white space makes every frame look different from the one before it. */
function streamOf(frames: readonly JsonObject[], isUnlike: boolean): string {
  return frames
    .map((frame, i) => {
      const json = JSON.stringify(frame)
      return `data: ${isUnlike ? json.replace('{', `{${' '.repeat(1 + (i % 3))}`) : json}\n\n`
    })
    .join('')
}

async function decoded(wire: Wire, pieces: readonly (string | Uint8Array)[]): Promise<unknown> {
  const decoder = getDialect(wire).createStreamDecoder()
  for (const data of readFrames(await rescue(wire, pieces))) {
    decoder.push({ data: JSON.stringify(data) })
  }
  const last = decoder.end().at(-1)
  if (last?.type !== 'finish') throw new Error('not finished')
  const { message, finishReason } = last.response
  const calls = (message.toolCalls ?? []).map(({ name, arguments: args }) => ({ name, args }))
  return { text: message.content, calls, finishReason }
}

describe.each(['openai-chat', 'anthropic'] as const)('%s', (wire) => {
  it('is mended the same, however it is cut', { timeout: 60_000 }, async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = random(seed)
      const count = 5 + Math.floor(next() * 60)
      const plain = next() < 0.5 ? 12 : WORDS.length
      const words = Array.from({ length: count }, () => WORDS[Math.floor(next() * plain)] ?? '')
      const frames = framesOf(wire, ['Well', ' now', ',', ...words])
      const expected = await decoded(wire, [streamOf(frames, true)])
      const stream = streamOf(frames, false)
      const oneByOne = stream.split(/(?<=\n\n)/)
      const bytes = Buffer.from(encode(stream))
      const ways = [
        [stream],
        oneByOne,
        randomChunks(bytes.toString('latin1'), next).map((piece) => Buffer.from(piece, 'latin1')),
      ]
      for (const pieces of ways) expect(await decoded(wire, pieces)).toEqual(expected)
    }
  })
})

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}
