/** The reply chunk by chunk. */

import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { CHUNK_SIZES, chunkSize, chunks, goTo, position, replayed } from './extract-state.ts'

const isPlaying = signal(false)
const STEP_MS = 90

export function Replay() {
  const last = chunks.value
  const at = Math.min(position.value ?? last, last)
  usePlaying()
  return (
    <section class="panel replay" aria-label="Replay">
      <header class="panel-head">
        <h2 class="panel-title">Replay</h2>
        <p class="hint" role="status">
          {position.value === undefined ? 'The whole reply' : progress(at, last)}
        </p>
        {position.value !== undefined && (
          <button type="button" class="ghost small" onClick={stop}>
            Show all
          </button>
        )}
      </header>
      <div class="replay-row">
        <button type="button" class="small" onClick={isPlaying.value ? pause : play}>
          {isPlaying.value ? 'Pause' : 'Play'}
        </button>
        <input
          type="range"
          aria-label="Chunks that have arrived"
          min={0}
          max={last}
          value={at}
          onInput={({ currentTarget }) => {
            pause()
            goTo(currentTarget.valueAsNumber)
          }}
        />
        <Choice
          label="Chunk"
          class="is-inline"
          value={String(chunkSize.value)}
          onChoose={(size) => {
            chunkSize.value = Number(size)
            if (position.value !== undefined) goTo(0)
          }}
        >
          {sizesWith(chunkSize.value).map((size) => (
            <option key={size} value={String(size)}>
              {size} {size === 1 ? 'character' : 'characters'}
            </option>
          ))}
        </Choice>
      </div>
    </section>
  )
}

/** A link may bring a size of its own. */
function sizesWith(size: number): number[] {
  return [...new Set<number>([...CHUNK_SIZES, size])].sort((a, b) => a - b)
}

function progress(at: number, last: number): string {
  const arrived = replayed.value?.arrived ?? 0
  return `Chunk ${at} of ${last}, ${arrived.toLocaleString('en')} characters`
}

function usePlaying(): void {
  const isOn = isPlaying.value
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => {
      const next = (position.peek() ?? 0) + 1
      goTo(next)
      if (next >= chunks.peek()) pause()
    }, STEP_MS)
    return () => clearInterval(timer)
  }, [isOn])
}

function play(): void {
  const at = position.peek()
  if (at === undefined || at >= chunks.peek()) goTo(0)
  isPlaying.value = true
}

function pause(): void {
  isPlaying.value = false
}

function stop(): void {
  pause()
  position.value = undefined
}
