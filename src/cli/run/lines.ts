/** Answers of the person at the keyboard, one line each. */
import { createInterface, type Interface } from 'node:readline'

export interface Lines {
  /** The answer; undefined when the input is at its end or the signal aborts. */
  ask(question: string): Promise<string | undefined>
  close(): void
}

export function createLines(
  input: NodeJS.ReadableStream,
  write: (question: string) => void,
  signal: AbortSignal,
): Lines {
  let reader: Interface | undefined
  let lines: AsyncIterator<string> | undefined

  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

  async function nextLine(): Promise<string | undefined> {
    // Not before it is needed: whoever is never asked may use standard input for something else.
    reader ??= createInterface({ input, terminal: false })
    lines ??= reader[Symbol.asyncIterator]()
    const { done, value } = await lines.next()
    return done ? undefined : value
  }

  return {
    ask(question) {
      if (signal.aborted) return aborted
      write(question)
      return Promise.race([nextLine(), aborted])
    },
    close: () => reader?.close(),
  }
}
