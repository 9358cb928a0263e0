/** Arguments that a model put beside the name of the tool, or under a key of its own. */
import { parseObject } from '../json/strict.ts'
import type { JsonSchema } from '../model.ts'
import { isDeclared } from './property-name.ts'

/** Undefined when nothing of what was said is an argument. */
export function gatherArguments(
  schema: JsonSchema,
  said: ReadonlyMap<string, string>,
): string | undefined {
  const hasDeclared = (keys: readonly string[]) => keys.some((key) => isDeclared(schema, key))
  if (!hasDeclared([...said.keys()])) {
    return [...said.values()].find((json) => hasDeclared(Object.keys(parseObject(json) ?? {})))
  }
  const others = [...said].filter(([key]) => key !== 'type' || isDeclared(schema, key))
  return `{${others.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join()}}`
}
