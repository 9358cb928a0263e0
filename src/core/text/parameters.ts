/**
 * Arguments that arrive one by one as raw text, such as `<parameter=city>Oslo</parameter>`. The tool's
 * schema says what each of them is; text is told while it arrives, everything else once it is complete.
 */
import type { Repair } from '../issue.ts'
import { escapeText } from '../json/escapes.ts'
import { readJson } from '../json/read.ts'
import { parseStrict } from '../json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts'
import type { SchemaView } from '../options.ts'
import type { CallDraft, CallEnding, ReadContext } from '../protocol.ts'
import { nextMember } from '../schema/argument-stream.ts'
import { equalJson } from '../schema/equal.ts'
import { parseElement, readTree } from './element-tree.ts'
import { createEscapedText, type EscapedText } from './escaped-text.ts'
import { createTrimmed, type Trim } from './trimmed.ts'

/** How a value is read of which the schema does not tell the type. */
export type Reading = 'text' | 'json'

export interface ParameterOptions {
  /** What values are unless they say otherwise. Default `text`. */
  readonly untyped?: Reading | undefined
  /** Default `line`. */
  readonly trim?: Trim | undefined
  /** True when a text that is escaped throughout means what its references stand for. */
  readonly escaped?: boolean | undefined
}

export interface Parameters {
  /** A `reading` given here is what the markup says; only a schema that disagrees overrules it. */
  begin(key: string, reading?: Reading, trim?: Trim): void
  /** A piece of the value. */
  text(piece: string): void
  /** A piece of the value that counts as it is, its white space included. */
  exactText(piece: string): void
  /** `trim` says what to leave out at the end of a value whose closing tag is missing. */
  end(trim?: Trim): void
  /** A value that needs no reading. */
  set(key: string, value: JsonValue): void
  /** How many values were given. */
  size(): number
  /** True when the tool's schema is known and has a parameter of this name. */
  declares(name: string): boolean
  /** True when a parameter of this name may be given: it is declared, or nobody knows. */
  accepts(name: string): boolean
  /** True when what has this name is no parameter but holds them all. */
  wraps(name: string): boolean
  /** What the end of the call needs to know. */
  ending(): Pick<CallEnding, 'json' | 'repairs' | 'streamed'>
}

/** What has one of these names holds all the arguments, unless the tool has such a parameter. */
const WRAPPERS: ReadonlySet<string> = new Set(['arguments', 'input', 'parameters'])
/** A tag that some models put around a value inside its own. */
const VALUE_TAG = /^\s*<value>([\s\S]*)<\/value>\s*$/

