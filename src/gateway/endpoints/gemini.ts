/** `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent` */
import { isJsonObject, type JsonValue } from '../../core/json/value.ts'
import { gemini } from '../../dialects/gemini.ts'
import { breakFrames, chatEndpoint, sight } from './chat-endpoint.ts'
import type { Endpoint, Place, ReplyStream } from './endpoint.ts'
import { googleError, googleOverflow } from './google-error.ts'
import { geminiHosted } from './plain-hosted.ts'

const usual: Endpoint = chatEndpoint(gemini, {
  id: 'gemini',
  listedAt: 'GET /v1beta/models',
  // Some clients leave `models/` out when there is a slash in the name.
  path: /^\/v1(?:beta|alpha)?\/(?:models\/)?(?<model>.+):(?:generate|streamGenerate)Content$/,
  sight: (body, place) => ({
    ...sight(body, place),
    streamed: place.path.endsWith(':streamGenerateContent'),
    tools: declarations(body['tools']).length,
  }),
  toolsIn: ({ tools }) => declarations(tools),
  // A list that grows is a form of its own, which providers are not asked for.
  passes: (place) => !isList(place),
  rename: (body) => body,
  modelPlaces: [['modelVersion']],
  writeError: googleError,
  overflowMessage: googleOverflow,
  hosted: geminiHosted,
  complete: /"finishReason"\s*:\s*"|"blockReason"\s*:\s*"|"error"\s*:/,
})

export const geminiEndpoint: Endpoint = {
  ...usual,
  openStream(seen, facts) {
    const stream = usual.openStream(seen, facts)
    return isList(seen.place) ? asList(stream) : stream
  },
  writeBreak(failure, stream) {
    const { sight: seen, facts } = stream
    if (!isList(seen.place)) return usual.writeBreak(failure, stream)
    // Lists do not pass, so that nothing of this one is written.
    const { encoder, write, end } = asList(usual.openStream(seen, facts))
    return write(breakFrames(encoder, failure)) + end()
  },
}

/** Without `alt=sse`, a stream is one JSON list. */
function isList({ path, query }: Place): boolean {
  return path.endsWith(':streamGenerateContent') && query.get('alt') !== 'sse'
}

function asList(stream: ReplyStream): ReplyStream {
  let isFirst = true
  return {
    ...stream,
    contentType: 'application/json; charset=utf-8',
    write: (frames) => frames.map(({ data }) => separator() + data).join(''),
    end: () => (isFirst ? '[]' : '\n]'),
    keepAlive: '',
  }

  function separator(): string {
    const text = isFirst ? '[' : ',\n'
    isFirst = false
    return text
  }
}

function declarations(tools: JsonValue | undefined): JsonValue[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool) => {
    if (!isJsonObject(tool)) return []
    const list = tool['functionDeclarations'] ?? tool['function_declarations']
    return Array.isArray(list) ? list : []
  })
}
