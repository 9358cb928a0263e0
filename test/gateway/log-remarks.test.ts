/** What the log says of requests that were translated: real losses by name, and nothing that cries wolf. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { createLogger, createLogObserver } from '../../src/gateway/observe/log.ts'
import { postRequest } from '../support/gateway-send.ts'
import { strictServer } from '../support/strict-server.ts'

const EPHEMERAL = { cache_control: { type: 'ephemeral' } }
const REQUEST = {
  model: 'p/m',
  max_tokens: 100,
  metadata: { user_id: 'session' },
  context_management: { edits: [] },
  system: [{ type: 'text', text: 'Be brief.', ...EPHEMERAL }],
  tools: [{ name: 'look', input_schema: { type: 'object' }, ...EPHEMERAL }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Look.', ...EPHEMERAL }] },
    { role: 'system', content: 'Agents: none.' },
  ],
}

interface Logged {
  readonly line: JsonObject
  readonly headers: Headers
}

async function logged(body: JsonObject): Promise<Logged> {
  const lines: JsonObject[] = []
  const destination = { write: (line: string) => lines.push(JSON.parse(line)) }
  const logger = createLogger({ destination })
  const server = strictServer()
  const providers = { p: { provider: 'vllm', baseUrl: 'http://p.test/v1' } }
  const observers = [createLogObserver({ logger })]
  const gateway = createGateway(
    { demo: false, providers },
    { send: server.send, env: {}, observers },
  )
  const { headers } = await gateway.fetch(postRequest('/v1/messages', body))
  return { line: lines[0] ?? {}, headers }
}

describe('a request of Claude Code', () => {
  test('that loses nothing that matters is no warning', async () => {
    const { line, headers } = await logged(REQUEST)
    expect(line).toMatchObject({ level: 'info', status: 200 })
    expect(line).not.toHaveProperty('issues')
    expect(line['notes']).toEqual(
      expect.arrayContaining([
        'lost-field: context_management, tools.cache_control',
        'moved-message',
      ]),
    )
    expect(headers.get('x-toolglot-issues')).toBeNull()
  })

  test('that loses a tool is a warning with its name', async () => {
    const search = { type: 'web_search_20250305', name: 'web_search' }
    const { line, headers } = await logged({ ...REQUEST, tools: [...REQUEST.tools, search] })
    expect(line).toMatchObject({ level: 'warn', issues: ['not-expressible: tools.web_search'] })
    expect(headers.get('x-toolglot-issues')).toBe('not-expressible')
  })

  test('that says the same of many messages says it once', async () => {
    const odd = { type: 'own_part', own: 'A value.' }
    const turn = { role: 'user', content: [{ type: 'text', text: 'Look.' }, odd] }
    const { line } = await logged({ ...REQUEST, messages: [turn, turn, turn] })
    expect(line).toMatchObject({ level: 'warn', issues: ['lost-field: content.own_part.own'] })
  })
})
