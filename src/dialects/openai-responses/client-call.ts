/**
 * Items that ask the client to act but are no function calls. Read as calls to a tool of that name, so
 * that they are answered like all others; `provider.type` remembers what they were.
 */
import { parseObject } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'

/** The field that tells what is to be done. */
const INPUT_FIELDS: Readonly<Record<string, string>> = {
  apply_patch_call: 'operation',
  local_shell_call: 'action',
  computer_call: 'action',
  tool_search_call: 'arguments',
}

/** The body with all calls for the client in the form of function calls; the same one if they are. */
export function withClientCalls(body: unknown): unknown {
  if (!isJsonObject(body) || !Array.isArray(body['output'])) return body
  const declared = namesOf(objectsIn(body['tools']))
  const output = objectsIn(body['output'])
  const calls = output.flatMap((item) => asFunctionCalls(item, declared))
  const isSame = calls.length === output.length && calls.every((item, at) => item === output[at])
  return isSame ? body : { ...body, output: calls }
}

/** The function calls that an item stands for; any other item as it is. */
export function asFunctionCalls(item: JsonObject, declared?: ReadonlySet<string>): JsonObject[] {
  const expanded = expandParallel(item, declared)
  if (expanded) return expanded
  const { type, call_id: callId, id } = item as Record<string, JsonValue>
  if (typeof type !== 'string' || !isClientRun(item)) return [item]
  const input = item[INPUT_FIELDS[type] ?? ''] ?? item['actions']
  return [
    {
      type: 'function_call',
      call_id: callId ?? id ?? null,
      name: type,
      arguments: Array.isArray(input) ? { actions: input } : (input ?? null),
      provider: { type },
    },
  ]
}

/** True for items of the provider's own tools that run on the client's side. */
function isClientRun({ type, execution }: JsonObject): boolean {
  if (typeof type !== 'string' || !isClientRunType(type)) return false
  return type !== 'tool_search_call' || execution === 'client'
}

/** True for types of such items. */
export function isClientRunType(type: string): boolean {
  return Object.hasOwn(INPUT_FIELDS, type)
}

/** The item that such a call was. */
export function clientRunItem(
  type: string,
  callId: string,
  args: JsonObject,
): JsonObject | undefined {
  const field = INPUT_FIELDS[type]
  if (field === undefined) return undefined
  return {
    type,
    call_id: callId,
    ...(type === 'tool_search_call' && { execution: 'client' }),
    status: 'completed',
    [field]: args,
  }
}

const PARALLEL: ReadonlySet<unknown> = new Set(['parallel', 'multi_tool_use.parallel'])

/** True for a call to a tool that models know from their training, where nobody offered it. */
export function isLeakedParallel(name: unknown, declared?: ReadonlySet<string>): boolean {
  return PARALLEL.has(name) && !declared?.has(String(name))
}

/**
 * The calls inside `{"tool_uses": [{"recipient_name": "functions.x", "parameters": {}}]}`, when all of
 * them are to tools that were offered.
 */
function expandParallel(
  item: JsonObject,
  declared?: ReadonlySet<string>,
): JsonObject[] | undefined {
  const { type, name, call_id: id, arguments: args } = item as Record<string, JsonValue>
  if (type !== 'function_call' || !isLeakedParallel(name, declared)) return undefined
  const uses = typeof args === 'string' ? parseObject(args)?.['tool_uses'] : undefined
  if (!Array.isArray(uses) || uses.length === 0 || !declared) return undefined
  const calls = uses.map((use, at) => calledBy(use, `${id}_${at}`, declared))
  return calls.every((call) => call !== undefined)
    ? calls.map((call) => ({ ...call, provider: { parallel: id ?? null } }))
    : undefined
}

function calledBy(
  use: JsonValue,
  id: string,
  declared: ReadonlySet<string>,
): JsonObject | undefined {
  if (!isJsonObject(use)) return undefined
  const { recipient_name: recipient, parameters = {} } = use as Record<string, JsonValue>
  const name = typeof recipient === 'string' ? recipient.replace(/^functions\./, '') : ''
  if (!declared.has(name) || !isJsonObject(parameters)) return undefined
  return { type: 'function_call', call_id: id, name, arguments: JSON.stringify(parameters) }
}

/** The names that may be called, also those inside namespaces. */
export function namesOf(tools: readonly JsonObject[]): ReadonlySet<string> {
  const names = tools.flatMap(({ name, tools: inner }) => [
    name,
    ...objectsIn(inner).map((tool) => tool['name']),
  ])
  return new Set(names.filter((name) => typeof name === 'string'))
}
