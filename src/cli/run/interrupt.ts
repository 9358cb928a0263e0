/** Ctrl-C: the first one cancels the run in an orderly way, the second one ends the process. */
import process from 'node:process'
import { EXIT_CANCELED } from './ending.ts'

export interface Interrupt {
  readonly signal: AbortSignal
  /** From now on Ctrl-C does again what it usually does. */
  release(): void
}

export function createInterrupt(onFirst: () => void): Interrupt {
  const controller = new AbortController()

  function interrupt(): void {
    if (controller.signal.aborted) process.exit(EXIT_CANCELED)
    onFirst()
    controller.abort(new DOMException('the run was cancelled', 'AbortError'))
  }

  process.on('SIGINT', interrupt)
  return { signal: controller.signal, release: () => void process.off('SIGINT', interrupt) }
}
