/** What is asked of the Extract tab, and the answer. */
import { batch, computed, effect, signal } from '@preact/signals'
import { catalogue } from '../catalogue.ts'
import type { Shareable } from '../shared-fields.ts'
import { ask } from '../work/ask.ts'
import { chunkCount } from '../work/chunks.ts'
import { latest } from '../work/latest.ts'
import type { Mark } from '../work/marks.ts'
import type { ReplayAnswer, ReplayQuestion } from '../work/replay.ts'
import type { ReplyAnswer, ReplyQuestion } from '../work/reply-reading.ts'

export const reply = signal<string>()
export const tools = signal<string>()
export const protocol = signal('auto')
/** A token limit ended the reply. */
export const isCut = signal(false)

export const CHUNK_SIZES = [1, 3, 6, 12, 40, 200] as const
export const chunkSize = signal(6)
/** How many chunks have arrived; undefined when the reply is shown as a whole. */
export const position = signal<number>()

const reading = signal<ReplyAnswer>()
export const replayed = signal<ReplayAnswer>()
export const failure = signal<string>()

export const chunks = computed(() => chunkCount((reply.value ?? '').length, chunkSize.value))
const question = computed<ReplyQuestion>(() => ({
  reply: reply.value ?? '',
  tools: tools.value ?? catalogue.value.tools,
  protocol: protocol.value,
  isCut: isCut.value,
}))

/** What is shown: the whole reply, or what is known at a position of the replay. */
export const shown = computed<ReplyAnswer | undefined>(() => {
  const whole = reading.value
  const part = position.value === undefined ? undefined : replayed.value
  return whole && part ? { ...whole, extraction: part.extraction, marks: part.marks } : whole
})

export const marks = computed<readonly Mark[]>(() => shown.value?.marks ?? [])

const READ_PAUSE_MS = 120

const read = latest(
  READ_PAUSE_MS,
  (asked: ReplyQuestion) => settled(ask('readReply', asked)),
  (answer) => {
    reading.value = answer
  },
)

const step = latest(
  0,
  (asked: ReplayQuestion) => settled(ask('replay', asked)),
  (answer) => {
    replayed.value = answer
  },
)

/** A failure is shown, and is no answer. */
async function settled<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    const answer = await asked
    failure.value = undefined
    return answer
  } catch (error) {
    failure.value = String(error)
    return undefined
  }
}

effect(() => {
  if (reply.value !== undefined) read(question.value)
})

effect(() => {
  const at = position.value
  if (at === undefined) replayed.value = undefined
  else step({ ...question.value, chunkSize: chunkSize.value, position: at })
})

// Something to see at once, unless a link brought something else.
effect(() => {
  const [first] = catalogue.value.samples
  if (first && reply.peek() === undefined) useSample(first)
})

/** A sample goes with the tools of the samples. */
export function useSample(sample: { readonly reply: string; readonly isCut: boolean }): void {
  showReply(sample.reply)
  isCut.value = sample.isCut
  tools.value = undefined
}

export function showReply(text: string): void {
  batch(() => {
    reply.value = text
    protocol.value = 'auto'
    isCut.value = false
    position.value = undefined
  })
}

export function goTo(chunk: number): void {
  position.value = Math.max(0, Math.min(chunks.peek(), chunk))
}

export const extractShare: Shareable = {
  read: () => ({
    ...(reply.value !== undefined && { reply: reply.value }),
    ...(tools.value !== undefined && { tools: tools.value }),
    protocol: protocol.value,
    isCut: isCut.value,
    chunkSize: chunkSize.value,
    ...(position.value !== undefined && { position: position.value }),
  }),
  write({ text, flag, number }) {
    batch(() => {
      reply.value = text('reply')
      tools.value = text('tools')
      protocol.value = text('protocol') ?? 'auto'
      isCut.value = flag('isCut') ?? false
      chunkSize.value = Math.max(1, Math.round(number('chunkSize') ?? 6))
      const at = number('position')
      position.value = at === undefined ? undefined : Math.max(0, Math.round(at))
    })
  },
}