export function createParameters(
  context: ReadContext,
  draft: CallDraft | undefined,
  { untyped = 'text', trim = 'line', escaped = false }: ParameterOptions = {},
): Parameters {
  const { fit } = context
  const schema = draft?.schema
  /** True when the schema has a say in what becomes of the values. */
  const fits = fit !== undefined && schema !== undefined && !fit.changesNothing(schema)
  const values = new Map<string, JsonValue>()
  /** Keys that were given several times: what became of them is told at the end. */
  const again = new Set<string>()
  const repairs: Repair[] = []
  const streamed = new Set<string>()
  let key = ''
  let said: Reading | undefined
  let streams = false
  let value = createTrimmed(trim)
  let escapes: EscapedText | undefined

  function begin(name: string, reading?: Reading, trimming = trim): void {
    key = name
    said = reading
    value = createTrimmed(trimming)
    escapes = escaped && context.repair === 'guess' ? createEscapedText() : undefined
    streams = canStream()
    if (streams) draft?.delta(`${nextMember(streamed, key)}"`)
  }

  function declares(name: string): boolean {
    return fits && fit.declares(schema, name)
  }

  function wraps(name: string): boolean {
    return WRAPPERS.has(name) && !declares(name)
  }

  /** Text that stays as it is, whatever comes. */
  function canStream(): boolean {
    if (!draft || !context.deltas || values.has(key)) return false
    if (!fits) return (said ?? untyped) === 'text'
    return said !== 'json' && fit.keepsText(schema, key)
  }

  function tell(certain: string): void {
    if (streams && certain !== '') draft?.delta(escapeText(certain))
  }

  /** What was held back because it may be escaped. */
  function endEscapes(): void {
    if (!escapes) return
    tell(value.add(escapes.end()))
    if (escapes.isDecoded) repairs.push({ code: 'decoded-entities', path: [key], risk: 'guess' })
    escapes = undefined
  }

  function end(trimming?: Trim): void {
    endEscapes()
    tell(value.end(trimming))
    if (streams) {
      streams = false
      draft?.delta('"')
      values.set(key, value.whole())
    } else {
      set(key, read(value.whole()))
    }
  }

  function read(raw: string): JsonValue {
    const root = fits ? fit.view(schema) : undefined
    const view = root?.property(key)
    if (!fits || !view) return (said ?? untyped) === 'json' ? fromJson(raw) : raw
    if (said === 'text' && fit.fitProperty(key, raw, schema) === raw) return raw
    if (said === 'json' && raw.startsWith('"')) return parseStrict(raw) ?? raw
    if (/^\s*</.test(raw) && !view.accepts('string')) return fromTags(raw, root)
    const typed = view.read(raw)
    repairs.push(...typed.repairs)
    return typed.value
  }

  /** Where no text is wanted, tags are. */
  function fromTags(raw: string, root: SchemaView | undefined): JsonValue {
    const syntax = { lead: '', maxDepth: context.limits.maxDepth, repairs }
    const element = parseElement(key, VALUE_TAG.exec(raw)?.[1] ?? raw, syntax)
    return readTree([element], root, syntax)[key] ?? raw
  }

  function fromJson(raw: string): JsonValue {
    const strict = parseStrict(raw.trim())
    if (strict !== undefined) return strict
    if (context.repair === 'off' || !/^\s*[[{]/.test(raw)) return raw
    const loose = readJson(raw, { repair: context.repair })
    if (!loose.complete || loose.value === undefined) return raw
    repairs.push(...loose.repairs.map((repair) => ({ ...repair, path: [key, ...repair.path] })))
    return loose.value
  }

  function set(name: string, given: JsonValue): void {
    const before = values.get(name)
    if (before !== undefined) return setAgain(name, before, given)
    values.set(name, given)
    tellValue(name, given)
  }

  function tellValue(name: string, now: JsonValue): void {
    if (!draft || !context.deltas || (fits && !declares(name))) return
    const fitted = fits ? fit.fitProperty(name, now, schema) : now
    draft.delta(nextMember(streamed, name) + JSON.stringify(fitted))
  }

  /** One more item of a list, unless the schema knows of a single value. */
  function setAgain(name: string, before: JsonValue, given: JsonValue): void {
    if (equalJson(before, given)) return
    const isKnown = declares(name)
    if (isKnown && !(Array.isArray(before) && Array.isArray(given))) {
      values.set(name, given)
    } else {
      const items = Array.isArray(before) && (isKnown || again.has(name)) ? before : [before]
      for (const item of isKnown && Array.isArray(given) ? given : [given]) items.push(item)
      values.set(name, items)
    }
    again.add(name)
  }

  function wrapped(): JsonObject | undefined {
    const [only, ...others] = values
    if (!fits || !only || others.length > 0) return undefined
    const [name, content] = only
    if (!wraps(name)) return undefined
    const inner = typeof content === 'string' ? fromJson(content) : content
    return isJsonObject(inner) ? inner : undefined
  }

  return {
    begin,
    text: (piece) => tell(value.add(escapes?.add(piece) ?? piece)),
    exactText(piece) {
      endEscapes()
      tell(value.addExactly(piece))
    },
    end,
    set,
    size: () => values.size,
    declares,
    accepts: (name) => !fits || declares(name),
    wraps,
    ending() {
      for (const name of again) tellValue(name, values.get(name) ?? null)
      const json = JSON.stringify(wrapped() ?? Object.fromEntries(values))
      return { json, repairs, streamed }
    },
  }
}
