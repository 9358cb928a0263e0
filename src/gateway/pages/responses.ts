/**
 * Replies of the Responses API that clients ask for again: those that are kept here, and those that a provider keeps
 * which speaks this API itself. Each is there for whoever has the key that it was asked with, and nobody else.
 */
import { withKeys } from '../../client/key-pool.ts'
import { parsed } from '../../client/parsed.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { readAll } from '../byte-source.ts'
import { openaiResponsesEndpoint } from '../endpoints/openai-responses.ts'
import { GatewayError } from '../gateway-error.ts'
import type { GatewayReply } from '../http.ts'
import { decodedName } from '../model-names.ts'
import { refusal } from '../pass-lane.ts'
import { shownName } from '../shown-text.ts'
import type { DirectRequest, Target } from '../target.ts'
import type { KeptReply } from '../turn-memory.ts'
import { chainFor, json, type PageVisit } from './page.ts'
import { estimate, tokensIn } from './token-count.ts'

type KeptHere = Extract<KeptReply, { readonly head: JsonObject }>

/** What is asked of a provider about a reply that it keeps. */
type Asked = Pick<DirectRequest, 'method'> & { readonly suffix: string }

/** The answer from what is kept here, or else the answer of the provider that keeps the reply. */
async function answerAbout(
  visit: PageVisit,
  asked: Asked,
  own: (kept: KeptHere, id: string) => GatewayReply | Promise<GatewayReply>,
): Promise<GatewayReply> {
  const { client, match, turns } = visit
  const id = decodedName(match[1] ?? '')
  const kept = await turns.findReply(client, id)
  if (!kept) throw unknownResponse(id)
  if ('head' in kept) return own(kept, id)
  const target = keeperOf(visit, kept)
  if (!target) throw unknownResponse(id)
  const suffix = `/${encodeURIComponent(id)}${asked.suffix}`
  return askKeeper(visit, target, { ...asked, suffix: suffix + queryOf(visit) })
}

/** The first sentence is OpenAI's own. */
function unknownResponse(id: string): GatewayError {
  const message =
    `Response with id '${shownName(id)}' not found. A gateway knows the replies that this key has asked for and ` +
    'that were not sent with "store": false, for about a day.'
  return new GatewayError('unknown_response', message)
}

/** The provider, as long as the name that was asked leads to it and the key may use the name. */
function keeperOf(
  { directory, key }: PageVisit,
  { model, provider, upstream }: Exclude<KeptReply, KeptHere>,
): Target | undefined {
  const chain = directory.find(model, key)
  const targets = chain.members.map(({ client }) => chain.targetOf(client))
  return targets.find(({ name, model: own }) => name === provider && own === upstream)
}

/** The query without the key of the gateway, which is for nobody else. */
function queryOf({ query }: PageVisit): string {
  const passed = new URLSearchParams(query)
  passed.delete('key')
  return passed.size > 0 ? `?${passed}` : ''
}

/** Answers are as long as replies with what they answer, which have limits of their own. */
const MAX_BYTES = 64 * 1024 * 1024

function askKeeper(
  { signal }: PageVisit,
  target: Target,
  asked: Asked & { readonly body?: string },
): Promise<GatewayReply> {
  const { direct } = target
  return withKeys(direct.keys, async ({ slot }) => {
    const request = { body: undefined, streamed: false, slot, headers: {}, signal, ...asked }
    const reply = await direct.ask(request)
    if (reply.status < 200 || reply.status > 299) throw await refusal(reply, target)
    const bytes = await readAll(reply.body, MAX_BYTES)
    return { status: 200, headers: { 'content-type': 'application/json' }, body: bytes }
  })
}

/** `GET /v1/responses/{id}` */
export function responsePage(visit: PageVisit): Promise<GatewayReply> {
  return answerAbout(visit, { method: 'GET', suffix: '' }, ({ head, output }) => {
    if (visit.query.get('stream') === 'true') {
      throw new GatewayError('invalid_request', NO_STREAM, undefined, 'stream')
    }
    return json({ ...head, output: [...output] })
  })
}

const NO_STREAM = 'the reply is complete and is not streamed again; ask for it without "stream"'

