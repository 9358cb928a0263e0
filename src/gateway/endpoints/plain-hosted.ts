/**
 * The search of the web for APIs that, unlike Anthropic's, can do without anything about it in a reply: the text of
 * the model says what was found.
 *
 *     {"type": "web_search"}                    OpenAI Responses
 *     {"googleSearch": {}}                      Gemini
 */
import type { ChatRequest } from '../../core/chat.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../../dialects/history-call.ts'
import type { HostedForm, WebSearchWish } from '../hosted/hosted-tool.ts'

const NAME = 'web_search'

export const responsesHosted: HostedForm = plainForm('openai-responses', (tool) => {
  const {
    type,
    filters,
    external_web_access: access,
  } = tool as Record<string, JsonValue | undefined>
  // Codex asks by default for pages that OpenAI has stored, and for nothing else.
  if (!/^web_search(?:_|$)/.test(String(type)) || access === false) return undefined
  const { allowed_domains: allowed } = isJsonObject(filters) ? filters : {}
  return { feature: 'web-search', name: NAME, allowed: textsIn(allowed) }
})

export const geminiHosted: HostedForm = plainForm('gemini', (tool) => {
  const search = tool['googleSearch'] ?? tool['google_search']
  if (!isJsonObject(search)) return undefined
  const blocked = search['excludeDomains'] ?? search['exclude_domains']
  return { feature: 'web-search', name: NAME, blocked: textsIn(blocked) }
})

function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function plainForm(
  dialect: string,
  wishIn: (tool: JsonObject) => WebSearchWish | undefined,
): HostedForm {
  function lower(request: ChatRequest): ChatRequest {
    const { extra = {} } = request
    const { tools, ...fields } = extra[dialect] ?? {}
    const others = objectsIn(tools).filter((tool) => !wishIn(tool))
    const own = { ...fields, ...(others.length > 0 && { tools: others }) }
    return { ...request, extra: { ...extra, [dialect]: own } }
  }

  return {
    // Another entry of the same kind says nothing new.
    wishes: ({ tools }) =>
      objectsIn(tools)
        .flatMap((tool) => wishIn(tool) ?? [])
        .slice(0, 1),
    hasCalls: () => false,
    heldTools: () => [],
    lower,
    callExtra: () => ({}),
    resultExtra: () => ({}),
    reply: () => ({}),
    usage: () => ({}),
  }
}
