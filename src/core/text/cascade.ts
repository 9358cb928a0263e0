/**
 * Readings of one reply in order of rank: the first that finds something is the result, and those below it
 * count for nothing.
 *
 * All of them read the reply while it arrives. Text goes out as long as every reading that may still win takes
 * it for the same text; what they disagree on, such as a call of a lower rank, is held until it is known which
 * of them wins: at the latest at the end of the reply.
 */
import type { Heard } from '../heard.ts'
import type { IssueCode } from '../issue.ts'
import type { ExtractEvent, FinishReason } from '../model.ts'
import type { Segment } from '../options.ts'
import { Queue } from '../queue.ts'
import type { TracedExtraction, TracingExtractor } from './extractor.ts'

export interface Rank {
  open(heard?: Heard): TracingExtractor
  /** Text that decides for this reading wherever it occurs in the reply, whatever the reading finds. */
  readonly marker?: string | undefined
  /** Issues that decide for this reading like a call does: it found a block, though not one that is a call. */
  readonly issues?: readonly IssueCode[] | undefined
  /** The reading counts only when its text begins with one of these characters, or with a call. */
  readonly begins?: string | undefined
}

type Delta = Extract<ExtractEvent, { type: 'text-delta' | 'reasoning-delta' }>

export function createCascade(ranks: readonly Rank[], heard?: Heard): TracingExtractor {
  /** The readings that may still win, best first. */
  let readings = ranks.map((rank) => new Reading(rank, heard))
  let winner: Reading | undefined

  function drop(): void {
    readings = readings.filter(({ isOut }) => !isOut)
    // One that has found something leaves nothing to those below it.
    const found = readings.findIndex(({ hasFound }) => hasFound)
    if (found !== -1) readings.length = found + 1
    if (readings.length === 1) winner = readings[0]
  }

  /** Without a reading that found something, the first that has something to report. */
  function best(): Reading | undefined {
    return readings.find(({ hasFound }) => hasFound) ?? readings.find(reports) ?? readings[0]
  }

  function taken(): ExtractEvent[] {
    return winner ? winner.events.drain() : takeShared(readings)
  }

  /** The segments of what was emitted; those of text that is held follow when it is emitted. */
  function takenSegments(): readonly Segment[] {
    if (winner) return winner.segments.drain()
    return readings.map((reading) => reading.takeSharedSegments())[0] ?? []
  }

  return {
    push(chunk) {
      for (const reading of readings) reading.push(chunk)
      drop()
      return taken()
    },
    end(info) {
      for (const reading of readings) reading.end(info)
      drop()
      winner = best()
      readings = winner ? [winner] : []
      return taken()
    },
    takeSegments: takenSegments,
    isVoid: () => best()?.extractor.isVoid() ?? false,
    result: () => best()?.extractor.result() ?? NOTHING,
  }
}

const NOTHING: TracedExtraction = { calls: [], text: '', reasoning: '', issues: [], protocol: null }

function reports({ extractor }: Reading): boolean {
  return extractor.result().issues.length > 0
}

class Reading {
  readonly extractor: TracingExtractor
  /** Those that were not passed on. */
  readonly events = new Queue<ExtractEvent>()
  /** Those that were not taken. */
  readonly segments = new Queue<Segment>()
  /** Characters that were emitted while no reading had won, and whose segments were not taken. */
  #shared = 0
  hasFound = false
  isOut = false
  readonly #rank: Rank
  /** What of the input may be the beginning of the marker. */
  #tail = ''
  /** True once something has shown what the text begins with. */
  #hasBegun = false

  constructor(rank: Rank, heard: Heard | undefined) {
    this.#rank = rank
    this.extractor = rank.open(heard)
  }

  push(chunk: string): void {
    const { marker } = this.#rank
    if (marker !== undefined && !this.hasFound) {
      const text = this.#tail + chunk
      this.hasFound = text.includes(marker)
      this.#tail = text.slice(-marker.length)
    }
    this.#take(this.extractor.push(chunk))
  }

  end(info: { readonly finishReason?: FinishReason | undefined } | undefined): void {
    this.#take(this.extractor.end(info))
  }

  /** Takes so much of the text or reasoning that the next event emits. */
  share(length: number): void {
    const { head } = this.events
    this.#shared += length
    if (head && isDelta(head) && head.text.length > length)
      this.events.replaceHead({ ...head, text: head.text.slice(length) })
    else this.events.shift()
  }

  takeSharedSegments(): readonly Segment[] {
    const taken: Segment[] = []
    let { head: segment } = this.segments
    while (segment && this.#shared > 0) {
      const isText = segment.kind === 'text' || segment.kind === 'reasoning'
      const end = isText ? Math.min(segment.end, segment.start + this.#shared) : segment.end
      if (isText) this.#shared -= end - segment.start
      taken.push({ ...segment, end })
      if (end === segment.end) this.segments.shift()
      else this.segments.replaceHead({ ...segment, start: end })
      segment = this.segments.head
    }
    return taken
  }

  #take(events: readonly ExtractEvent[]): void {
    this.segments.pushAll(this.extractor.takeSegments())
    for (const event of events) {
      this.events.push(event)
      this.#begin(event)
      this.hasFound ||= this.#isDecisive(event)
    }
  }

  #isDecisive(event: ExtractEvent): boolean {
    if (event.type === 'call-end') return true
    if (event.type !== 'call-abort' && event.type !== 'issue') return false
    const { issues = [] } = this.#rank
    return issues.includes(event.issue.code) || this.extractor.isVoid()
  }

  #begin(event: ExtractEvent): void {
    if (this.#hasBegun) return
    const text = event.type === 'text-delta' ? event.text.trimStart() : ''
    this.#hasBegun = text !== '' || event.type === 'call-start'
    // An empty text is part of any other.
    this.isOut = this.#rank.begins?.includes(text.charAt(0)) === false
  }
}

/** Takes what the next events of all readings say alike. */
function takeShared(readings: readonly Reading[]): ExtractEvent[] {
  const shared: ExtractEvent[] = []
  for (;;) {
    const heads = readings.map(({ events }) => events.head)
    const deltas = heads.filter(isDelta)
    const [first] = deltas
    const isAlike =
      deltas.length === heads.length && deltas.every(({ type }) => type === first?.type)
    const length = isAlike ? sharedLength(deltas.map(({ text }) => text)) : 0
    if (!first || length === 0) return shared
    shared.push({ ...first, text: first.text.slice(0, length) })
    for (const reading of readings) reading.share(length)
  }
}

function isDelta(event: ExtractEvent | undefined): event is Delta {
  return event?.type === 'text-delta' || event?.type === 'reasoning-delta'
}

function sharedLength([first = '', ...others]: readonly string[]): number {
  let length = Math.min(first.length, ...others.map((other) => other.length))
  // Mostly they are the same text.
  if (others.every((other) => other.startsWith(first.slice(0, length)))) return length
  length = 0
  while (others.every((other) => other.charCodeAt(length) === first.charCodeAt(length))) length++
  return length
}
