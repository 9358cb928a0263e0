/** The AI SDK's language models as its middleware sees them, by names of our own. */
import type { LanguageModelMiddleware } from 'ai'

type Wrapped = Parameters<NonNullable<LanguageModelMiddleware['wrapStream']>>[0]

export type Model = Wrapped['model']
export type CallOptions = Wrapped['params']
export type Prompt = CallOptions['prompt']
export type GenerateResult = Awaited<ReturnType<Wrapped['doGenerate']>>
export type StreamResult = Awaited<ReturnType<Wrapped['doStream']>>
export type Content = GenerateResult['content'][number]
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never
export type StreamPartOf<Type extends StreamPart['type']> = Extract<StreamPart, { type: Type }>
export type CallPart = Extract<Content, { type: 'tool-call' }>
export type EndReason = GenerateResult['finishReason']
export type Metadata = NonNullable<GenerateResult['providerMetadata']>
export type Warning = GenerateResult['warnings'][number]
