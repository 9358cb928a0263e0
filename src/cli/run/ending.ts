/** How a run ended: the exit code, the reason, and the way to go on with it. */
import type { AgentResult, FinishCategory, PendingCall } from '../../agent/index.ts'

export const EXIT_CANCELED = 130

const EXIT_CODES: Readonly<Record<FinishCategory, number>> = {
  success: 0,
  fatal: 1,
  paused: 4,
  capacity: 5,
  retryable: 6,
  canceled: EXIT_CANCELED,
}

export function exitCodeOf(category: FinishCategory): number {
  return EXIT_CODES[category]
}

/** Nothing when it went well. */
export function whyItEnded(result: AgentResult): string[] {
  const { category, finishReason, message, pending = [] } = result
  if (category === 'success') return []
  if (category === 'canceled') return ['cancelled']
  if (category === 'paused') return ['paused; waiting for:', ...pending.map(waiting)]
  const why = `${finishReason}${message === undefined ? '' : `: ${message}`}`
  return UNREACHED.test(why) ? [why, WHERE_IT_IS] : [why]
}

const UNREACHED = /\((?:ECONNREFUSED|ENOTFOUND|EHOSTUNREACH)\)$/
const WHERE_IT_IS = 'Nobody answers there. Is the server running? --base-url says where it is.'

function waiting({ call, needs }: PendingCall): string {
  return `  the ${needs} of ${call.name} ${JSON.stringify(call.arguments)}`
}

/** Options that a run is resumed with. `--yes` is for every time anew. */
type Given = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
const LEFT_OUT: ReadonlySet<string> = new Set(['resume', 'yes', 'system'])

export function howToResume({ run, pending }: AgentResult, given: Given): string {
  if (given['store'] === undefined) {
    return 'The run was not kept. With --store <file> it can be resumed.'
  }
  const options = Object.entries(given).flatMap(([name, value]) =>
    LEFT_OUT.has(name) || value === undefined
      ? []
      : [value].flat().flatMap((one) => option(name, one)),
  )
  const command = ['toolglot run --resume', quote(run), ...options].join(' ')
  const how = pending ? 'To decide (in a terminal, or with --yes)' : 'To go on'
  return `${how}:\n  ${command}`
}

function option(name: string, value: string | boolean): string[] {
  if (value === false) return []
  return value === true ? [`--${name}`] : [`--${name}`, quote(value)]
}

/** As a shell reads it. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
