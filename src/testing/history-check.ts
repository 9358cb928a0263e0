/**
 * What strict servers demand of the conversation in a request, dialect by dialect. Written apart from the
 * code that heals histories, so that it can judge it.
 */
import { checkObject } from '../core/caller-input.ts'
import { InvalidInputError } from '../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { type DialectName, spokenDialect } from '../providers/spoken-dialect.ts'
import {
  anthropicTurns,
  bedrockTurns,
  chatTurns,
  geminiTurns,
  interactionTurns,
  responsesTurns,
  type WireTurn,
} from './history-turns.ts'

/** What the servers of a dialect refuse to do without. */
interface Demands {
  readonly turnsOf: (body: JsonObject) => WireTurn[]
  readonly roles: readonly string[]
  readonly user: string
  readonly assistant: string
  /** The role of the turns that hold results. */
  readonly results: string
  /** Ids of calls; undefined where they are not looked at. */
  readonly id?: RegExp
  readonly name?: RegExp
  /** No id twice in the whole request, instead of in one turn. */
  readonly uniqueIds?: boolean
  /** The results of a turn are one turn, each in its own otherwise. */
  readonly isOneTurn?: boolean
  /** Results have the names of their calls, and stand in the same order. */
  readonly byName?: boolean
  readonly startsWithUser?: boolean
  readonly alternates?: boolean
  /** The role that must follow results. */
  readonly afterResults?: string
  readonly noEmptyText?: boolean
  /** Arguments are an object; JSON text of one otherwise. */
  readonly objects?: boolean
  /** A field of the request that must be there when there are calls. */
  readonly needs?: string
}

const CHAT = {
  turnsOf: chatTurns,
  roles: ['system', 'developer', 'user', 'assistant', 'tool'],
  user: 'user',
  assistant: 'assistant',
  results: 'tool',
} as const

const HISTORY_DEMANDS: ReadonlyMap<string, Demands> = new Map(
  Object.entries<Demands>({
    'openai-chat': { ...CHAT, id: /^.{1,40}$/, name: /^[a-zA-Z0-9_-]{1,64}$/ },
    'openai-responses': {
      ...CHAT,
      turnsOf: responsesTurns,
      isOneTurn: true,
      id: /^.{1,64}$/,
      name: /^[a-zA-Z0-9_-]{1,64}$/,
    },
    anthropic: {
      ...CHAT,
      turnsOf: anthropicTurns,
      roles: ['user', 'assistant', 'system'],
      results: 'user',
      id: /^[a-zA-Z0-9_-]{1,64}$/,
      name: /^[a-zA-Z0-9_-]{1,128}$/,
      uniqueIds: true,
      isOneTurn: true,
      startsWithUser: true,
      noEmptyText: true,
      objects: true,
      needs: 'tools',
    },
    bedrock: {
      ...CHAT,
      turnsOf: bedrockTurns,
      roles: ['user', 'assistant'],
      results: 'user',
      id: /^[a-zA-Z0-9_.:-]{1,64}$/,
      name: /^[a-zA-Z0-9_-]{1,64}$/,
      uniqueIds: true,
      isOneTurn: true,
      startsWithUser: true,
      alternates: true,
      noEmptyText: true,
      objects: true,
      needs: 'toolConfig',
    },
    gemini: {
      ...CHAT,
      turnsOf: geminiTurns,
      roles: ['user', 'model'],
      assistant: 'model',
      results: 'user',
      name: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
      isOneTurn: true,
      byName: true,
      startsWithUser: true,
      alternates: true,
      objects: true,
    },
    'google-interactions': {
      ...CHAT,
      turnsOf: interactionTurns,
      roles: ['user', 'assistant', 'tool'],
      id: /^.+$/,
      name: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
      isOneTurn: true,
      startsWithUser: true,
      objects: true,
    },
    mistral: {
      ...CHAT,
      roles: ['system', 'user', 'assistant', 'tool'],
      id: /^[a-zA-Z0-9]{9}$/,
      name: /^[a-zA-Z0-9_-]{1,64}$/,
      afterResults: 'assistant',
    },
    cohere: { ...CHAT, id: /^.+$/, roles: ['system', 'user', 'assistant', 'tool'] },
    ollama: {
      ...CHAT,
      roles: ['system', 'user', 'assistant', 'tool'],
      byName: true,
      objects: true,
    },
  }),
)

/**
 * What a strict server of the dialect would refuse about the conversation in this request, in words; an
 * empty list when there is nothing.
 *
 * @example
 * expect(checkHistory(body, 'anthropic')).toEqual([])
 */
export function checkHistory(body: JsonObject, dialect: DialectName): string[] {
  checkObject('a request', body, 'the body that goes to a provider')
  const { id } = spokenDialect(dialect)
  const demands = HISTORY_DEMANDS.get(id)
  if (!demands) throw new InvalidInputError(`nothing is known of what ${id} demands of histories`)
  return check(body, demands)
}

function check(body: JsonObject, demands: Demands): string[] {
  const turns = demands.turnsOf(body)
  return [
    ...turns.flatMap((turn) => [
      ...checkRole(turn, demands),
      ...checkContent(turn, demands),
      ...turn.calls.flatMap((call) => checkCall(call, turn, demands)),
    ]),
    ...checkOrder(turns, demands),
    ...checkPairs(turns, demands),
    ...checkIds(turns, demands),
    ...checkNeeds(body, turns, demands),
  ]
}

