/** From what a provider says to the kind of error it is: status and code before text. */
import type { StreamFailure } from '../core/chat.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { objectsIn } from '../dialects/history-call.ts'
import { type ContextOverflow, overflowIn, readOverflow } from './context-overflow.ts'
import { ProviderError, type ProviderErrorCode, type ProviderErrorFields } from './errors.ts'
import { type ReadHeaders, retryAfterMs, shouldRetry } from './retry-after.ts'

/** What is known of a failed request. */
export interface FailedReply {
  readonly status?: number | undefined
  readonly headers?: ReadHeaders | undefined
  /** The body: parsed when it was JSON, the text otherwise. */
  readonly body?: unknown
}

export interface FailureContext extends Pick<ProviderErrorFields, 'provider' | 'model' | 'cause'> {
  /** Milliseconds since 1970; the clock when left out. */
  readonly now?: number
}

/** An answer that is no reply, as an error. */
export function classify(reply: FailedReply, context: FailureContext = {}): ProviderError {
  const { now = Date.now(), ...others } = context
  const { status: given, headers, body } = reply
  const told = readBody(body)
  const status = statusOf(given, told)
  const type = headers?.get('x-amzn-errortype')?.replace(/:.*/, '')
  const codes = [...told.codes, ...(type ? [type] : [])]
  const code = codeOf(status, codes, told.message)
  const limited = code === 'rate_limited'
  const wait = retryAfterMs({ headers, body, message: told.message, now, limited })
  return new ProviderError(code, messageOf(status, told.message), {
    ...others,
    status,
    providerCode: codes[0],
    requestId: requestIdOf(headers, body),
    retryAfterMs: MAY_WAIT.has(code) ? wait : undefined,
    retryable: shouldRetry(headers) ?? (isModelFault(codes) ? true : undefined),
    overflow: overflowOf(code, told),
  })
}

function overflowOf(code: ProviderErrorCode, told: Told): ContextOverflow | undefined {
  if (code !== 'context_length_exceeded') return undefined
  return { ...readOverflow(told.message), ...told.counts }
}

/** A failure inside a stream, as an error. */
export function classifyFailure(
  failure: StreamFailure,
  context: FailureContext = {},
): ProviderError {
  const { message, code, status } = failure
  const { now = Date.now(), ...others } = context
  const codes = code === undefined ? [] : [code]
  const kind = codeOf(status, codes, message)
  return new ProviderError(kind, messageOf(status, message), {
    ...others,
    status,
    providerCode: code,
    retryAfterMs: MAY_WAIT.has(kind) ? retryAfterMs({ message, now, limited: false }) : undefined,
    retryable: isModelFault(codes) ? true : undefined,
    overflow: overflowOf(kind, { message, codes }),
  })
}

/** True when a body reports a failure, whatever the status says. */
export function reportsFailure(body: unknown): boolean {
  const { codes, message } = readBody(body)
  return codes.length > 0 || message !== ''
}

const MAY_WAIT: ReadonlySet<ProviderErrorCode> = new Set([
  'rate_limited',
  'overloaded',
  'quota_exhausted',
  'server_error',
  'timeout',
])

/** Longest part of a provider's words in a message of ours. */
const MAX_MESSAGE = 200

