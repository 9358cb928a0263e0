/** The demo models: one for each way in which a call can stand in a text, and a few to compare with. */
import type { FinishReason } from '../../core/model.ts'
import type { Protocol } from '../../core/protocol.ts'
import { formatResultText } from '../../core/result-text.ts'
import { allProtocols } from '../../protocols/registry.ts'
import { textTagged } from '../../protocols/text-tagged.ts'
import type { Asked, SampledCall } from './asked.ts'
import { plain, VARIANTS, type Variant } from './writing.ts'

export interface DemoModel {
  /** As it stands behind `demo/`. */
  readonly id: string
  /** What it does, in a sentence. */
  readonly about: string
  /** True: it takes its time. */
  readonly slow?: boolean
  answer(asked: Asked): Answer
}

export interface Answer {
  readonly text: string
  /** Calls beside the text, as servers should send them. */
  readonly calls?: readonly SampledCall[]
  readonly finishReason?: FinishReason
}

/** All of them; the ids without `demo/`. */
export function listDemoModels(): readonly Pick<DemoModel, 'id' | 'about'>[] {
  return MODELS.map(({ id, about }) => ({ id, about }))
}

export function findDemoModel(id: string): DemoModel | undefined {
  return BY_ID.get(id)
}

/** A model that calls tools where it can, and talks where it cannot. */
function caller(
  model: Omit<DemoModel, 'answer'>,
  call: (one: SampledCall, other: SampledCall, asked: Asked) => Answer,
): DemoModel {
  return {
    ...model,
    answer(asked) {
      const { results, calls } = asked
      if (results.length > 0) return { text: tellResults(results) }
      const [one, other] = calls
      return one && other ? call(one, other, asked) : { text: speak(model, asked) }
    },
  }
}

type Result = Asked['results'][number]

function tellResults(results: readonly Result[]): string {
  const names = new Set(results.map(({ tool }) => tool))
  if (names.size < 2) return results.map((result) => tellResult(result, 'The tool')).join('\n')
  const lines = results.map(
    (result, at) => `${at + 1}. ${tellResult(result, result.tool ?? 'The tool')}`,
  )
  const failed = results.filter(({ isError }) => isError).length
  const outcome =
    failed === 0 ? 'All steps are done.' : `${failed} of ${results.length} steps failed.`
  return `${outcome}\n\n${lines.join('\n')}`
}

function tellResult({ isError, errorCode, tool: _, ...rest }: Result, who: string): string {
  const said = clip(formatResultText(rest))
  if (!isError) return `${who} answered: ${said}`
  return `${who} failed${errorCode ? ` (${errorCode})` : ''}: ${said}`
}

/** Nobody wants to hear all of a long result. */
const MAX_QUOTED = 2000

function clip(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
}

const REASONS: Readonly<Record<Asked['why'], string>> = {
  'no-tools':
    'Send me a request with tools, such as "Read notes.txt" or "What is the weather in Oslo?".',
  'not-wanted': 'You want words and no calls, so I call nothing. I cannot explain much, though.',
  'nothing-fits':
    'None of my tools fits this. I understand plain requests in English, such as "Read notes.txt", "List the files", ' +
    '"Run the tests" or "Write hello to a.txt", and the name of a tool with its arguments in quotation marks.',
}

function speak({ id, about }: Omit<DemoModel, 'answer'>, { why }: Asked): string {
  return `I am demo/${id}, a model without a mind: ${about} ${REASONS[why]}`
}

function writer(protocol: Protocol, variant: Variant, suffix = ''): DemoModel {
  const about = `I write calls as text, in the format ${protocol.id} (${protocol.emitters}), ${variant.about(protocol)}.`
  return caller({ id: protocol.id + suffix, about }, (one, other, { parallel }) =>
    variant.write(protocol, one, other, parallel),
  )
}

function writersOf(protocol: Protocol): readonly DemoModel[] {
  const variants = Object.entries(VARIANTS).filter(([, { suits }]) => suits?.(protocol) ?? true)
  return [
    writer(protocol, plain),
    ...variants.map(([name, variant]) => writer(protocol, variant, `:${name}`)),
  ]
}

const native = caller(
  { id: 'native', about: 'I call tools properly, not in the text.' },
  (one) => ({ text: '', calls: [one] }),
)

const slow = caller(
  { id: 'slow', about: 'I write calls like demo/text-tagged, but take my time.', slow: true },
  (one, other, { parallel }) => plain.write(textTagged, one, other, parallel),
)

const echo: DemoModel = {
  id: 'echo',
  about: 'I repeat what you said, and call no tools of my own accord.',
  answer: ({ words }) => ({ text: words || 'You said nothing.' }),
}

const MODELS: readonly DemoModel[] = [native, echo, slow, ...allProtocols.flatMap(writersOf)]

const BY_ID: ReadonlyMap<string, DemoModel> = new Map(MODELS.map((model) => [model.id, model]))
