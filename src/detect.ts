/** Which protocols a text uses, told by what can be read in it. */
import { checkText } from './core/caller-input.ts'
import { type ExtractOptions, extract } from './extract.ts'
import { allProtocols } from './protocols/registry.ts'

/** What a text is written in, and what speaks for it. */
export interface Detection {
  readonly protocol: string
  /** Between 0 and 1. */
  readonly confidence: number
  /** Why, in a sentence: how the calls begin, which tools they name, what had to be repaired. */
  readonly evidence: string
}

/**
 * Tells which protocols a text uses, the likeliest first: those of its calls, and those of calls that
 * could not be read.
 *
 * @example
 * detect('<tool_call>{"name": "now", "arguments": {}}</tool_call>')
 * // [{ protocol: 'hermes', confidence: 0.95, evidence: '"<tool_call>{"name": "now…" begins a call of now' }]
 *
 * @throws InvalidInputError when there is no text.
 */
export function detect(text: string, options: ExtractOptions = {}): Detection[] {
  checkText('a text to look at', text)
  const { calls, issues } = extract(text, options)
  const found = [
    ...calls.map(({ protocol, span, name, repairs = [] }) => {
      return { protocol, span, name, flaws: repairs.map(({ code }) => code), complete: true }
    }),
    ...issues.map(({ protocol, span, name, code }) => {
      return { protocol, span, name: name ?? '', flaws: [code], complete: false }
    }),
  ]
  const free = new Set(allProtocols.filter((protocol) => protocol.free).map(({ id }) => id))
  const ids = new Set(found.flatMap(({ protocol, span }) => (protocol && span ? [protocol] : [])))
  const detections = Array.from(ids, (protocol) => {
    const own = found.filter((one) => one.protocol === protocol)
    return describe(text, protocol, own, free.has(protocol))
  })
  return detections.sort((one, other) => other.confidence - one.confidence)
}

interface Finding {
  readonly span?: readonly [number, number] | undefined
  readonly name: string
  readonly flaws: readonly string[]
  readonly complete: boolean
}

/** How much of a call is shown as evidence. */
const SHOWN = 24

function describe(
  text: string,
  protocol: string,
  found: readonly Finding[],
  free: boolean,
): Detection {
  const flaws = new Set(found.flatMap((one) => one.flaws))
  const complete = found.filter((one) => one.complete)
  const start = found[0]?.span?.[0] ?? 0
  const beginning = text.slice(start, start + SHOWN).trim()
  const names = new Set(complete.map(({ name }) => name))
  const what =
    complete.length > 0 ? `begins a call of ${[...names].join(', ')}` : 'begins what is no call'
  const trouble = flaws.size > 0 ? ` (${[...flaws].join(', ')})` : ''
  // In whole hundredths, so that it can be shown as it is.
  const sure = complete.length === 0 ? 40 : free ? 60 : 95
  const confidence = (sure - Math.min(30, flaws.size * 5)) / 100
  return { protocol, confidence, evidence: `"${beginning}…" ${what}${trouble}` }
}
