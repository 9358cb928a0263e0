/** Schemas with what they refer to and what they are composed of put in place. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { JsonSchema } from '../../core/model.ts'
import { mergeSchemas } from '../schema-merge.ts'

/** References that lead to references: more are no schema that anybody writes. */
const MAX_CHAIN = 100

export interface References {
  /**
   * The schema without `$ref` and `allOf`, and the references that hold inside it. Undefined, and told,
   * when it refers to itself or to nothing.
   */
  follow(schema: JsonObject, tell: (loss: string) => void): Followed | undefined
}

export interface Followed {
  readonly schema: JsonObject
  readonly references: References
}

/** References into this document; `active` are those that led to where we are. */
export function createReferences(
  root: JsonSchema,
  active: ReadonlySet<string> = new Set(),
): References {
  function follow(schema: JsonObject, tell: (loss: string) => void): Followed | undefined {
    // Each is put together once, however many parts of the schema are made of it.
    const known = new Map<string, JsonObject | undefined>()
    const whole = compose(schema, active)
    return whole && { schema: whole, references: createReferences(root, union(active, known)) }

    function compose(one: JsonObject, above: ReadonlySet<string>): JsonObject | undefined {
      const { $ref, allOf, ...own } = one as Record<string, JsonValue> & JsonObject
      const members = Array.isArray(allOf) ? allOf.filter(isJsonObject) : []
      const pieces = members.map((member) => compose(member, above))
      if (typeof $ref === 'string') pieces.unshift(resolve($ref, above))
      const found = pieces.filter((piece) => piece !== undefined)
      if (found.length === 0 && pieces.length > 0) return undefined
      return found.length === 0 ? own : mergeSchemas([own, ...found], tell)
    }

    function resolve(pointer: string, above: ReadonlySet<string>): JsonObject | undefined {
      if (known.has(pointer)) return known.get(pointer)
      const isCircle = above.has(pointer)
      const isTooFar = above.size - active.size >= MAX_CHAIN
      const isFollowed = !isCircle && !isTooFar && pointer.startsWith('#')
      const target = isFollowed ? locate(root, pointer.slice(1)) : undefined
      if (!isJsonObject(target)) {
        const what = isCircle ? 'itself' : isTooFar ? 'too many others' : 'nothing'
        tell(`${pointer} refers to ${what}; any object is allowed instead`)
        return undefined
      }
      const found = compose(target, new Set([...above, pointer]))
      known.set(pointer, found)
      return found
    }
  }

  return { follow }
}

function union(one: ReadonlySet<string>, other: ReadonlyMap<string, unknown>): Set<string> {
  return new Set([...one, ...other.keys()])
}

function locate(root: JsonSchema, pointer: string): JsonValue | undefined {
  const steps = pointer.split('/').slice(1).map(unescapeStep)
  return steps.reduce<JsonValue | undefined>((inner, step) => {
    if (Array.isArray(inner)) return inner[Number(step)]
    return isJsonObject(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined
  }, root)
}

function unescapeStep(step: string): string {
  const plain = step.replace(/~1/g, '/').replace(/~0/g, '~')
  return plain.includes('%') ? decodeSafely(plain) : plain
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
