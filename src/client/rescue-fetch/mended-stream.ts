/** A body that is mended while it is read. */
import { type Failure, PassingBody, type Step } from './passing-body.ts'
import type { StreamMender } from './rescue-stream.ts'

/** Reads on only when somebody wants more, and stops the source when nobody does. */
export function mendedStream(
  source: ReadableStream<Uint8Array>,
  mender: StreamMender,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  /** What comes before an error. */
  let left: Uint8Array | undefined
  let failure: Failure | undefined
  let isOver = false
  /** Reads that were asked for and not answered, and the last of them. */
  let unanswered = 0
  let last: Promise<Step> | undefined
  let tellOver: (failure?: Failure) => void = () => {}

  function read(): Promise<Step> {
    last = unanswered++ > 0 && last ? last.then(next, next) : next()
    return last
  }

  // One promise for each piece: this is the path that every reply takes.
  function next(): Promise<Step> {
    if (!failure) return reader.read().then(take, fail)
    if (left?.length) {
      const value = left
      left = undefined
      return Promise.resolve(answered({ done: false, value }))
    }
    unanswered--
    over(failure)
    return Promise.reject(failure.error)
  }

  function over(reason?: Failure): void {
    const tell = tellOver
    tellOver = () => {}
    tell(reason)
  }

  function answered(step: Step): Step {
    unanswered--
    if (step.done) over()
    return step
  }

  function take(step: Step): Step | Promise<Step> {
    if (isOver) return answered(step)
    isOver = step.done
    const passed = step.done ? mender.end() : mender.push(step.value)
    if (passed === step.value || (step.done && passed.length === 0)) return answered(step)
    return passed.length > 0 ? answered({ done: false, value: passed }) : next()
  }

  function fail(error: unknown): Promise<Step> {
    failure = { error }
    // What was kept back comes before the error does.
    left = isOver ? undefined : mender.abandon()
    return next()
  }

  function cancel(reason: unknown): Promise<void> {
    isOver = true
    left = undefined
    // The stream knows.
    tellOver = () => {}
    return reader.cancel(reason)
  }

  const whenOver = (tell: typeof tellOver): void => {
    tellOver = tell
  }
  return new PassingBody({ read, cancel, whenOver })
}
