/** Requests as observers are told of them. */
import type {
  Arrival,
  Asked,
  Attempt,
  GatewayObserver,
  Observation,
  Outcome,
} from '../../src/gateway/observer.ts'

export const ATTEMPT: Attempt = {
  provider: 'openai',
  model: 'gpt-5',
  dialect: 'openai-chat',
  lane: 'pass',
  body: '{"model":"gpt-5"}',
}

let requests = 0

export function arrival(fields: Partial<Arrival> = {}): Arrival {
  const id = `request-${requests++}`
  return {
    id,
    method: 'POST',
    path: '/v1/chat/completions',
    headers: {},
    at: Date.now(),
    ...fields,
  }
}

export function asked(fields: Partial<Asked> = {}): Asked {
  return {
    endpoint: 'openai-chat',
    model: 'fast',
    streamed: true,
    tools: 2,
    key: 'anna',
    body: new TextEncoder().encode('{"model":"fast"}'),
    ...fields,
  }
}

export function outcome(fields: Partial<Outcome> = {}): Outcome {
  return {
    status: 200,
    durationMs: 1200,
    addedMs: 3,
    firstByteMs: 400,
    rescues: [],
    issues: [],
    fallbacks: 0,
    bytesIn: 100,
    bytesOut: 2000,
    ...fields,
  }
}

/** One that is of interest to the observer. */
export function begin(observer: GatewayObserver, fields?: Partial<Arrival>): Observation {
  const observation = observer.begin(arrival(fields))
  if (!observation) throw new Error('the request is of no interest')
  return observation
}
