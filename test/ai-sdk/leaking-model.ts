/** A language model of the AI SDK that says what it is told to, and has no tools of its own. */
import type {
  CallOptions,
  Content,
  EndReason,
  Model,
  StreamPart,
} from '../../src/ai-sdk/language-model.ts'
import { chunksOf } from '../../src/testing/index.ts'

/** What it says: a text, the content of a reply, or the very parts of a stream. */
export type Script = string | { readonly content: readonly Content[]; readonly finish?: EndReason }

export interface LeakingModel extends Model {
  readonly asked: readonly CallOptions[]
}

const STOP: EndReason = { unified: 'stop', raw: 'stop' }
const usage = {
  inputTokens: { total: 12, noCache: 12, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 7, text: 7, reasoning: undefined },
}

/** The last reply is given again and again; a function is asked for each. */
export function leakingModel(
  replies: readonly (Script | ((options: CallOptions) => Script))[],
  { modelId = 'leaky-1', pieceLength = 5 }: { modelId?: string; pieceLength?: number } = {},
): LeakingModel {
  const asked: CallOptions[] = []

  function next(options: CallOptions): Exclude<Script, string> {
    const reply = replies[Math.min(asked.length, replies.length - 1)] ?? ''
    asked.push(options)
    const script = typeof reply === 'function' ? reply(options) : reply
    return typeof script === 'string' ? { content: [{ type: 'text', text: script }] } : script
  }

  return {
    specificationVersion: 'v3',
    provider: 'leaky',
    modelId,
    supportedUrls: {},
    asked,
    async doGenerate(options) {
      const { content, finish = STOP } = next(options)
      return { content: [...content], finishReason: finish, usage, warnings: [] }
    },
    async doStream(options) {
      const { content, finish = STOP } = next(options)
      const parts = content.flatMap((part, at) => streamed(part, `p${at}`, pieceLength))
      return {
        stream: streamOf([
          { type: 'stream-start', warnings: [] },
          ...parts,
          { type: 'finish', finishReason: finish, usage },
        ]),
      }
    },
  }
}

function streamed(part: Content, id: string, length: number): StreamPart[] {
  if (part.type === 'text' || part.type === 'reasoning') {
    const { type, text, providerMetadata } = part
    return [
      { type: `${type}-start`, id, ...(providerMetadata && { providerMetadata }) },
      ...chunksOf(text, length).map((delta) => ({ type: `${type}-delta`, id, delta }) as const),
      { type: `${type}-end`, id },
    ]
  }
  if (part.type !== 'tool-call') return [part]
  const { toolCallId, toolName, input } = part
  return [
    { type: 'tool-input-start', id: toolCallId, toolName },
    { type: 'tool-input-delta', id: toolCallId, delta: input },
    { type: 'tool-input-end', id: toolCallId },
    part,
  ]
}

export function streamOf<Part>(parts: readonly Part[]): ReadableStream<Part> {
  const left = parts.values()
  return new ReadableStream({
    pull(controller) {
      const { done, value } = left.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

export async function partsOf(stream: ReadableStream<StreamPart>): Promise<StreamPart[]> {
  const parts: StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}
