/** From one provider's wire format to another's, whatever was pasted. */
import type { Dialect } from '../../../src/core/dialect.ts'
import { InvalidInputError } from '../../../src/core/errors.ts'
import type { Issue } from '../../../src/core/issue.ts'
import { isJsonObject, type JsonValue } from '../../../src/core/json/value.ts'
import { kindOfJson, type PayloadKind, toolsIn } from '../../../src/dialects/payload.ts'
import { readFrames, wholeReply, writeFrames } from '../../../src/dialects/recorded-stream.ts'
import { allDialects, findDialect, getDialect } from '../../../src/dialects/registry.ts'
import { transcode } from '../../../src/dialects/transcode.ts'
import { readJsonText } from '../tools-text.ts'
import { framesIn, textOf } from './wire-text.ts'

export interface ConversionQuestion {
  readonly text: string
  /** `auto`, or the id of a dialect. */
  readonly from: string
  readonly to: string
  readonly kind: PayloadKind | 'auto'
  /** A stream becomes a whole reply. */
  readonly isWhole: boolean
}

export interface Conversion {
  readonly output: string
  readonly kind?: PayloadKind
  /** The dialect it was read as, where its shape tells. */
  readonly from?: string
  /** What was lost or changed, each thing once. */
  readonly issues: readonly Issue[]
  /** The target's frames are binary on the wire, and shown as text. */
  readonly isBinary?: boolean
  /** Why there is no output. */
  readonly problem?: string
}

export function convert(question: ConversionQuestion): Conversion {
  const issues = new Map<string, Issue>()
  const report = (issue: Issue): void => {
    issues.set(`${issue.code} ${issue.message}`, issue)
  }
  try {
    const converted = convertText(question, report)
    return { ...converted, issues: [...issues.values()] }
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    return { output: '', issues: [...issues.values()], problem: error.message }
  }
}

type Report = (issue: Issue) => void
type Converted = Omit<Conversion, 'issues'>

function convertText(question: ConversionQuestion, report: Report): Converted {
  const { text, kind } = question
  if (text.trim() === '') return { output: '' }
  if (kind === 'stream') return convertStream(question, report)
  const { value, problem } = readJsonText(text)
  if (problem === undefined) return convertJson(value, question, report)
  if (kind === 'auto' && !looksLikeJson(text)) return convertStream(question, report)
  throw new InvalidInputError(problem)
}

/** One document, not one a line. */
function looksLikeJson(text: string): boolean {
  const [first = ''] = text.trim().split('\n')
  if (!/^[[{]/.test(first)) return false
  return readJsonText(first).problem !== undefined
}

function convertJson(value: JsonValue, question: ConversionQuestion, report: Report): Converted {
  const { kind: asked } = question
  const from = dialectFrom(question)
  const to = getDialect(question.to)
  const candidates = from ? [from, ...allDialects] : allDialects
  const kind = asked === 'auto' ? kindOfJson(value, candidates) : asked
  const source = from ?? shapedLike(value)
  return {
    output: JSON.stringify(translated(value, kind, source, to, report), null, 2),
    kind,
    ...(source && kind !== 'tools' && { from: source.id }),
  }
}

function translated(
  value: JsonValue,
  kind: PayloadKind,
  from: Dialect | undefined,
  to: Dialect,
  report: Report,
): JsonValue {
  if (kind === 'tools') return to.formatTools(toolsIn(value))
  if (kind === 'response' && from) {
    return to.encodeResponse(from.decodeResponse(value, { report }), { report })
  }
  return transcode(value, { ...(from && { from }), to, report })
}

function shapedLike(value: JsonValue): Dialect | undefined {
  if (!isJsonObject(value)) return undefined
  return allDialects.find((dialect) => dialect.shapeOf(value) !== undefined)
}

function convertStream(question: ConversionQuestion, report: Report): Converted {
  const { text, isWhole } = question
  const from = dialectFrom(question)
  const to = getDialect(question.to)
  const read = readFrames((framing) => framesIn(text, framing), from ? [from] : allDialects)
  if (!read) throw new InvalidInputError('This is neither JSON nor a stream that can be read')
  const about = { kind: 'stream', from: read.from.id } as const
  if (!isWhole) {
    const output = textOf(writeFrames(read.events, to, { report }), to)
    return { ...about, output, isBinary: to.framing === 'aws' }
  }
  const response = wholeReply(read.events, { report })
  if (!response) throw new InvalidInputError('The stream has no reply in it')
  for (const issue of response.issues) report(issue)
  return { ...about, output: JSON.stringify(to.encodeResponse(response, { report }), null, 2) }
}

function dialectFrom({ from }: ConversionQuestion): Dialect | undefined {
  return from === 'auto' ? undefined : findDialect(from)
}
