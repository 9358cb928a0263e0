import { describe, expect, it } from 'vitest'
import { classify, classifyFailure, reportsFailure } from './error-class.ts'
import type { ProviderErrorCode } from './errors.ts'

type Row = readonly [
  what: string,
  status: number | undefined,
  body: unknown,
  code: ProviderErrorCode,
]

const openai = (code: string | null, message = 'No.', type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
})
const claude = (type: string, message = 'No.') => ({ type: 'error', error: { type, message } })
const google = (code: number, status: string, message = 'No.', details: object[] = []) => ({
  error: { code, status, message, details },
})

const ROWS: readonly Row[] = [
  ['a wrong key at OpenAI', 401, openai('invalid_api_key'), 'unauthorized'],
  ['a forbidden thing', 403, openai(null), 'unauthorized'],
  ['a wrong key at Anthropic', 401, claude('authentication_error'), 'unauthorized'],
  [
    'a wrong key at Google, told as a bad request',
    400,
    google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'),
    'unauthorized',
  ],
  ['a wrong signature', 403, { message: 'The security token is invalid.' }, 'unauthorized'],
  ['a wrong key at Cohere', 498, { message: 'invalid token' }, 'unauthorized'],
  ['no cheap capacity at Groq', 498, openai(null, 'flex capacity used up'), 'overloaded'],

  ['too many requests', 429, openai('rate_limit_exceeded'), 'rate_limited'],
  ['too many requests at Anthropic', 429, claude('rate_limit_error'), 'rate_limited'],
  ['too many requests at Google', 429, google(429, 'RESOURCE_EXHAUSTED'), 'rate_limited'],
  ['throttling', 429, { __type: 'com.aws#ThrottlingException', message: 'Slow.' }, 'rate_limited'],
  [
    'a status inside a gateway error',
    502,
    { error: { code: 429, message: 'No.' } },
    'rate_limited',
  ],
  [
    'a status inside a good answer',
    200,
    { error: { code: 402, message: 'No.' } },
    'quota_exhausted',
  ],

  ['no quota', 429, openai('insufficient_quota'), 'quota_exhausted'],
  ['no credit', 429, openai('credit_balance_exhausted'), 'quota_exhausted'],
  ['no money at Anthropic', 402, claude('billing_error'), 'quota_exhausted'],
  [
    'a limit of spending told as a bad request',
    400,
    claude('invalid_request_error', 'Your credit balance is too low to use the API.'),
    'quota_exhausted',
  ],
  [
    'a limit of spending told as a rate',
    429,
    {
      type: 'error',
      error: {
        type: 'rate_limit_error',
        message: 'No.',
        details: { error_code: 'enforced_spend_limit_reached' },
      },
    },
    'quota_exhausted',
  ],
  [
    'the quota of a day',
    429,
    google(429, 'RESOURCE_EXHAUSTED', 'Quota.', [
      { violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] },
    ]),
    'quota_exhausted',
  ],
  ['no balance', 402, openai(null, 'Insufficient Balance'), 'quota_exhausted'],

  ['overload at Anthropic', 529, claude('overloaded_error'), 'overloaded'],
  ['overload at Google, in a list', 503, [google(503, 'UNAVAILABLE')], 'overloaded'],
  ['a failing model at AWS', 424, { message: 'The model failed.' }, 'overloaded'],
  [
    'no capacity at Mistral',
    429,
    { object: 'error', message: 'Service tier capacity exceeded for this model.', code: '3505' },
    'overloaded',
  ],

  ['a time-out', 504, claude('timeout_error'), 'timeout'],
  ['a deadline', 504, google(504, 'DEADLINE_EXCEEDED'), 'timeout'],

  ['a long request', 400, openai('context_length_exceeded'), 'context_length_exceeded'],
  [
    'a long request at Anthropic',
    400,
    claude('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    'context_length_exceeded',
  ],
  ['too many bytes', 413, claude('request_too_large'), 'context_length_exceeded'],
  [
    'a long request at Google',
    400,
    google(400, 'INVALID_ARGUMENT', 'The input token count (99) exceeds the maximum allowed (9).'),
    'context_length_exceeded',
  ],
  [
    'a long request at AWS',
    400,
    { message: 'Input is too long for requested model.' },
    'context_length_exceeded',
  ],
  [
    'a long request at xAI',
    400,
    { code: 'x', error: "This model's maximum prompt length is 9." },
    'context_length_exceeded',
  ],
  [
    'a long request at Groq',
    400,
    openai(null, 'Please reduce the length of the messages.'),
    'context_length_exceeded',
  ],
  [
    'a long request at Mistral',
    400,
    { object: 'error', message: 'Prompt is too large for model with 32768 maximum context length' },
    'context_length_exceeded',
  ],
  [
    'a long request at Moonshot',
    400,
    openai(null, 'Your request exceeded model token limit: 8192'),
    'context_length_exceeded',
  ],
  [
    'a long request at MiniMax',
    400,
    openai(null, 'context window exceeds limit (2013)'),
    'context_length_exceeded',
  ],
  [
    'a long request at Copilot',
    400,
    openai(null, 'prompt token count of 9 exceeds the limit of 8'),
    'context_length_exceeded',
  ],
  [
    'a long request at llama.cpp',
    500,
    { error: { code: 500, message: 'the request exceeds the available context size' } },
    'context_length_exceeded',
  ],
  ['nothing but a status', 413, '', 'context_length_exceeded'],
  [
    'an id that is too long, which is not the conversation',
    400,
    openai('string_above_max_length', 'string too long: context expected maximum length 40'),
    'bad_request',
  ],

  ['no such model', 404, openai('model_not_found'), 'not_found'],
  ['no such model at Anthropic', 404, claude('not_found_error'), 'not_found'],
  [
    'no such model at Ollama',
    404,
    { error: 'model "x" not found, try pulling it first' },
    'not_found',
  ],
  [
    'no such model at AWS',
    400,
    { message: 'The provided model identifier is invalid.' },
    'not_found',
  ],

  ['no tools at Ollama', 400, { error: 'gemma:2b does not support tools' }, 'unsupported'],
  [
    'no tools at OpenRouter',
    404,
    { error: { code: 404, message: 'No endpoints found that support tool use.' } },
    'unsupported',
  ],
  [
    'no tools at vLLM',
    400,
    {
      object: 'error',
      code: 400,
      message:
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    },
    'unsupported',
  ],
  [
    'no tools at llama.cpp',
    500,
    { error: { code: 500, message: 'tools param requires --jinja flag' } },
    'unsupported',
  ],
  ['the wrong interface at Copilot', 400, openai('unsupported_api_for_model'), 'unsupported'],

  ['a forbidden topic', 400, openai('content_policy_violation'), 'bad_request'],
  ['a forbidden topic at Azure', 400, openai('content_filter'), 'bad_request'],
  ['a wrong field', 422, { detail: [{ loc: ['body', 'x'], msg: 'Extra inputs' }] }, 'bad_request'],
  ['a failure', 500, openai(null, 'Oops', 'server_error'), 'server_error'],
  ['a page of a proxy', 502, '<html>Bad gateway</html>', 'server_error'],
  [
    'a failure of MiniMax with a good status',
    200,
    { base_resp: { status_code: 1008, status_msg: 'no' } },
    'quota_exhausted',
  ],
]

