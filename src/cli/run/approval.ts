/** Asks the person at the keyboard about calls: whether they may run, or what they result in. */
import { setImmediate } from 'node:timers/promises'
import type { AgentOptions, Decision, PendingCall } from '../../agent/index.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import type { ToolCall } from '../../core/model.ts'
import { printable } from '../terminal.ts'
import type { Lines } from './lines.ts'

interface ApproverOptions {
  /** Undefined: nobody is there to be asked. */
  readonly lines: Lines | undefined
  /** True: everything is approved. */
  readonly yes: boolean
}

type Answer = Decision | boolean | undefined

/** One question after another, also when agents ask beside each other. Without an answer the run pauses. */
export function createApprover({
  lines,
  yes,
}: ApproverOptions): NonNullable<AgentOptions['approve']> {
  const always = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()

  async function decide({ call, needs }: PendingCall): Promise<Answer> {
    if (needs === 'approval' && (yes || always.has(call.name))) return true
    if (!lines) return undefined
    // What came before the question is to be shown before it.
    await setImmediate()
    if (needs === 'result') return askResult(call, lines)
    return askApproval(call, lines, () => always.add(call.name))
  }

  return (pending) => {
    const answer = last.then(() => decide(pending))
    last = answer.catch(() => {})
    return answer
  }
}

const CHOICES = '[y]es, [n]o, [e]dit, [a]lways'

async function askApproval(call: ToolCall, lines: Lines, setAlways: () => void): Promise<Answer> {
  let question = `${describe(call)}\nMay it run? ${CHOICES}: `
  while (true) {
    const said = await lines.ask(question)
    if (said === undefined) return undefined
    const [, word = '', reason = ''] = /^\s*(\w*)[\s,:]*(.*)$/.exec(said) ?? []
    switch (word.toLowerCase()) {
      case 'y':
      case 'yes':
        return true
      case 'a':
      case 'always':
        setAlways()
        return true
      case 'n':
      case 'no':
        return { approved: false, ...(reason !== '' && { reason: `the user says: ${reason}` }) }
      case 'e':
      case 'edit':
        return edit(lines)
    }
    question = `${CHOICES}: `
  }
}

async function edit(lines: Lines): Promise<Answer> {
  let question = 'Arguments, as JSON on one line: '
  while (true) {
    const said = await lines.ask(question)
    if (said === undefined) return undefined
    const args = parseObject(said)
    if (args) return { approved: true, arguments: args }
    question = 'That is no JSON object. Arguments: '
  }
}

async function askResult(call: ToolCall, lines: Lines): Promise<Answer> {
  const content = await lines.ask(`${describe(call)}\nIts result: `)
  return content === undefined ? undefined : { result: { content } }
}

/** All of it: nobody can agree to what is not shown. */
function describe({ name, arguments: args }: ToolCall): string {
  return printable(`${name} ${JSON.stringify(args, null, 2)}`)
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