/** `DELETE /v1/responses/{id}` */
export function deletePage(visit: PageVisit): Promise<GatewayReply> {
  return answerAbout(visit, { method: 'DELETE', suffix: '' }, async (_, id) => {
    await visit.turns.forgetReply(visit.client, id)
    return json({ id, object: 'response', deleted: true })
  })
}

/** `POST /v1/responses/{id}/cancel` */
export function cancelPage(visit: PageVisit): Promise<GatewayReply> {
  return answerAbout(visit, { method: 'POST', suffix: '/cancel' }, () => {
    throw new GatewayError('invalid_request', NOTHING_TO_CANCEL)
  })
}

const NOTHING_TO_CANCEL = 'Only responses created with "background": true can be cancelled.'

/** `GET /v1/responses/{id}/input_items` */
export function inputPage(visit: PageVisit): Promise<GatewayReply> {
  return answerAbout(visit, { method: 'GET', suffix: '/input_items' }, ({ input }, id) =>
    json(
      listPage(
        input.flatMap((item, at) => inputItem(item, `${id}_${at}`)),
        visit.query,
      ),
    ),
  )
}

/** An item as the API lists them: with an id, and with content in parts. */
function inputItem(item: JsonValue, id: string): JsonObject[] {
  if (!isJsonObject(item)) return []
  const { type = 'message', content } = item
  const isText = type === 'message' && typeof content === 'string'
  const part = item['role'] === 'assistant' ? 'output_text' : 'input_text'
  const parts = isText ? [{ type: part, text: content }] : content
  return [{ id: `item_${id}`, ...item, type, ...(parts !== undefined && { content: parts }) }]
}

const PAGE_LENGTH = { usual: 20, most: 100 }

/** One page of a list, the newest first unless another order is asked for. */
function listPage(items: readonly JsonObject[], query: URLSearchParams): JsonObject {
  const ordered = query.get('order') === 'asc' ? items : items.toReversed()
  const after = ordered.findIndex(({ id }) => id === query.get('after'))
  const limit = Number(query.get('limit') ?? PAGE_LENGTH.usual)
  const length = limit >= 1 ? Math.min(limit, PAGE_LENGTH.most) : PAGE_LENGTH.usual
  const data = ordered.slice(after + 1, after + 1 + length)
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: after + 1 + data.length < ordered.length,
  }
}

/** `POST /v1/responses/input_tokens`: counted by the provider, or estimated where it cannot say. */
export async function countResponsePage(visit: PageVisit): Promise<GatewayReply> {
  const { body } = visit
  const { model } = body
  const target = typeof model === 'string' ? firstTarget(await chainFor(visit, model)) : undefined
  if (target && countsItself(target, body)) {
    const sent = JSON.stringify({ ...target.direct.defaults, ...body, model: target.model })
    const counted = await askKeeper(visit, target, {
      method: 'POST',
      suffix: '/input_tokens',
      body: sent,
    }).catch(() => undefined)
    if (counted && isCount(counted)) return counted
  }
  const { input = '', instructions = '', tools = [] } = body
  const counted = tokensIn([...(await earlierItems(visit)), input, instructions, tools])
  return estimate({ object: 'response.input_tokens', input_tokens: counted })
}

function firstTarget({
  members,
  targetOf,
}: ReturnType<PageVisit['directory']['find']>): Target | undefined {
  const [first] = members
  return first && targetOf(first.client)
}

function countsItself(target: Target, body: JsonObject): boolean {
  const { dialect } = openaiResponsesEndpoint
  const kinds = dialect.toolKindsIn?.(body) ?? []
  return target.dialect === dialect.id && kinds.every((kind) => target.toolKinds.includes(kind))
}

function isCount({ body }: GatewayReply): boolean {
  const value = body instanceof Uint8Array ? parsed(new TextDecoder().decode(body)) : undefined
  return isJsonObject(value) && typeof value['input_tokens'] === 'number'
}

/** What the body only refers to. */
async function earlierItems({ body, client, turns }: PageVisit): Promise<readonly JsonValue[]> {
  const { previous_response_id: id } = body
  const kept = typeof id === 'string' ? await turns.findReply(client, id) : undefined
  return kept && 'head' in kept ? [...kept.input, ...kept.output] : []
}
