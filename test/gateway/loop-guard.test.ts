/** Agents that make the same call again and again, in both lanes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../src/core/chat.ts'
import type { Message } from '../../src/core/model.ts'
import type { LoopGuard } from '../../src/gateway/loop-guard.ts'
import type { Outcome } from '../../src/gateway/observer.ts'
import { type Answer, ask, askerNamed } from '../support/gateway-askers.ts'
import {
  type GatewayRig,
  scriptedModels,
  servicesAt,
  startRig,
} from '../support/gateway-services.ts'

const outcomes: Outcome[] = []
let rig: GatewayRig

beforeAll(async () => {
  const guarded = (guard: LoopGuard) => ({
    chain: ['openai-chat/scripted'],
    retries: 0,
    loopGuard: guard,
  })
  rig = await startRig({
    config: (url) => ({
      providers: servicesAt(url),
      models: {
        ...scriptedModels(),
        stopped: guarded('stop'),
        'stopped-anthropic': { ...guarded('stop'), chain: ['anthropic/scripted'] },
        unguarded: guarded('off'),
      },
      keys: [
        { name: 'usual', key: 'sk-usual-4711' },
        { name: 'strict', key: 'sk-strict-4711', loopGuard: 'stop' },
      ],
    }),
    observers: [{ begin: () => ({ end: (outcome) => void outcomes.push(outcome) }) }],
  })
})
afterAll(() => rig.close())

interface Round {
  readonly path?: string
  readonly result?: string
}

/** A history in which a file was read so often. */
function history(rounds: readonly Round[], before: readonly Message[] = []): Message[] {
  const question: Message = { role: 'user', content: 'Read the file.' }
  const turns = rounds.flatMap(({ path = 'a.txt', result = 'no such file' }, at): Message[] => {
    const id = `call_${at}00000000`
    const call = { id, name: 'read_file', arguments: { path }, origin: 'native' } as const
    return [
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', content: '', toolResults: [{ callId: id, content: result }] },
    ]
  })
  return [question, ...before, ...turns]
}

function times(count: number, round: Round = {}): Round[] {
  return Array.from({ length: count }, () => round)
}

async function put(
  id: string,
  model: string,
  messages: readonly Message[],
  key = 'sk-usual-4711',
): Promise<Answer> {
  rig.upstream.play({ reply: 'Done.' })
  const tools = [{ name: 'read_file', inputSchema: { type: 'object' } }]
  const request: ChatRequest = { model, messages, tools }
  const headers = { authorization: `Bearer ${key}` }
  return ask(rig.url, askerNamed(id), request, false, { headers })
}

const CLIENTS = ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini'] as const

describe.for(CLIENTS)('%s client', (id) => {
  test('a loop is reported, and goes on', async () => {
    const before = rig.upstream.requests.length
    const answer = await put(id, `my-${id}`, history(times(5)))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-toolglot-loop')).toBe('5; read_file')
    expect(outcomes.at(-1)).toMatchObject({ loop: { tool: 'read_file', times: 5 } })
    expect(rig.upstream.requests).toHaveLength(before + 1)
    expect(JSON.stringify(rig.upstream.requests.at(-1)?.body)).not.toContain('Note of the gateway')
  })

  test('the model is told of a loop that is to be stopped', async () => {
    const answer = await put(id, 'stopped', history(times(4)))
    expect(answer.status).toBe(200)
    const body = JSON.stringify(rig.upstream.requests.at(-1)?.body)
    expect(body).toContain(
      'no such file\\n\\n[Note of the gateway: the call of read_file was made 4',
    )
    expect(body.split('Note of the gateway')).toHaveLength(2)
  })

  test('a loop that goes on is refused', async () => {
    const before = rig.upstream.requests.length
    const answer = await put(id, 'stopped', history(times(8)))
    expect(answer.status).toBe(400)
    expect(answer.headers.get('x-toolglot-error')).toBe('call_loop')
    expect(answer.text).toContain('8 times')
    expect(rig.upstream.requests).toHaveLength(before)
  })
})

test('the note is also written where a question would pass', async () => {
  const answer = await put('anthropic', 'stopped-anthropic', history(times(4)))
  expect(answer.headers.get('x-toolglot-lane')).toBe('translate')
  expect(JSON.stringify(rig.upstream.requests.at(-1)?.body)).toContain('Note of the gateway')
})

const SPOKEN: readonly Message[] = [
  ...history(times(5)).slice(1),
  { role: 'assistant', content: 'I cannot read it.' },
  { role: 'user', content: 'Try again.' },
]

test.for<[name: string, messages: readonly Message[]]>([
  ['few repetitions', history(times(3))],
  ['other arguments', history([{}, {}, {}, { path: 'b.txt' }, {}].slice(0, 4))],
  ['other results', history(times(6).map((_, at) => ({ result: `line ${at}` })))],
  ['repetitions before the model last spoke', history(times(2), SPOKEN)],
  ['a question after a loop', history([], SPOKEN)],
])('is no loop: %s', async ([, messages]) => {
  const answer = await put('openai-chat', 'stopped', messages)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-toolglot-loop')).toBe(null)
})

test('calls in between do not hide a loop', async () => {
  const rounds = times(4).flatMap((round, at) => [{ path: `${at}.txt` }, round])
  const answer = await put('openai-chat', 'my-openai-chat', history(rounds))
  expect(answer.headers.get('x-toolglot-loop')).toBe('4; read_file')
})

test('a key decides before the name of the model, and the name before the gateway', async () => {
  const messages = history(times(8))
  expect((await put('openai-chat', 'unguarded', messages)).headers.get('x-toolglot-loop')).toBe(
    null,
  )
  expect((await put('openai-chat', 'unguarded', messages, 'sk-strict-4711')).status).toBe(400)
})
