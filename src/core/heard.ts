/**
 * What others have said in a conversation: its instructions, its users, the results of its tools. A model that repeats
 * a call from there, word for word, quotes it.
 *
 * Nothing is looked at before a reply holds a call. Then the conversation is gone through once, and each call costs a
 * search that is linear in it.
 */
import { parseObject } from './json/strict.ts'
import { isJsonObject, type JsonObject } from './json/value.ts'
import type { Speaker, ToolCall } from './model.ts'
import { equalJson } from './schema/equal.ts'
import { decodeEntities } from './text/entities.ts'

export interface Heard {
  /** Who has written this text before, unless the model itself has made the same call before. */
  sourceOf(written: string, call: Pick<ToolCall, 'name' | 'arguments'>): Speaker | undefined
}

/**
 * @param history Messages in the spelling of any provider, or texts; read when the first call comes.
 */
export function createHeard(history: unknown): Heard {
  let known: Said | undefined
  let budget = MOST_COMPARED

  /** True when the text holds what is sought, or to find out would cost too much. */
  function holds(text: string, sought: string): boolean {
    if (sought.length > text.length) return false
    budget -= text.length
    if (budget < 0) return true
    if (!text.includes(sought.slice(0, PROBE)) || !text.includes(sought.slice(-PROBE))) return false
    return indexOf(text, sought) !== -1
  }

  return {
    sourceOf(written, call) {
      known ??= listen(history)
      const sought = squeezed(written)
      if (sought === '') return undefined
      for (const [speaker, text] of known.texts) {
        if (holds(text, sought)) return isOwn(call, known.calls) ? undefined : speaker
      }
      return undefined
    },
  }
}

/** The same for what may be one already. */
export function asHeard(given: unknown): Heard | undefined {
  if (given === undefined || given === null) return undefined
  return isHeard(given) ? given : createHeard(given)
}

function isHeard(given: unknown): given is Heard {
  return typeof given === 'object' && given !== null && 'sourceOf' in given
}

/** Characters that the calls of one reply are compared with. Chosen: a fraction of a second. After it, all is taken for said. */
const MOST_COMPARED = 256 * 1024 * 1024
/** So much is looked for first. It is short, so that the search of the language is linear whatever the text. */
const PROBE = 64

interface Said {
  /** Without what does not count. Results come first: who writes them is known least. */
  readonly texts: ReadonlyMap<Speaker, string>
  /** The calls that the model made. */
  readonly calls: readonly OwnCall[]
}

interface OwnCall {
  readonly name: string
  readonly arguments: JsonObject
}

function isOwn(call: Pick<ToolCall, 'name' | 'arguments'>, calls: readonly OwnCall[]): boolean {
  return calls.some((own) => own.name === call.name && equalJson(own.arguments, call.arguments))
}

// ── the conversation ────────────────────────────────────────────────────────────────────────────

/** A value of the history, and who says it. */
type Utterance = readonly [value: unknown, speaker: Speaker | 'model']

const SPEAKERS: Readonly<Record<string, Speaker | 'model'>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  tool: 'tool',
  function: 'tool',
  ipython: 'tool',
  assistant: 'model',
  model: 'model',
}

/** The results of tools inside messages of the user, and turns that are not messages. */
const TYPES: Readonly<Record<string, Speaker | 'model'>> = {
  tool_result: 'tool',
  'tool-result': 'tool',
  function_call_output: 'tool',
  custom_tool_call_output: 'tool',
  function_call: 'model',
  custom_tool_call: 'model',
  reasoning: 'model',
}

/** Members that are results wherever they are. */
const RESULTS: ReadonlySet<string> = new Set(['toolResults', 'functionResponse', 'toolResult'])

/** Members beside a text that say what it is, and the words that they have: no parts of what somebody says. */
const ASIDE: ReadonlySet<string> = new Set([
  ...['type', 'role', 'id', 'status', 'name', 'ttl'],
  ...['call_id', 'tool_call_id', 'tool_use_id', 'toolCallId', 'toolName', 'tool_name'],
])
const WORD = /^[\w.:-]{0,200}$/

