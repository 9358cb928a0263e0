/**
 * Packages that find tool calls in text, each asked the way its documentation shows. What they need
 * is made ready before the clock starts, and what they return is taken as it comes.
 */
import { isDeepStrictEqual } from 'node:util'
import { hermesProtocol } from '@ai-sdk-tool/parser'
import { createParser } from 'llm-stream-parser'
import { parseLlmToolCalls } from 'llm-tool-parser'
import { floorExtract } from './floor.ts'
import { ownTime } from './harness.ts'
import { TOOLS } from './inputs.ts'

export interface FoundCall {
  readonly name: string
  /** A value, or its JSON where the package leaves parsing to the caller. */
  readonly arguments: unknown
}

/** Asked while a stream is read; true ends the attempt. */
export type GiveUp = () => boolean

/** Undefined: gave up. */
type Streamed = readonly FoundCall[] | undefined

export interface ExtractionLibrary {
  readonly name: string
  /** A way to do it by hand, shown for comparison; no package to be faster than. */
  readonly reference?: boolean
  whole?(text: string): readonly FoundCall[]
  /** Returns a function that reads the chunks once. */
  stream?(chunks: readonly string[]): (giveUp: GiveUp) => Streamed | Promise<Streamed>
}

const hermes = hermesProtocol()
type HermesRequest = Parameters<typeof hermes.parseGeneratedText>[0]
type HermesStream = ReturnType<typeof hermes.createStreamParser>
type HermesPart = HermesStream extends TransformStream<infer Part> ? Part : never

const AI_SDK_TOOLS: HermesRequest['tools'] = TOOLS.map(({ name, inputSchema }) => ({
  type: 'function',
  name,
  // Our schemas are deeply readonly; this package asks for writable ones and does not write.
  inputSchema: structuredClone(inputSchema) as HermesRequest['tools'][number]['inputSchema'],
}))

const aiSdkToolParser: ExtractionLibrary = {
  name: '@ai-sdk-tool/parser, hermes',
  whole: (text) =>
    hermes.parseGeneratedText({ text, tools: AI_SDK_TOOLS }).flatMap((part) => hermesCalls(part)),
  stream: (chunks) => {
    const parts: HermesPart[] = [
      { type: 'text-start', id: '1' },
      ...chunks.map((delta): HermesPart => ({ type: 'text-delta', id: '1', delta })),
      { type: 'text-end', id: '1' },
    ]
    return (giveUp) =>
      pump(parts, hermes.createStreamParser({ tools: AI_SDK_TOOLS }), hermesCalls, giveUp)
  },
}

function hermesCalls(part: HermesPart | { readonly type: string }): FoundCall[] {
  return part.type === 'tool-call' && 'toolName' in part
    ? [{ name: part.toolName, arguments: part.input }]
    : []
}

/** What a web stream alone costs, which packages that offer nothing else cannot avoid. */
const identityStream: ExtractionLibrary = {
  name: 'a web stream that does nothing',
  reference: true,
  stream: (chunks) => (giveUp) =>
    pump(chunks, new TransformStream<string, string>(), () => [], giveUp),
}

async function pump<In, Out>(
  parts: readonly In[],
  transform: TransformStream<In, Out>,
  callsIn: (part: Out) => FoundCall[],
  giveUp: GiveUp,
): Promise<Streamed> {
  const calls: FoundCall[] = []
  let next = 0
  let late = false
  const source = new ReadableStream<In>({
    pull(controller) {
      late = giveUp()
      const part = parts[next++]
      if (late || part === undefined) controller.close()
      else controller.enqueue(part)
    },
  })
  const reader = source.pipeThrough(transform).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return late ? undefined : calls
    for (const call of callsIn(value)) calls.push(call)
  }
}

/** Finds tags; what is in them is the caller's business, hence `JSON.parse`. */
const llmStreamParser: ExtractionLibrary = {
  name: 'llm-stream-parser + JSON.parse',
  whole: (text) => {
    const { parser, calls } = tagParser()
    parser.parseComplete(text)
    return calls
  },
  stream: (chunks) => (giveUp) => {
    const { parser, calls } = tagParser()
    for (const chunk of chunks) {
      parser.parse(chunk)
      if (giveUp()) return undefined
    }
    parser.finalize()
    return calls
  },
}

function tagParser(): { parser: ReturnType<typeof createParser>; calls: FoundCall[] } {
  const calls: FoundCall[] = []
  const parser = createParser({ maxBufferSize: 2 ** 24 })
  parser.defineTag({ tagName: 'tool_call' })
  parser.on('tag_completed', ({ content }) => {
    try {
      calls.push(JSON.parse(content))
    } catch {
      // Part of a call, or none.
    }
  })
  return { parser, calls }
}

const llmToolParser: ExtractionLibrary = {
  name: 'llm-tool-parser',
  whole: (text) => parseLlmToolCalls(text).toolCalls,
}

const CALL = /<tool_call>(.*?)<\/tool_call>/gs

/** As engines that serve models do it. */
const regularExpression: ExtractionLibrary = {
  name: 'a regular expression + JSON.parse',
  reference: true,
  whole: (text) => Array.from(text.matchAll(CALL), ([, body = '']) => JSON.parse(body)),
}

export const EXTRACTION_LIBRARIES: readonly ExtractionLibrary[] = [
  regularExpression,
  identityStream,
  aiSdkToolParser,
  llmStreamParser,
  llmToolParser,
]

/** True when exactly the calls that stand in the text were found, with their arguments. */
export function foundAll(found: readonly FoundCall[], text: string): boolean {
  return isDeepStrictEqual(found.map(plain), floorExtract(text))
}

function plain({ name, arguments: args }: FoundCall): FoundCall {
  // Through JSON, because some packages leave prototypes out.
  const json = typeof args === 'string' ? args : JSON.stringify(args)
  return { name, arguments: JSON.parse(json) }
}

/** True once the time is over. The clock is looked at now and then, for it costs more than a chunk. */
export function timeLimit(milliseconds: number): GiveUp {
  const until = ownTime() + milliseconds
  let asked = 0
  return () => asked++ % 64 === 0 && ownTime() > until
}

export const never: GiveUp = () => false
