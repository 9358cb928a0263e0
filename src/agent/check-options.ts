/** What callers without types pass by mistake, told before anything runs. */
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import { InvalidInputError } from '../core/errors.ts'
import { isJsonObject } from '../core/json/value.ts'
import { checkReading, READING_KEYS } from '../reading-options.ts'
import { ALL_DOUBTS } from './doubt.ts'
import type { Budget } from './limits.ts'
import type { AgentOptions } from './options.ts'
import { type Permissions, PHASES } from './permissions.ts'
import { readTools } from './read-tools.ts'
import { isAmount } from './spending.ts'

export const AGENT_KEYS: OptionKeys<AgentOptions> = {
  ...READING_KEYS,
  client: 0,
  tools: 0,
  prompt: 0,
  messages: 0,
  system: 0,
  request: 0,
  stream: 0,
  signal: 0,
  depth: 0,
  maxSteps: 0,
  maxMistakes: 0,
  maxUnproductive: 0,
  budget: 0,
  stopWhen: 0,
  toolTimeoutMs: 0,
  concurrency: 0,
  onMalformed: 0,
  permissions: 0,
  approve: 0,
  hooks: 0,
  resultBudget: 0,
  compaction: 0,
  output: 0,
  priceOf: 0,
  store: 0,
  runId: 0,
  state: 0,
  decisions: 0,
}

/** @throws InvalidInputError, which says what to pass instead. */
export function checkOptions(options: AgentOptions): void {
  checkKeys('runAgent', options, AGENT_KEYS, '{ client, prompt }')
  // The cast: whatever it is, its fields are looked at one by one.
  const given = options as AgentOptions
  if (typeof given.client?.stream !== 'function') {
    throw invalid('`client` must be a client, as createClient() gives one')
  }
  checkReading(given)
  checkSaid(given)
  checkTools(given.tools ?? [])
  checkNumbers(given)
  checkBudget(given)
  checkPermissions(given.permissions ?? {})
  const { decisions, state, runId, onMalformed = 'repair', budget, priceOf } = given
  if (priceOf !== undefined && typeof priceOf !== 'function') {
    throw invalid('`priceOf` must be a function of a reply')
  }
  if (budget?.costUsd !== undefined && !priceOf) {
    throw invalid('`budget.costUsd` needs `priceOf`, which says what a reply cost')
  }
  if (onMalformed !== 'repair' && onMalformed !== 'halt') {
    throw invalid(`\`onMalformed\` cannot be ${onMalformed}; it takes repair or halt`)
  }
  if (decisions && !state && runId === undefined) {
    throw invalid('`decisions` need the run they belong to: pass `state`, or `store` and `runId`')
  }
}

function checkSaid({ prompt = '', system = '', messages = [] }: AgentOptions): void {
  for (const [name, text] of Object.entries({ prompt, system })) {
    if (typeof text !== 'string') throw invalid(`\`${name}\` must be text, not ${typeof text}`)
  }
  if (Array.isArray(messages) && messages.every((one) => isJsonObject(one) && 'role' in one)) return
  throw invalid('`messages` must be a list of messages, as in [{ role: "user", content: "…" }]')
}

function checkTools(tools: unknown): void {
  if (!Array.isArray(tools)) throw invalid('`tools` must be a list, of what tool() gives')
  readTools(tools)
}

const NUMBERS = [
  'toolTimeoutMs',
  'concurrency',
  'maxSteps',
  'maxMistakes',
  'maxUnproductive',
] as const satisfies (keyof AgentOptions)[]

/** A limit that is not a number would never be reached. */
function checkNumbers(options: AgentOptions): void {
  for (const name of NUMBERS) {
    const value: unknown = options[name]
    if (value === undefined || (typeof value === 'number' && value >= 0)) continue
    throw invalid(`\`${name}\` cannot be ${String(value)}; it takes a number from 0 on`)
  }
}

const BUDGET_KEYS: OptionKeys<Budget> = { tokens: 0, costUsd: 0 }

/** A budget that nobody can count would never be used up. */
export function checkBudget({ budget = {} }: Pick<AgentOptions, 'budget'>): void {
  checkKeys('`budget`', budget, BUDGET_KEYS, '{ tokens: 100_000 }')
  for (const [name, value] of Object.entries(budget)) {
    if (value === undefined || isAmount(value)) continue
    throw invalid(`\`budget.${name}\` cannot be ${String(value)}; it takes a number from 0 on`)
  }
}

/** A permission that nobody understands must not count as none. */
function checkPermissions(permissions: Permissions): void {
  if (!isJsonObject(permissions)) {
    throw invalid('`permissions` must be an object, as in { deny: ["delete_*"] }')
  }
  const {
    phase = 'default',
    deny = [],
    allow = [],
    confirm = [],
    canUse,
  }: Permissions = permissions
  if (!PHASES.includes(phase)) {
    throw invalid(`\`permissions.phase\` cannot be ${phase}; it takes ${PHASES.join(', ')}`)
  }
  for (const [name, list] of Object.entries({ deny, allow })) {
    if (Array.isArray(list)) continue
    throw invalid(`\`permissions.${name}\` must be a list of names, not ${typeof list}`)
  }
  const known = ALL_DOUBTS.join(', ')
  if (!Array.isArray(confirm)) {
    throw invalid(`\`permissions.confirm\` must be a list of ${known}, not ${typeof confirm}`)
  }
  const unknown = confirm.find((doubt) => !ALL_DOUBTS.includes(doubt))
  if (unknown !== undefined) {
    throw invalid(`\`permissions.confirm\` cannot hold ${String(unknown)}; it takes ${known}`)
  }
  if (canUse !== undefined && typeof canUse !== 'function') {
    throw invalid('`permissions.canUse` must be a function of a call')
  }
}

function invalid(message: string): InvalidInputError {
  return new InvalidInputError(message)
}
