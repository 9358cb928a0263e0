/** `toolglot serve` as a process of its own, for tests. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'

export interface Served {
  readonly child: ChildProcess
  /** Where it listens; without a slash at the end. */
  readonly url: string
  /** What was written so far. */
  stdout(): string
  stderr(): string
  /** Waits until the text is there, on either output. */
  said(text: string | RegExp): Promise<void>
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
}

export interface ServeOptions {
  readonly cwd: string
  /** Default: Node. */
  readonly program?: string
  readonly env?: Readonly<Record<string, string>>
}

const PATIENCE_MS = 30_000

/** Resolves when it listens, or has ended. Nothing of our own environment reaches it but the way to programs. */
export async function serve(
  command: readonly string[],
  { cwd, env = {}, program = process.execPath }: ServeOptions,
): Promise<Served> {
  const { PATH, HOME } = process.env
  const child = spawn(program, command, { cwd, env: { PATH, HOME, ...env } })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  let isOver = false
  void ended.then(() => {
    isOver = true
  })

  async function said(text: string | RegExp): Promise<void> {
    const until = Date.now() + PATIENCE_MS
    const all = (): string => written.stdout + written.stderr
    while (!(typeof text === 'string' ? all().includes(text) : text.test(all()))) {
      if (isOver || Date.now() > until) throw new Error(`never said ${text}, but:\n${all()}`)
      await setTimeout(20)
    }
  }

  await Promise.race([said(/Ctrl-C stops/), ended])
  return {
    child,
    url: /OpenAI base URL +(\S+)\/v1$/m.exec(written.stderr)?.[1] ?? '',
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    said,
    ended,
  }
}

/** A stream that takes a few seconds, for as many words. */
export function slowStream(url: string, words: number, headers: object = {}): Promise<Response> {
  const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } }
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'demo/slow',
      stream: true,
      messages: [
        { role: 'user', content: 'Read it.' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'word '.repeat(words) },
      ],
    }),
  })
}

/** The text of a stream of OpenAI's, and whether it ended as it should. */
export function textIn(stream: string): { text: string; isComplete: boolean } {
  const data = [...stream.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json))
  const text = data.map(({ choices: [choice] }) => choice?.delta?.content ?? '').join('')
  return { text, isComplete: stream.trimEnd().endsWith('data: [DONE]') }
}
