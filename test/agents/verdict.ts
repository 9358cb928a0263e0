/** Whether a run is right: the agent ended well, and did exactly what it does with native calls. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Ending } from './inside.ts'
import { LAST_WORDS, type Plan, SUBTASK } from './plans.ts'

export interface Outcome {
  readonly seconds: number
  /** Requests that reached the model server. */
  readonly requests: number
  /** Calls in the agent's own history. */
  readonly calls: readonly Call[]
  /** Checksums of the files of the project. */
  readonly files: Readonly<Record<string, string>>
  /** What is wrong in itself, without a comparison. */
  readonly problems: readonly string[]
}

interface Call {
  readonly name: string
  readonly args: unknown
  /** Whether the model was shown anything for it. */
  readonly hasResult: boolean
}

/** A line of the log of the scripted server. */
interface Exchange {
  readonly body: { readonly messages?: readonly Message[]; readonly tools?: readonly unknown[] }
  readonly wrote?: { readonly content: string }
  readonly refusal?: string
}

interface Message {
  readonly role: string
  readonly content?: unknown
  readonly tool_call_id?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}

/** What the folder of a run tells. */
export function readOutcome(folder: string, { proofs }: Plan): Outcome {
  const { code, seconds } = readJson<Ending>(join(folder, 'ending.json')) ?? {
    code: -1,
    seconds: 0,
  }
  const exchanges = readLines<Exchange>(join(folder, 'upstream.jsonl'))
  const said = readText(join(folder, 'stdout.txt')) + readText(join(folder, 'stderr.txt'))
  const history = lastHistory(exchanges)
  const failed = /PLAN-FAILED: [^"\\]{0,200}/.exec(
    exchanges.map(({ wrote }) => wrote?.content).join('\n'),
  )
  const log = readText(join(folder, 'upstream.jsonl'))
  const unproved = proofs.filter((text) => !log.includes(text))
  const refusals = exchanges.flatMap(({ refusal = [] }) => refusal)
  const problems = [
    ...(code === -1 ? ['the run did not begin (harness.txt)'] : []),
    ...(code === null ? ['the time was up'] : []),
    ...(code !== null && code > 0 ? [`exit code ${code}`] : []),
    ...(failed ? [failed[0]] : []),
    ...(refusals.length > 0 ? [`refused ${refusals.length} times: ${refusals[0]}`] : []),
    ...(unproved.length > 0 ? [`no "${unproved[0]}": the calls did not do their work`] : []),
    ...(said.includes(LAST_WORDS) ? [] : ['the last answer did not arrive']),
  ]
  return {
    seconds,
    requests: exchanges.length,
    calls: callsIn(history, folder),
    files: checksums(join(folder, 'work')),
    problems,
  }
}

/** What differs from the run with native calls. */
export function compare(outcome: Outcome, native: Outcome): string[] {
  const names = new Set([...Object.keys(outcome.files), ...Object.keys(native.files)])
  const files = [...names].filter((name) => outcome.files[name] !== native.files[name])
  return [
    ...(files.length > 0 ? [`files differ: ${files.join(', ')}`] : []),
    ...callDifferences(outcome.calls, native.calls),
  ]
}

function callDifferences(calls: readonly Call[], native: readonly Call[]): string[] {
  if (calls.length !== native.length) return [`${calls.length} calls instead of ${native.length}`]
  const at = calls.findIndex((call, index) => !isDeepStrictEqual(call, native[index]))
  return at === -1
    ? []
    : [`call ${at + 1} differs: ${shown(calls[at])} instead of ${shown(native[at])}`]
}

function shown(call: Call | undefined): string {
  const text = JSON.stringify(call)
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

// ── reading a folder ────────────────────────────────────────────────────────────────────────────

/** The longest conversation with tools that is no sub-agent's. */
function lastHistory(exchanges: readonly Exchange[]): readonly Message[] {
  const histories = exchanges
    .filter(({ body, refusal }) => (body.tools ?? []).length > 0 && refusal === undefined)
    .map(({ body }) => body.messages ?? [])
    .filter((messages) => !isSubtask(messages))
  return histories.reduce((one, other) => (countCalls(other) >= countCalls(one) ? other : one), [])
}

function isSubtask(messages: readonly Message[]): boolean {
  const user = messages.filter(({ role }) => role === 'user')
  return JSON.stringify(user).includes(SUBTASK) && countCalls(messages) === 0
}

function countCalls(messages: readonly Message[]): number {
  return messages.reduce((sum, { tool_calls: calls = [] }) => sum + calls.length, 0)
}

function callsIn(messages: readonly Message[], folder: string): Call[] {
  const answered = new Set(
    messages.flatMap(({ role, content, tool_call_id: id }) => {
      return role === 'tool' && id !== undefined && !isEmpty(content) ? [id] : []
    }),
  )
  const calls = messages.flatMap(({ tool_calls: all = [] }) => all)
  return calls.map(({ id, function: { name, arguments: args } }) => ({
    name,
    args: parsed(args.replaceAll(folder, '{{run}}')),
    hasResult: answered.has(id),
  }))
}

function isEmpty(content: unknown): boolean {
  return (
    content === undefined || content === null || content === '' || isDeepStrictEqual(content, [])
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function checksums(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {}
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    // What agents keep for themselves, with times and ids in it.
    .filter((name) => !name.startsWith('.'))
  return Object.fromEntries(
    files.toSorted().map((name) => {
      return [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]
    }),
  )
}

function readText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function readJson<Value>(path: string): Value | undefined {
  const text = readText(path)
  return text === '' ? undefined : (JSON.parse(text) as Value) // written by inside.ts
}

function readLines<Value>(path: string): Value[] {
  const lines = readText(path)
    .split('\n')
    .filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Value) // written by upstream.ts
}