function isAside(key: string, value: unknown): boolean {
  return typeof value === 'string' && ASIDE.has(key) && WORD.test(value)
}

/** Every text there is, whatever the dialect: to decode the messages would take far longer. */
function listen(history: unknown): Said {
  const texts = new Map<Speaker, string[]>([
    ['tool', []],
    ['user', []],
    ['system', []],
  ])
  const calls: OwnCall[] = []
  // A list and no recursion: what clients send may be nested without end.
  const left: Utterance[] = [[history, 'user']]
  for (let next = left.pop(); next; next = left.pop()) {
    const [value, speaker] = next
    if (typeof value === 'string') {
      if (speaker !== 'model') texts.get(speaker)?.push(squeezed(value))
    } else if (typeof value === 'object' && value !== null) {
      const said = speakerOf(value, speaker)
      const call = said === 'model' ? callIn(value) : undefined
      if (call) calls.push(call)
      // The last is taken first.
      for (const [key, member] of Object.entries(value).reverse()) {
        if (!isAside(key, member)) left.push([member, RESULTS.has(key) ? 'tool' : said])
      }
    }
  }
  // Without anything in between: a text may come in several parts, or in several messages.
  return { texts: new Map([...texts].map(([who, all]) => [who, all.join('')])), calls }
}

function speakerOf(value: object, speaker: Speaker | 'model'): Speaker | 'model' {
  if (Array.isArray(value)) return speaker
  const { role, type } = value as { readonly role?: unknown; readonly type?: unknown }
  return TYPES[String(type)] ?? SPEAKERS[String(role)] ?? speaker
}

/** A call in any provider's spelling. */
function callIn(value: object): OwnCall | undefined {
  const {
    name,
    toolName = name,
    arguments: given,
    args = given,
    input = args,
  } = value as JsonObject
  if (typeof toolName !== 'string') return undefined
  const object = typeof input === 'string' ? parseObject(input) : input
  return isJsonObject(object) ? { name: toolName, arguments: object } : undefined
}

// ── what counts ─────────────────────────────────────────────────────────────────────────────────

/** White space, marks of quotation, what cannot be seen, and escapes of a text inside JSON. */
const NOISE = /(?:\\+[nrt]?|[\s\p{Cf}"'`“”‘’«»])+/gu
const ESCAPED = /\\+u([\da-f]{4})/gi
/** The mark of a quotation in Markdown, at the beginning of each line. */
const QUOTED = /^[ \t]*(?:>[ \t]?)+/gm

/** A text without what changes when it is quoted. */
function squeezed(text: string): string {
  const unescaped = text.includes('\\u')
    ? text.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text
  return decoded(unescaped).replace(QUOTED, '').replace(NOISE, '')
}

/** What was escaped more than once, too. */
function decoded(text: string): string {
  let now = text
  for (let times = 0; times < MOST_ESCAPED && now.includes('&'); times++) now = decodeEntities(now)
  return now
}

/** A page inside a page. */
const MOST_ESCAPED = 3

/** Knuth, Morris and Pratt: the search of the language takes the product of both lengths where texts repeat themselves. */
function indexOf(text: string, sought: string): number {
  const borders = bordersOf(sought)
  let matched = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    while (matched > 0 && sought.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0
    if (sought.charCodeAt(matched) === code) matched++
    if (matched === sought.length) return i - matched + 1
  }
  return -1
}

/** For each beginning of the text, how much of it also ends it. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length)
  let length = 0
  for (let i = 1; i < text.length; i++) {
    while (length > 0 && text.charCodeAt(i) !== text.charCodeAt(length)) {
      length = borders[length - 1] ?? 0
    }
    if (text.charCodeAt(i) === text.charCodeAt(length)) length++
    borders[i] = length
  }
  return borders
}