function checkRole({ at, role, calls, results }: WireTurn, demands: Demands): string[] {
  return [
    ...say(!demands.roles.includes(role), `${at}: the role ${JSON.stringify(role)} is unknown`),
    ...say(calls.length > 0 && role !== demands.assistant, `${at}: calls of ${role}`),
    ...say(results.length > 0 && role !== demands.results, `${at}: results of ${role}`),
  ]
}

function checkContent(turn: WireTurn, { noEmptyText, results: resultRole }: Demands): string[] {
  const { at, role, texts, order, others, calls, results } = turn
  const isSilent = texts.every((text) => text.trim() === '') && others === 0
  const hasNothing = isSilent && calls.length === 0 && results.length === 0
  return [
    ...say(hasNothing && role !== resultRole, `${at}: says nothing`),
    ...say(Boolean(noEmptyText) && texts.some((text) => text.trim() === ''), `${at}: empty text`),
    // Behind its calls an assistant says nothing more, and results stand before what a user says.
    ...say(/t[tc]*r/.test(order), `${at}: text before results`),
  ]
}

function checkCall(
  { name, input }: WireTurn['calls'][number],
  { at }: WireTurn,
  demands: Demands,
): string[] {
  return [
    ...say(demands.name?.test(name) === false, `${at}: the name ${JSON.stringify(name)}`),
    ...say(name === '', `${at}: a call without a name`),
    ...say(!isInput(input, demands), `${at}: the arguments of ${name} are no object`),
  ]
}

/** Text need not be JSON where text is sent: models make mistakes, and servers take them back. */
function isInput(input: JsonValue | undefined, { objects }: Demands): boolean {
  if (objects) return isJsonObject(input)
  return typeof input === 'string' && input.trim() !== ''
}

// ── order ───────────────────────────────────────────────────────────────────────────────────────

function checkOrder(turns: readonly WireTurn[], demands: Demands): string[] {
  const { startsWithUser, alternates, afterResults, user, results } = demands
  const spoken = turns.filter(({ role }) => role !== 'system' && role !== 'developer')
  const [first] = spoken
  return [
    ...say(spoken.length === 0, 'nobody says anything'),
    ...say(
      Boolean(startsWithUser) && first !== undefined && first.role !== user,
      'starts without the user',
    ),
    ...spoken.flatMap((turn, at) => {
      const before = spoken[at - 1]
      const isResult = before?.role === results && before.results.length > 0
      return [
        ...say(Boolean(alternates) && before?.role === turn.role, `${turn.at}: ${turn.role} twice`),
        ...say(
          afterResults !== undefined && isResult && ![afterResults, results].includes(turn.role),
          `${turn.at}: ${turn.role} right behind results`,
        ),
      ]
    }),
  ]
}

// ── calls and results ───────────────────────────────────────────────────────────────────────────

function checkPairs(turns: readonly WireTurn[], demands: Demands): string[] {
  const faults: string[] = []
  let at = 0
  while (at < turns.length) {
    const turn = turns[at]
    if (!turn) break
    const calls = turn.calls
    const run = calls.length > 0 ? resultsBehind(turns, at, demands) : []
    const results = run.flatMap((one) => one.results)
    faults.push(...checkPair(turn, results, demands))
    if (calls.length === 0 && turn.results.length > 0)
      faults.push(`${turn.at}: results without calls`)
    at += 1 + run.length
  }
  return faults
}

function resultsBehind(turns: readonly WireTurn[], at: number, { isOneTurn }: Demands): WireTurn[] {
  const run: WireTurn[] = []
  for (let next = at + 1; (turns[next]?.results.length ?? 0) > 0; next++) {
    run.push(...turns.slice(next, next + 1))
    if (isOneTurn) break
  }
  return run
}

function checkPair(
  { at, calls }: WireTurn,
  results: WireTurn['results'],
  { byName, id }: Demands,
): string[] {
  if (calls.length === 0) return []
  if (calls.length !== results.length) {
    return [`${at}: ${calls.length} calls have ${results.length} results right behind them`]
  }
  const names = calls.map(({ name }) => name)
  const ids = calls.map((call) => call.id).sort()
  return [
    ...say(
      Boolean(byName) && names.join() !== results.map(({ name }) => name).join(),
      `${at}: the names of calls and results differ`,
    ),
    ...say(
      id !== undefined &&
        ids.join() !==
          results
            .map((result) => result.id)
            .sort()
            .join(),
      `${at}: the ids of calls and results differ`,
    ),
  ]
}

function checkIds(turns: readonly WireTurn[], { id: rule, uniqueIds }: Demands): string[] {
  if (!rule) return []
  const used = new Set<string>()
  return turns.flatMap(({ at, calls }) => {
    if (!uniqueIds) used.clear()
    return calls.flatMap(({ id = '' }) => {
      const isTaken = used.has(id)
      used.add(id)
      return [
        ...say(!rule.test(id), `${at}: the id ${JSON.stringify(id)}`),
        ...say(isTaken, `${at}: the id ${JSON.stringify(id)} comes again`),
      ]
    })
  })
}

function checkNeeds(body: JsonObject, turns: readonly WireTurn[], { needs }: Demands): string[] {
  const hasCalls = turns.some(({ calls }) => calls.length > 0)
  return say(needs !== undefined && hasCalls && body[needs] === undefined, `there is no ${needs}`)
}

function say(isWrong: boolean, message: string): string[] {
  return isWrong ? [message] : []
}
