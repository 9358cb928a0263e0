/** Who may call what. The first rule that decides wins; the model is told why it may not. */
import type { ToolCall } from '../core/model.ts'
import type { RunnableTool } from '../tool.ts'
import type { Doubt } from './doubt.ts'

export interface Permissions {
  /** Tools that may not be called, whatever else is said. `*` stands for any characters. */
  readonly deny?: readonly string[]
  /** The only tools that may be called. */
  readonly allow?: readonly string[]
  readonly phase?: Phase
  /**
   * Calls that need an approval because of how they were found, whatever their tool and the phase say:
   * `confirm: ['unasked', 'repeated', 'guessed']`.
   */
  readonly confirm?: readonly Doubt[]
  /** Asked last, except in the phases `trusted` and `bypass`. */
  canUse?(call: ToolCall): Verdict | boolean | Promise<Verdict | boolean>
}

/**
 * `plan`: only tools that say they are read-only. `default`: as `canUse` says. `trusted` and `bypass`: without
 * asking; `deny` holds all the same.
 */
export type Phase = 'plan' | 'default' | 'trusted' | 'bypass'

export type DenialCode = 'user_denied' | 'phase_gated' | 'unknown'

export type Verdict =
  | { readonly allow: true }
  | { readonly allow: false; readonly reason: string; readonly code?: DenialCode }
  /** The whole run stops. */
  | { readonly halt: string }

const ALLOWED: Verdict = { allow: true }

/** Tools that change nothing but the run itself are no danger in any phase. */
const OF_THE_RUN: ReadonlySet<string> = new Set(['finish'])

export async function decide(
  call: ToolCall,
  tool: RunnableTool,
  permissions: Permissions = {},
): Promise<Verdict> {
  const { deny = [], allow, phase = 'default', canUse } = permissions
  const { name } = tool
  if (matchesAny(name, deny)) return denied(`${name} is disallowed`, 'user_denied')
  if (allow && !matchesAny(name, allow)) return denied(`${name} is not allowed`, 'user_denied')
  if (phase === 'plan' && !tool.annotations?.readOnly && !OF_THE_RUN.has(name)) {
    return denied(`${name} is not available in this phase: only tools that read are`, 'phase_gated')
  }
  if (!canUse || phase === 'trusted' || phase === 'bypass') return ALLOWED
  return asVerdict(await canUse(call), name)
}

function asVerdict(answer: unknown, name: string): Verdict {
  if (answer === true) return ALLOWED
  if (answer === false) return denied(`${name} was denied`, 'user_denied')
  if (isVerdict(answer)) return answer
  // An answer that nobody understands is no permission.
  return denied(`${name} was denied: the permission callback gave no clear answer`, 'unknown')
}

function isVerdict(answer: unknown): answer is Verdict {
  if (typeof answer !== 'object' || answer === null) return false
  if ('halt' in answer) return typeof answer.halt === 'string'
  if (!('allow' in answer)) return false
  return answer.allow === true || (answer.allow === false && 'reason' in answer)
}

function denied(reason: string, code: DenialCode): Verdict {
  return { allow: false, reason, code }
}

function matchesAny(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matches(name, pattern))
}

/** Pieces between stars, found one behind the other. */
function matches(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === pattern
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  let at = first.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return at <= name.length - last.length
}

/** What a sub-agent may do: never more than the one that called it. */
export function clamp(own: Permissions = {}, parent: Permissions = {}): Permissions {
  const ownAllow = own.allow
  const parentAllow = parent.allow
  return {
    deny: [...(parent.deny ?? []), ...(own.deny ?? [])],
    ...(parentAllow && { allow: parentAllow }),
    ...(ownAllow && {
      allow: ownAllow.filter((name) => !parentAllow || matchesAny(name, parentAllow)),
    }),
    confirm: [...new Set([...(parent.confirm ?? []), ...(own.confirm ?? [])])],
    phase: stricter(own.phase ?? 'default', parent.phase ?? 'default'),
    canUse: (call) => askBoth(call, parent, own),
  }
}

/** The strictest first. */
export const PHASES: readonly Phase[] = ['plan', 'default', 'trusted', 'bypass']

function stricter(a: Phase, b: Phase): Phase {
  return PHASES.indexOf(a) < PHASES.indexOf(b) ? a : b
}

async function askBoth(
  call: ToolCall,
  ...both: readonly Permissions[]
): Promise<Verdict | boolean> {
  for (const { canUse } of both) {
    const answer = (await canUse?.(call)) ?? true
    const verdict = asVerdict(answer, call.name)
    if (!('allow' in verdict && verdict.allow)) return verdict
  }
  return true
}
