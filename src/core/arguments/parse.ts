/** The arguments that a text spells, converted to the types of a schema. */
import { checkText } from '../caller-input.ts'
import type { Issue, Repair } from '../issue.ts'
import type { JsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { schemaFit } from '../schema/fit.ts'
import { readSpelled } from './spelled.ts'

export interface ParsedArguments {
  readonly arguments: JsonObject
  readonly repairs: Repair[]
  readonly issues: Issue[]
}

/** Never throws; the result is always a plain object. */
export function parseArguments(text: string, schema?: JsonSchema): ParsedArguments {
  checkText('arguments', text)
  const spelled = readSpelled(text, schema, schemaFit)
  if (schema === undefined) return { ...spelled, repairs: [...spelled.repairs], issues: [] }
  const { value, repairs, issues } = schemaFit.fit(spelled.arguments, schema, spelled.repairs)
  return { arguments: value, repairs: [...repairs], issues: [...issues] }
}
