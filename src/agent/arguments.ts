/** Arguments as the tool wants them, or what is wrong with them. */
import type { Issue } from '../core/issue.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import type { ToolCall } from '../core/model.ts'
import { coerce } from '../core/schema/coerce.ts'
import { clip } from '../core/schema/flaw.ts'
import { createPatterns, type Patterns } from '../core/schema/pattern.ts'
import { formatViolations, type Violation, validate } from '../core/schema/validate.ts'
import type { StandardIssue } from '../core/standard-schema.ts'
import type { RunnableTool } from '../tool.ts'

type CheckedArguments =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly message: string }

/** Brings arguments into the types of the schema, then checks them by it and by the schema's own library. */
export async function checkArguments(
  tool: RunnableTool,
  args: JsonObject,
  patterns: Patterns = createPatterns(),
): Promise<CheckedArguments> {
  const { value } = coerce(args, tool.inputSchema)
  const violations = validate(value, tool.inputSchema, patterns)
  if (violations.length > 0) return invalid(violations)
  return tool.check ? checkByLibrary(tool, value) : { ok: true, input: value }
}

/** What a check had to leave out, as the patterns it was given know afterwards. */
export function uncheckedPatterns({ unknown }: Patterns, { id, name }: ToolCall): Issue[] {
  const reason = 'it is no regular expression, refers back to groups, or takes too long'
  return Array.from(unknown, (source) => ({
    code: 'unchecked-pattern',
    message: `the pattern ${clip(source)} was not checked: ${reason}`,
    name,
    callId: id,
  }))
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
