/** What the system tells a server: stop, stop at once, read your configuration again. */
import { constants } from 'node:os'
import process from 'node:process'

export interface StopSignals {
  /** Somebody wants it to end. */
  readonly first: Promise<void>
  /** From now on signals do again what they usually do. */
  release(): void
}

export interface StopSignalsOptions {
  /** SIGHUP, while anybody is there. */
  onHangUp(): void
  /** True: the terminal is gone, so SIGHUP means the end. */
  isLeft(): boolean
}

/** The second signal to stop ends the process. */
export function stopSignals({ onHangUp, isLeft }: StopSignalsOptions): StopSignals {
  let isStopping = false
  let tell = (): void => {}
  const first = new Promise<void>((resolve) => {
    tell = resolve
  })

  function stop(signal: NodeJS.Signals): void {
    if (isStopping) process.exit(128 + constants.signals[signal])
    isStopping = true
    tell()
  }

  function hangUp(signal: NodeJS.Signals): void {
    if (isLeft()) stop(signal)
    else if (!isStopping) onHangUp()
  }

  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', hangUp)
  return {
    first,
    release: () => void process.off('SIGINT', stop).off('SIGTERM', stop).off('SIGHUP', hangUp),
  }
}
