/** What is asked of the Convert tab, and the answer. */
import { batch, computed, effect, signal } from '@preact/signals'
import type { PayloadKind } from '../../../src/dialects/payload.ts'
import { catalogue } from '../catalogue.ts'
import type { Shareable, SharedFields } from '../shared-fields.ts'
import { ask } from '../work/ask.ts'
import type { Conversion, ConversionQuestion } from '../work/conversion.ts'
import { latest } from '../work/latest.ts'

/** Undefined until there is something to convert: a sample, or what somebody pastes. */
export const source = signal<string>()
export const from = signal('auto')
export const to = signal('anthropic')
export const kind = signal<PayloadKind | 'auto'>('auto')
/** A stream becomes a whole reply. */
export const isWhole = signal(false)

export const conversion = signal<Conversion>()

const question = computed<ConversionQuestion>(() => ({
  text: source.value ?? '',
  from: from.value,
  to: to.value,
  kind: kind.value,
  isWhole: isWhole.value,
}))

const PAUSE_MS = 120

const convert = latest(PAUSE_MS, answered, (answer) => {
  conversion.value = answer
})

async function answered(asked: ConversionQuestion): Promise<Conversion> {
  try {
    return await ask('convert', asked)
  } catch (error) {
    return { output: '', issues: [], problem: String(error) }
  }
}

effect(() => {
  if (source.value !== undefined) convert(question.value)
})

// Something to see at once, unless a link brought something else.
effect(() => {
  if (catalogue.value.dialects.length > 0) void showFirstSample()
})

async function showFirstSample(): Promise<void> {
  if (source.peek() !== undefined) return
  const sample = await ask('conversionSample', 'request', 'openai-chat')
  // Somebody may have been quicker.
  source.value ??= sample
}

export async function useConversionSample(sampleKind: PayloadKind, dialect: string): Promise<void> {
  // At once: what somebody chooses while the sample is on its way must stay.
  readAs('auto')
  source.value = await ask('conversionSample', sampleKind, dialect)
}

export function showSource(text: string, dialect: string): void {
  batch(() => {
    source.value = text
    readAs(dialect)
  })
}

function readAs(dialect: string): void {
  batch(() => {
    from.value = dialect
    kind.value = 'auto'
  })
}

/** The result becomes the source, and the other way round. */
export function swapSides(): void {
  const answer = conversion.peek()
  if (!answer || answer.problem !== undefined) return
  batch(() => {
    const target = from.peek() === 'auto' ? answer.from : from.peek()
    from.value = to.peek()
    if (target !== undefined) to.value = target
    source.value = answer.output
  })
}

export const convertShare: Shareable = {
  read: () => ({
    ...(source.value !== undefined && { text: source.value }),
    from: from.value,
    to: to.value,
    kind: kind.value,
    isWhole: isWhole.value,
  }),
  write(fields) {
    batch(() => {
      source.value = fields.text('text')
      from.value = fields.text('from') ?? 'auto'
      to.value = fields.text('to') ?? 'anthropic'
      kind.value = kindIn(fields)
      isWhole.value = fields.flag('isWhole') ?? false
    })
  },
}

function kindIn({ text }: SharedFields): PayloadKind | 'auto' {
  return asKind(text('kind') ?? 'auto')
}

export function asKind(word: string): PayloadKind | 'auto' {
  return KINDS.find((known) => known === word) ?? 'auto'
}

const KINDS: readonly PayloadKind[] = ['request', 'response', 'stream', 'history', 'tools']
