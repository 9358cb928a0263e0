/** `POST /v1/responses` */
import { ProviderError } from '../../client/errors.ts'
import type { StreamFailure } from '../../core/chat.ts'
import type { Frame } from '../../core/dialect.ts'
import { toolsIn } from '../../dialects/openai-responses/declared-tools.ts'
import { openaiResponses } from '../../dialects/openai-responses.ts'
import { breakFrames, chatEndpoint, sight, sseFrame, withOwnIds } from './chat-endpoint.ts'
import type { BrokenStream, Endpoint } from './endpoint.ts'
import { dataWithFullUsage, framesWithFullUsage, withFullUsage } from './full-usage.ts'
import { openaiError, openaiOverflow } from './openai-error.ts'
import { responsesHosted } from './plain-hosted.ts'
import { responsesReferences } from './responses-references.ts'

const usual: Endpoint = chatEndpoint(openaiResponses, {
  id: 'openai-responses',
  path: /^(?:\/v1)?\/responses$/,
  references: responsesReferences,
  filled: { reply: withFullUsage, frames: framesWithFullUsage },
  keptId: (text) => REPLY_ID.exec(text)?.[1],
  sight: (body, place) => ({ ...sight(body, place), tools: toolsIn(body).length }),
  toolsIn,
  modelPlaces: [['response', 'model'], ['model']],
  writeBreak,
  writeError: openaiError,
  overflowMessage: openaiOverflow,
  hosted: responsesHosted,
  // The last event repeats the whole reply, so that its name may stand far from the end.
  complete: /response\.(?:completed|incomplete|failed)"|"output_tokens"\s*:|"type"\s*:\s*"error"/,
})

/** The first frames of a stream tell it as well. */
const REPLY_ID = /"id"\s*:\s*"(resp[\w-]{1,200})"/

const own: Endpoint = withOwnIds(usual, 'resp_')

export const openaiResponsesEndpoint: Endpoint = {
  ...own,
  writeReply: (response, facts) => ({
    ...withFullUsage(own.writeReply(response, facts)),
    created_at: facts.created,
  }),
  openStream(seen, facts) {
    const stream = own.openStream(seen, facts)
    const { encoder } = stream
    const full = (frame: Frame): Frame => ({ ...frame, data: dataWithFullUsage(frame.data) })
    return { ...stream, encoder: { push: (event) => encoder.push(event).map(full) } }
  },
}

// Clients do not refer to what a compaction returns: they send it.
const { references: _, keptId: __, ...around } = usual

/**
 * `POST /v1/responses/compact`: the conversation so far in fewer items, which only the service that made them can
 * read. A summary of ours would not be what the client asked for.
 */
export const responsesCompactEndpoint: Endpoint = {
  ...around,
  id: 'openai-responses-compact',
  path: /^(?:\/v1)?\/responses\/compact$/,
  suffix: '/compact',
  sight: (body, place) => ({ ...sight(body, place), streamed: false, tools: 0 }),
  // biome-ignore lint/correctness/useYield: it fails before its first step
  *read() {
    throw new ProviderError('unsupported', 'the provider has no compaction of conversations')
  },
}

/** The last events belong to the reply that has begun, and go on with its numbers. */
function writeBreak(failure: StreamFailure, { facts, first, last }: BrokenStream): string {
  const { created } = facts
  const [, id = facts.id] = /"response"\s*:\s*\{\s*"id"\s*:\s*"([^"]+)"/.exec(first) ?? []
  const [, model = facts.model] = /"model"\s*:\s*"([^"]+)"/.exec(first) ?? []
  const encoder = openaiResponses.createStreamEncoder({ created })
  const numbers = [...last.matchAll(/"sequence_number"\s*:\s*(\d+)/g)]
  const next = Number(numbers.at(-1)?.[1] ?? -1) + 1
  return breakFrames(encoder, failure, { id, model })
    .map(({ event, data }, at) => {
      const numbered = { ...JSON.parse(data), sequence_number: next + at }
      return sseFrame({ ...(event !== undefined && { event }), data: JSON.stringify(numbered) })
    })
    .join('')
}
