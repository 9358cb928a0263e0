/** Arguments as the tool wants them, or what is wrong with them. */
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import { coerce } from '../core/schema/coerce.ts'
import { formatViolations, type Violation, validate } from '../core/schema/validate.ts'
import type { StandardIssue } from '../core/standard-schema.ts'
import type { RunnableTool } from '../tool.ts'

export type CheckedArguments =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly message: string }

/** Brings arguments into the types of the schema, then checks them by it and by the schema's own library. */
export async function checkArguments(
  tool: RunnableTool,
  args: JsonObject,
): Promise<CheckedArguments> {
  const { value } = coerce(args, tool.inputSchema)
  const violations = validate(value, tool.inputSchema)
  if (violations.length > 0) return invalid(violations)
  return tool.check ? checkByLibrary(tool, value) : { ok: true, input: value }
}

async function checkByLibrary(tool: RunnableTool, value: JsonValue): Promise<CheckedArguments> {
  const checked = await tool.check?.(value)
  if (!checked?.issues) return { ok: true, input: checked?.value }
  return invalid(checked.issues.map(asViolation))
}

/** What a library says, in our words. */
export function asViolation({ path = [], message }: StandardIssue): Violation {
  const keys = path.map((step) => (typeof step === 'object' ? step.key : step))
  return { path: keys.map((key) => (typeof key === 'number' ? key : String(key))), message }
}

function invalid(violations: readonly Violation[]): CheckedArguments {
  return { ok: false, message: `invalid arguments: ${formatViolations(violations)}` }
}