describe('what a provider says', () => {
  it.for(ROWS)('%s', ([, status, body, code]) => {
    expect(classify({ status, body }).code).toBe(code)
  })

  it('counts in a header as well', () => {
    const headers = new Headers({
      'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/',
      'x-amzn-requestid': 'aws-1',
      'x-should-retry': 'false',
    })
    expect(classify({ status: 400, headers, body: { message: 'Slow.' } })).toMatchObject({
      code: 'rate_limited',
      requestId: 'aws-1',
      retryable: false,
      providerCode: 'ThrottlingException',
    })
  })

  it('may be the fault of the model, which may do better', () => {
    expect(classify({ status: 400, body: openai('tool_use_failed') })).toMatchObject({
      code: 'bad_request',
      retryable: true,
    })
  })

  it('is not repeated at length', () => {
    const { message } = classify({ status: 500, body: 'x'.repeat(5000) })
    expect(message.length).toBeLessThan(220)
  })

  it('comes inside streams, too', () => {
    const told = (message: string, code?: string, status?: number) =>
      classifyFailure({ message, ...(code && { code }), ...(status && { status }) }).code
    expect(told('Overloaded', 'overloaded_error')).toBe('overloaded')
    expect(told('slow down', 'throttlingException')).toBe('rate_limited')
    expect(told('no', 'insufficient_quota')).toBe('quota_exhausted')
    expect(told('prompt is too long', 'invalid_request_error', 400)).toBe('context_length_exceeded')
    expect(told('model is overloaded')).toBe('overloaded')
    expect(told('what?')).toBe('server_error')
    expect(told('cut', 'truncated-stream')).toBe('transport')
  })

  it('is nothing when the body is a reply', () => {
    expect(reportsFailure({ choices: [], base_resp: { status_code: 0 } })).toBe(false)
    expect(reportsFailure({ choices: [] })).toBe(false)
    expect(reportsFailure({ error: { message: 'No.' } })).toBe(true)
  })
})
