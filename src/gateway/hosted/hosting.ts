/** Which tools the gateway runs for a question, and at which target. */
import type { ChatRequest } from '../../core/chat.ts'
import type { ServiceFeature } from '../../core/dialect.ts'
import type { Issue } from '../../core/issue.ts'
import { noteIssues, type Question } from '../question.ts'
import type { Target } from '../target.ts'
import { hostedClient } from './hosted-client.ts'
import type { HostedTool, HostedWish } from './hosted-tool.ts'
import { toolSearchTool } from './tool-search.ts'
import { webSearchTool } from './web-search.ts'

/** True when the target cannot read the question as the client has written it. */
export function needsHosting(question: Question, target: Target): boolean {
  const { endpoint, body } = question
  const { hosted } = endpoint
  if (!hosted) return false
  const isLacking = lacksOf(question, target)
  if (hosted.wishes(body).some(({ feature }) => isLacking(feature))) return true
  return isLacking('web-search') && hosted.hasCalls(body)
}

function lacksOf(
  { endpoint }: Pick<Question, 'endpoint'>,
  { dialect, direct }: Target,
): (feature: ServiceFeature) => boolean {
  return (feature) => endpoint.dialect.id !== dialect || direct.lacks.includes(feature)
}

/** The request and the client to ask with, when the gateway runs some of the tools. */
export function withHosting(
  question: Question,
  target: Target,
  request: ChatRequest,
): { readonly request: ChatRequest; readonly client: Target['client'] } {
  const { endpoint, body, signal, report } = question
  const { hosted: form } = endpoint
  if (!form || !needsHosting(question, target)) return { request, client: target.client }
  const isLacking = lacksOf(question, target)
  const wishes = form.wishes(body).filter(({ feature }) => isLacking(feature))
  const ownNames = new Set((request.tools ?? []).map(({ name }) => name))
  const tools = wishes
    .filter(({ name }) => !ownNames.has(name))
    .map((wish) => toolFor(wish, question, request))
  if (wishes.some(({ feature }) => feature === 'web-search') && !question.searchWeb) {
    noteIssues(report, [NO_BACKEND])
  }
  const lowered = form.lower(request)
  if (tools.length === 0) return { request: lowered, client: target.client }
  return { request: lowered, client: hostedClient(target.client, { form, tools, signal }) }
}

const NO_BACKEND: Issue = {
  code: 'not-expressible',
  message: 'nobody can search the web for this model: set `webSearch` in the configuration',
  fields: ['tools.web_search'],
}

function toolFor(wish: HostedWish, question: Question, request: ChatRequest): HostedTool {
  if (wish.feature === 'web-search') return webSearchTool(wish, question.searchWeb)
  return toolSearchTool(wish, question.endpoint.hosted?.heldTools(request) ?? [])
}