function messageOf(status: number | undefined, told: string): string {
  const line = told.replace(/\s+/g, ' ').trim()
  const short = line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE - 1)}…` : line
  const prefix = status === undefined ? '' : `status ${status}`
  return [prefix, short].filter((part) => part !== '').join(': ') || 'the provider failed'
}

// ── what the body says ──────────────────────────────────────────────────────────────────────────

interface Told {
  readonly message: string
  /** The provider's own words for the kind of failure, the most telling first. */
  readonly codes: readonly string[]
  /** A status inside the body. */
  readonly status?: number
  /** Numbers of tokens in fields of their own. */
  readonly counts?: ContextOverflow
}

const NOTHING: Told = { message: '', codes: [] }

function readBody(body: unknown): Told {
  if (typeof body === 'string') return { ...NOTHING, message: isMarkup(body) ? '' : body }
  const [whole] = Array.isArray(body) ? body : [body]
  if (!isJsonObject(whole)) return NOTHING
  const { error, base_resp: base, detail } = whole as Fields
  if (isJsonObject(error)) return readError(error)
  if (typeof error === 'string') return { ...readFlat(whole), message: error }
  if (isJsonObject(base)) return readBase(base)
  if (detail !== undefined) return { ...NOTHING, message: textOf(detail) }
  return 'choices' in whole ? NOTHING : readFlat(whole)
}

type Fields = Readonly<Record<string, JsonValue | undefined>>

/** `{error: {message, type, code}}`, of most; `code` is a number with Google and OpenRouter. */
function readError(error: JsonObject): Told {
  const { message, code, type, status, details } = error as Fields
  const inner = [
    ...(isJsonObject(details) ? [details['error_code']] : []),
    ...objectsIn(details).flatMap(detailWords),
  ]
  const number = [code, status].find((one) => typeof one === 'number')
  return {
    message: textOf(message ?? error['msg']),
    codes: [...inner, code, type, status].filter(isWord),
    ...(typeof number === 'number' && { status: number }),
    counts: overflowIn(error),
  }
}

/** What Google says in the details: the reason, and which quota it was. */
function detailWords({ reason, violations }: JsonObject): (JsonValue | undefined)[] {
  const quotas = objectsIn(violations).map((violation) => violation['quotaId'])
  return [reason, ...quotas.filter((quota) => typeof quota === 'string' && /PerDay/.test(quota))]
}

/** MiniMax: `{base_resp: {status_code, status_msg}}`, also with status 200. */
function readBase({ status_code: code, status_msg: message }: Fields): Told {
  if (code === 0 || code === undefined) return NOTHING
  return { message: textOf(message), codes: [`minimax-${String(code)}`] }
}

/** `{message}`, `{object: "error", …}`, `{code, …}`. */
function readFlat(body: JsonObject): Told {
  const { message, Message: other, code, type, __type: aws } = body as Fields
  if (isJsonObject(message)) return NOTHING
  const words = [aws, code, type].filter(isWord).map((word) => word.replace(/^.*#/, ''))
  return {
    message: textOf(message ?? other),
    codes: words.filter((word) => word !== 'error' && word !== 'message'),
    ...(typeof code === 'number' && { status: code }),
  }
}

function isWord(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

function isMarkup(text: string): boolean {
  return /^\s*<(?:!doctype|html)/i.test(text)
}

/** Services behind others repeat the status in the body; a 200 or a gateway's 5xx tells less than that. */
function statusOf(given: number | undefined, { status }: Told): number | undefined {
  if (status === undefined || status < 400 || status > 599) return given
  return given === undefined || given < 400 || given >= 500 ? status : given
}

const REQUEST_IDS = [
  'x-request-id',
  'request-id',
  'x-amzn-requestid',
  'x-ms-request-id',
  'apim-request-id',
  'x-github-request-id',
] as const

function requestIdOf(headers: ReadHeaders | undefined, body: unknown): string | undefined {
  const found = REQUEST_IDS.map((name) => headers?.get(name)).find((id) => id)
  if (found) return found
  const id = isJsonObject(body) ? body['request_id'] : undefined
  return typeof id === 'string' ? id : undefined
}

// ── which kind it is ────────────────────────────────────────────────────────────────────────────

/** Words that leave no doubt, in lower case without separators, so that all spellings meet. */
const BY_CODE: Readonly<Record<ProviderErrorCode, string>> = {
  unauthorized:
    'invalidapikey authenticationerror permissionerror permissiondenied unauthenticated ' +
    'accessdeniedexception unrecognizedclientexception invalidsignatureexception apikeyinvalid ' +
    'expiredtokenexception incompletesignature missingauthenticationtoken invalidtoken unauthorized ' +
    'minimax1004 minimax2049',
  rate_limited:
    'ratelimitexceeded ratelimiterror ratelimitreached throttlingexception toomanyrequests ' +
    'toomanyrequestsexception resourceexhausted modelnotreadyexception ratelimited minimax1002',
  overloaded:
    'overloadederror overloaded serviceunavailableexception unavailable serviceunavailable ' +
    'modelstreamerrorexception modelerrorexception slowdown engineoverloadederror ' +
    'serverisoverloaded insufficientsystemresource minimax1039',
  quota_exhausted:
    'insufficientquota creditbalanceexhausted billingerror billinghardlimitreached ' +
    'billingnotactive enforcedspendlimitreached servicequotaexceededexception insufficientbalance ' +
    'exceededcurrentquotaerror quotaexceeded spendlimitreached failedprecondition minimax1008',
  context_length_exceeded:
    'contextlengthexceeded contextwindowexceeded modelcontextwindowexceeded requesttoolarge ' +
    'tokenslimitreached exceedcontextsizeerror maxtokensexceeded',
  bad_request:
    'stringabovemaxlength contentpolicyviolation invalidprompt contentfilter ' +
    'responsibleaipolicyviolation toolusefailed invalidfunctioncall minimax2013',
  not_found: 'modelnotfound notfounderror notfound resourcenotfoundexception deploymentnotfound',
  timeout: 'timeouterror deadlineexceeded modeltimeoutexception timeout requesttimeout',
  transport: 'truncatedstream',
  server_error:
    'servererror apierror internalservererror internalservererrorexception internal ' +
    'internalserverexception internalfailure minimax1000 minimax1001',
  unsupported: 'unsupportedapiformodel unimplemented notimplemented unsupportedmodel',
}

const CODES: ReadonlyMap<string, ProviderErrorCode> = new Map(
  Object.entries(BY_CODE).flatMap(([code, words]) =>
    // The keys are error codes; Object.entries only knows them as strings.
    words.split(' ').map((word) => [word, code as ProviderErrorCode] as const),
  ),
)

/** The model wrote a call that the service could not read: the next attempt may be better. */
function isModelFault(codes: readonly string[]): boolean {
  return codes.some((code) => spelled(code) === 'toolusefailed')
}

function spelled(code: string): string {
  return code.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function codeOf(
  status: number | undefined,
  codes: readonly string[],
  message: string,
): ProviderErrorCode {
  const byCode = codes.map(wordMeaning).filter((code) => code !== undefined)
  const sure = byCode.find((code) => !VAGUE.has(code)) ?? byCode[0]
  if (sure !== undefined) return refined(sure, message)
  const byStatus = status === undefined ? undefined : statusMeaning(status, message)
  return refined(byStatus ?? textMeaning(message) ?? 'server_error', message)
}

/** Kinds whose words are also used for something else that the same answer names. */
const VAGUE: ReadonlySet<ProviderErrorCode> = new Set(['rate_limited', 'server_error'])

function wordMeaning(code: string): ProviderErrorCode | undefined {
  return /PerDay/.test(code) ? 'quota_exhausted' : CODES.get(spelled(code))
}

const BY_STATUS: ReadonlyMap<number, ProviderErrorCode> = new Map([
  [401, 'unauthorized'],
  [402, 'quota_exhausted'],
  [403, 'unauthorized'],
  [404, 'not_found'],
  [408, 'timeout'],
  // Two requests met; the next one will not.
  [409, 'server_error'],
  [413, 'context_length_exceeded'],
  [424, 'overloaded'],
  [425, 'overloaded'],
  [429, 'rate_limited'],
  [499, 'transport'],
  [501, 'unsupported'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [522, 'timeout'],
  [524, 'timeout'],
  [529, 'overloaded'],
])

function statusMeaning(status: number, message: string): ProviderErrorCode | undefined {
  // A token that is not valid, or no room left for cheap requests.
  if (status === 498) return /capacity/i.test(message) ? 'overloaded' : 'unauthorized'
  const known = BY_STATUS.get(status)
  if (known !== undefined) return known
  if (status >= 500) return 'server_error'
  return status >= 400 ? 'bad_request' : undefined
}

/** Too vague as words of a status: the text says more. */
function refined(code: ProviderErrorCode, message: string): ProviderErrorCode {
  const finer = FINER[code]
  const meant = finer && textMeaning(message)
  return meant !== undefined && finer?.includes(meant) ? meant : code
}

/** What each kind may turn out to be. */
const FINER: Partial<Readonly<Record<ProviderErrorCode, readonly ProviderErrorCode[]>>> = {
  bad_request: [
    'context_length_exceeded',
    'unauthorized',
    'quota_exhausted',
    'unsupported',
    'not_found',
  ],
  not_found: ['unsupported'],
  unauthorized: ['quota_exhausted'],
  rate_limited: ['overloaded', 'quota_exhausted', 'context_length_exceeded'],
  server_error: ['context_length_exceeded', 'unsupported', 'overloaded', 'rate_limited'],
}

/** Sentences, the most telling first. */
const SENTENCES: readonly (readonly [RegExp, ProviderErrorCode])[] = [
  // "string too long … maximum length 40" is about an id, not about the conversation.
  [/string too long|string_above_max_length|above max(?:imum)? length/i, 'bad_request'],
  [
    /(?:does not|doesn't|don't) support (?:the )?(?:use of )?(?:tool|function)|(?:tools?|functions?|tool use|tool calling|function calling)(?: is| are|) not supported|not support(?:ed)? (?:for )?(?:tool|function)[ -](?:use|call)|no endpoints found that support tool|requires? --enable-auto-tool-choice|tools? param(?:eter)? requires? --jinja|tool[_ ]use is not enabled/i,
    'unsupported',
  ],
  [
    /maximum context length|context[ _-]?(?:length|window|size)|prompt is too long|input (?:is )?too long|max(?:imum)? tokens exceeded|input token count.{0,40}exceeds|maximum prompt length|reduce the length of the messages|maximum context|exceeded model token limit|exceeds? the limit of \d|too many (?:input )?tokens|maximum model length|max_new_tokens.{0,4} must be <=|prompt (?:has|contains) too many tokens|request too large|input length and `?max_tokens/i,
    'context_length_exceeded',
  ],
  [
    /insufficient (?:quota|balance|funds|credits?)|exceeded your current quota|credit balance|spend(?:ing)? limit|billing|payment required|out of credits/i,
    'quota_exhausted',
  ],
  [
    /(?:api[ _-]?key|token|credentials?).{0,40}(?:not valid|invalid|incorrect|expired|missing)|(?:invalid|incorrect|expired|missing).{0,20}(?:api[ _-]?key|credentials?)|unauthorized|security token/i,
    'unauthorized',
  ],
  [
    /overloaded|capacity (?:exceeded|reached)|at capacity|capacity exceeded|too busy/i,
    'overloaded',
  ],
  [/rate[ _-]?limit|too many requests|throttl/i, 'rate_limited'],
  [/timed? ?out|deadline exceeded/i, 'timeout'],
  [
    /(?:model|deployment).{0,80}(?:not found|does not exist|not exist)|unknown model|provided model identifier is invalid/i,
    'not_found',
  ],
]

function textMeaning(message: string): ProviderErrorCode | undefined {
  // Long bodies are pages or echoes of the request, which may speak of anything.
  const start = message.slice(0, 2000)
  return SENTENCES.find(([pattern]) => pattern.test(start))?.[1]
}
