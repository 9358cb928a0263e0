/**
 * What is lost of content that was kept for one dialect and goes to another: the fields that say something which
 * the neutral message does not, by name.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'

/**
 * Fields that mean something to one service alone: nothing that a model reads, and nothing that changes its reply.
 * All others are worth a warning.
 */
const MINOR: ReadonlySet<string> = new Set([
  // Marks for the cache.
  ...['cache_control', 'cachePoint', 'prompt_cache_key', 'prompt_cache_retention', 'cachedContent'],
  // Signatures and encrypted reasoning, which only their own service can read.
  ...['signature', 'thoughtSignature', 'encrypted_content', 'redacted_thinking', 'redactedContent'],
  // Ids and states.
  ...['id', 'status', 'caller', 'phase', 'index', 'annotations', 'logprobs', 'citations', 'title'],
  // Who is asking, and what the service does with it.
  ...[
    'user',
    'user_id',
    'metadata',
    'client_metadata',
    'safety_identifier',
    'service_tier',
    'store',
  ],
  ...['include', 'diagnostics', 'context_management', 'safetySettings', 'labels', 'betas'],
  ...['stream_options', 'verbosity', 'keep_alive', 'eager_input_streaming'],
])

/** True for a field, such as `content.cache_control`, without which nothing is missing. */
export function isMinorField(path: string): boolean {
  return path.split('.').some((name) => MINOR.has(name))
}

/** So many fields are named. */
const MAX_NAMED = 8

/** Where the blocks of some content say more than what they can be rebuilt from. */
export function lostFields(blocks: readonly JsonValue[], rebuilt: readonly JsonValue[]): string[] {
  const carried = new CarriedValues(rebuilt)
  const lost = new Set<string>()
  for (const block of blocks) {
    for (const path of lostIn(block, 'content', carried)) lost.add(path)
    if (lost.size >= MAX_NAMED || carried.isExhausted) break
  }
  return [...lost].slice(0, MAX_NAMED)
}

function lostIn(value: JsonValue, path: string, carried: CarriedValues): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => lostIn(one, path, carried))
  if (!isJsonObject(value)) return carried.has(value) ? [] : [path]
  if (isReasoning(value)) return []
  const place = placeOf(path, value['type'])
  return Object.entries(value).flatMap(([key, inner]) =>
    NAMES.has(key) || saysNothing(inner) ? [] : lostIn(inner, `${place}.${key}`, carried),
  )
}

/** Keys whose value only says what the object is. */
const NAMES: ReadonlySet<string> = new Set(['type', 'role', 'reasoningContent'])

const REASONING: ReadonlySet<JsonValue | undefined> = new Set([
  ...['thinking', 'redacted_thinking', 'reasoning'],
])

/** Reasoning is a field of the neutral message; whoever leaves that out reports so. */
function isReasoning({ type, thought }: Partial<JsonObject>): boolean {
  return REASONING.has(type) || thought === true
}

/** Blocks that every API has are called by their fields alone. */
const PLAIN: ReadonlySet<JsonValue> = new Set([
  ...['text', 'input_text', 'output_text', 'message', 'thinking', 'summary_text', 'reasoning'],
  ...['tool_use', 'tool_result', 'function_call', 'function_call_output', 'function', 'image'],
])

function placeOf(path: string, type: JsonValue | undefined): string {
  return typeof type === 'string' && !PLAIN.has(type) ? `${path}.${type}` : path
}

function saysNothing(value: JsonValue): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Texts that are not found are looked for in everything, so this often at most. */
const MAX_SEARCHES = 16

/** The values of a message as it was rebuilt. */
class CarriedValues {
  readonly #values = new Set<JsonValue>()
  readonly #texts: string[] = []
  #misses = 0
  #from = 0
  #text: string | undefined

  constructor(rebuilt: readonly JsonValue[]) {
    for (const one of rebuilt) this.#add(one)
  }

  /** Too much is missing for a complete list. */
  get isExhausted(): boolean {
    return this.#misses >= MAX_SEARCHES
  }

  has(value: JsonValue): boolean {
    return this.#values.has(value) || (typeof value === 'string' && this.#isPartOfText(value))
  }

  #add(value: JsonValue): void {
    if (Array.isArray(value)) for (const one of value) this.#add(one)
    else if (isJsonObject(value)) for (const one of Object.values(value)) this.#add(one)
    else {
      this.#values.add(value)
      if (typeof value === 'string') this.#texts.push(value)
    }
  }

  /** Several texts may have become one: in their order, so the search goes on where the last one ended. */
  #isPartOfText(text: string): boolean {
    if (this.isExhausted) return false
    this.#text ??= this.#texts.join('\n')
    const at = this.#text.indexOf(text, this.#from)
    if (at === -1) this.#misses++
    else this.#from = at + text.length
    return at !== -1
  }
}
