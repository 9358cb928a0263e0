/** What is in a reply, and what each stretch of it became. */
import { isJsonObject, type JsonObject } from '../../../src/core/json/value.ts'
import type { FinishReason } from '../../../src/core/model.ts'
import type { TracedExtraction } from '../../../src/core/text/extractor.ts'
import { type Detection, detect } from '../../../src/detect.ts'
import { allDialects } from '../../../src/dialects/registry.ts'
import { type ExtractOptions, extract } from '../../../src/extract.ts'
import { readJsonText, readToolsText } from '../tools-text.ts'
import { type Mark, marksOf } from './marks.ts'

export interface ReplyQuestion {
  readonly reply: string
  /** Definitions as JSON; empty: any tool may be called. */
  readonly tools: string
  /** `auto`, or the id of a protocol. */
  readonly protocol: string
  /** True: a token limit ended the reply. */
  readonly isCut: boolean
}

export interface ReplyAnswer {
  readonly extraction: TracedExtraction
  readonly detections: readonly Detection[]
  /** What became of the reply, place by place; none for a response, whose text stands inside JSON. */
  readonly marks: readonly Mark[]
  /** The reply is a provider's whole response. */
  readonly isResponse: boolean
  readonly toolsProblem?: string
}

export function readReply(question: ReplyQuestion): ReplyAnswer {
  const { reply } = question
  const { options, toolsProblem } = optionsFor(question)
  const response = responseIn(reply)
  const extraction = extract(response ?? reply, options)
  return {
    extraction,
    detections: response ? [] : detect(reply, options),
    marks: response ? [] : marksOf(extraction, reply.length),
    isResponse: response !== undefined,
    ...(toolsProblem !== undefined && { toolsProblem }),
  }
}

/** How the library is asked, and what was wrong with the tools. */
export function optionsFor({ tools: text, protocol, isCut }: ReplyQuestion): {
  readonly options: ExtractOptions
  readonly toolsProblem: string | undefined
} {
  const { tools, problem } = readToolsText(text)
  const finishReason: FinishReason = isCut ? 'length' : 'stop'
  const options: ExtractOptions = {
    ...(tools && { tools }),
    ...(protocol !== 'auto' && { protocols: [protocol] }),
    finishReason,
    // The same call keeps its id while somebody types.
    ids: 'sequential',
    trace: true,
  }
  return { options, toolsProblem: problem }
}

/** A provider's response, when the text is one. A bare call in JSON is none. */
function responseIn(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  const { value } = readJsonText(text)
  if (!isJsonObject(value)) return undefined
  const isResponse = allDialects.some((dialect) => dialect.shapeOf(value) === 'response')
  return isResponse ? value : undefined
}
