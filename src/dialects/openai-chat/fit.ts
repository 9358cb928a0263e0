/**
 * A body of OpenAI's chat dialect as a service takes it that differs from OpenAI. Encoded requests and requests
 * that a client has written itself go through here. What the service takes as it is stays as it came.
 */
import type { EncodeOptions, Quirks } from '../../core/dialect.ts'
import type { Issue } from '../../core/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { fitSystemMessages } from '../history/wire-talk.ts'
import { fitSettings } from '../request-fields.ts'
import { schemaWithout } from '../tool-definition.ts'
import { resultText } from '../tool-result.ts'
import { decodeContent } from './content.ts'
import { withoutHealing } from './plugins.ts'
import { reasoningAs, withoutReasoning } from './reasoning-field.ts'
import { SERVICE_SETTINGS, SETTINGS } from './settings.ts'

type Report = ((issue: Issue) => void) | undefined
type Fit = (body: JsonObject, quirks: Quirks, report: Report) => JsonObject

const FITS: readonly Fit[] = [
  fitPlugins,
  fitLimit,
  fitFields,
  fitSwitches,
  fitTools,
  fitChoice,
  fitMessages,
]

export function fitRequest(body: JsonObject, { quirks, report }: EncodeOptions): JsonObject {
  if (!quirks) return body
  return FITS.reduce((fitted, fit) => fit(fitted, quirks, report), body)
}

function fitPlugins(body: JsonObject, { plugins = false }: Quirks): JsonObject {
  return plugins ? body : withoutHealing(body)
}

const LIMITS = ['max_completion_tokens', 'max_tokens'] as const

/** The limit of a reply under the name that the service knows; the newer name counts where a body has both. */
function fitLimit(body: JsonObject, { maxTokensField: field }: Quirks): JsonObject {
  const given = LIMITS.find((name) => body[name] !== undefined && body[name] !== null)
  if (!field || given === undefined || !LIMITS.some((name) => name !== field && name in body)) {
    return body
  }
  return renamed(body, given, field)
}

/** The field under another name, in its place, and nothing else under that name or the old one. */
function renamed(body: JsonObject, from: string, to: string): JsonObject {
  const kept = Object.entries(body).filter(([name]) => name === from || !isLimit(name))
  return Object.fromEntries(kept.map(([name, value]) => [name === from ? to : name, value]))
}

function isLimit(name: string): boolean {
  return LIMITS.some((limit) => limit === name)
}

const PLACES = { ...SETTINGS, ...SERVICE_SETTINGS }

function fitFields(body: JsonObject, quirks: Quirks, report: Report): JsonObject {
  return fitSettings(body, PLACES, { quirks, report })
}

function fitSwitches(body: JsonObject, { parallel, streamUsage }: Quirks): JsonObject {
  const refused = [
    ...(parallel === false ? ['parallel_tool_calls'] : []),
    ...(streamUsage === false ? ['stream_options'] : []),
  ]
  return without(body, refused)
}

function without(body: JsonObject, names: readonly string[]): JsonObject {
  if (!names.some((name) => name in body)) return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

function fitTools(body: JsonObject, { strict, schemaWithout: refused = [] }: Quirks): JsonObject {
  if (strict !== false && refused.length === 0) return body
  return withList(body, 'tools', (tool) => {
    const { function: definition } = tool
    if (!isJsonObject(definition)) return tool
    const plain = strict === false ? without(definition, ['strict']) : definition
    const { parameters } = plain
    if (refused.length === 0 || !isJsonObject(parameters)) {
      return plain === definition ? tool : { ...tool, function: plain }
    }
    return { ...tool, function: { ...plain, parameters: schemaWithout(parameters, refused) } }
  })
}

function fitChoice(body: JsonObject, { toolChoices }: Quirks, report: Report): JsonObject {
  const { tool_choice: choice } = body as Record<string, JsonValue | undefined>
  if (!toolChoices || choice === undefined) return body
  const kind = typeof choice === 'string' ? choice : 'named'
  if (toolChoices.some((known) => known === kind)) return body
  report?.(noChoice(kind))
  // What must not be called is not offered.
  return without(body, kind === 'none' ? ['tool_choice', 'tools'] : ['tool_choice'])
}

/** What is said of a choice of tools that the service does not have. */
export function noChoice(kind: string): Issue {
  const message = `the service has no \`tool_choice\` ${kind}`
  return { code: 'not-expressible', message, fields: ['tool_choice'] }
}

function fitMessages(body: JsonObject, quirks: Quirks, report: Report): JsonObject {
  const fitted = withList(body, 'messages', (message) => fitMessage(message, quirks, report))
  if (quirks.systemMessages !== 'first') return fitted
  return fitSystemMessages(fitted, 'messages', report)
}

function fitMessage(message: JsonObject, quirks: Quirks, report: Report): JsonObject {
  const { role } = message
  const { developerRole, reasoningField, textContent = false } = quirks
  const named =
    role === 'developer' && developerRole === false ? { ...message, role: 'system' } : message
  const plain = textContent ? asText(named, report) : named
  if (role !== 'assistant' || reasoningField === undefined) return plain
  return reasoningField === false ? withoutReasoning(plain) : reasoningAs(plain, reasoningField)
}

/** The message with one text in place of parts. */
function asText(message: JsonObject, report: Report): JsonObject {
  const { content } = message
  if (!Array.isArray(content)) return message
  const parts = decodeContent(content)
  if (typeof parts !== 'string' && parts.some(({ type }) => type !== 'text')) report?.(TEXT_ONLY)
  return { ...message, content: resultText({ content: parts }) }
}

export const TEXT_ONLY: Issue = {
  code: 'not-expressible',
  message: 'the service takes text only: parts of `content` were left out',
  fields: ['content'],
}

/** The body with each object of a list changed; the body itself when none of them was. */
function withList(
  body: JsonObject,
  name: string,
  change: (item: JsonObject) => JsonObject,
): JsonObject {
  const list = body[name]
  if (!Array.isArray(list)) return body
  const changed = list.map((item) => (isJsonObject(item) ? change(item) : item))
  return changed.every((item, at) => item === list[at]) ? body : { ...body, [name]: changed }
}
