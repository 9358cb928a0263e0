/** The last lines a server wrote to its standard error: they say why it died. */
import type { Stream } from 'node:stream'

const MAX_LINES = 20
const MAX_LINE = 400

export interface StderrTail {
  lines(): string[]
}

export function tailOf(stream: Stream | null): StderrTail {
  const decoder = new TextDecoder()
  let kept: string[] = []
  let open = ''
  stream?.on('data', (chunk: Uint8Array) => {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split(/\r?\n/)
    const lines = [open + first, ...rest]
    open = (lines.pop() ?? '').slice(-MAX_LINE)
    const said = lines.filter((line) => line.trim() !== '').slice(-MAX_LINES)
    kept = [...kept, ...said.map((line) => line.slice(0, MAX_LINE))].slice(-MAX_LINES)
  })
  return { lines: () => (open.trim() === '' ? kept : [...kept, open]) }
}
