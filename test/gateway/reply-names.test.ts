/** Replies name the model by the name that the client asked for, in both lanes, whole and streamed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ASKERS, type Asker, ask, askerNamed } from '../support/gateway-askers.ts'
import { type GatewayRig, SERVICES, type ServiceId, startRig } from '../support/gateway-services.ts'

let rig: GatewayRig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.close())

const messages = [{ role: 'user', content: 'Hello' }] as const

/** The names of models in a reply, whatever its form. */
function namesIn(text: string): readonly string[] {
  const found = text.matchAll(/"(?:model|modelVersion)"\s*:\s*"((?:[^"\\]|\\.)*)"/g)
  return [...new Set([...found].map(([, name = '']) => name))]
}

const PAIRS = ASKERS.flatMap((client) => SERVICES.map((service) => [client, service] as const))

describe.for([false, true])('streamed: %s', (streamed) => {
  test.for(PAIRS.map(([client, service]) => [client.id, service, client] as const))(
    '%s asks %s',
    async ([, service, client]: readonly [string, ServiceId, Asker]) => {
      rig.upstream.play({ reply: 'Hello there.' })
      for (const model of [`my-${service}`, `${service}/scripted`]) {
        const { status, text, headers } = await ask(
          rig.url,
          client,
          { model, messages: [...messages] },
          streamed,
        )
        expect(status).toBe(200)
        expect(headers.get('x-toolglot-model')).toBe(`${service}/scripted`)
        for (const name of namesIn(text)) expect(name).toBe(model)
        expect(text).not.toContain('"scripted"')
      }
    },
  )
})

test('the name in the body goes back when a header asks for another model', async () => {
  rig.upstream.play({ reply: 'Hello there.' })
  const headers = { 'x-toolglot-model': 'my-anthropic' }
  const request = { model: 'gpt-5', messages: [...messages] }
  const answer = await ask(rig.url, askerNamed('openai-chat'), request, false, { headers })
  expect(namesIn(answer.text)).toEqual(['gpt-5'])
  expect(answer.headers.get('x-toolglot-model')).toBe('anthropic/scripted')
})
