/** What services say when a request is too long. */
import { describe, expect, test } from 'vitest'
import { type ContextOverflow, overlongPart, readOverflow } from './context-overflow.ts'
import { classify } from './error-class.ts'

const BOTH: ContextOverflow = { limit: 32768, prompt: 9000, output: 32000 }
const PROMPT: ContextOverflow = { limit: 32768, prompt: 41000 }

test.each([
  [
    'vLLM',
    "This model's maximum context length is 32768 tokens. However, you requested 41000 tokens (9000 in the messages, 32000 in the completion). Please reduce the length of the messages or completion.",
    BOTH,
  ],
  [
    'vLLM, another',
    "This model's maximum context length is 32768 tokens. However, your request has 41000 input tokens. Please reduce the length of the input messages.",
    PROMPT,
  ],
  [
    'vLLM, which stopped counting',
    "This model's maximum context length is 32768 tokens. However, you requested 32000 output tokens and your prompt contains at least 769 input tokens, for a total of at least 32769 tokens.",
    { limit: 32768, prompt: 769, output: 32000, isLeast: true },
  ],
  [
    'vLLM, of a prompt alone',
    "This model's maximum context length is 32768 tokens. However, you requested 0 output tokens and your prompt contains at least 32769 input tokens",
    { limit: 32768, prompt: 32769, isLeast: true },
  ],
  [
    'vLLM, a newer one',
    "You passed 9000 input tokens and requested 32000 output tokens. However, the model's context length is only 32768 tokens, resulting in a maximum input length of 768 tokens.",
    BOTH,
  ],
  [
    'vLLM, of the reply',
    "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 9000 input tokens (32000 > 32768 - 9000).",
    BOTH,
  ],
  [
    'vLLM, of lengths',
    'The decoder prompt (length 41000) is longer than the maximum model length of 32768.',
    PROMPT,
  ],
  [
    'OpenAI',
    "This model's maximum context length is 32768 tokens. However, your messages resulted in 41000 tokens. Please reduce the length of the messages.",
    PROMPT,
  ],
  [
    'OpenAI Responses',
    'Input tokens exceed the configured limit of 32768 tokens. Your messages resulted in 41000 tokens.',
    PROMPT,
  ],
  [
    'OpenRouter',
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 41000 tokens (8000 of text input, 1000 of tool input, 32000 in the output).",
    BOTH,
  ],
  [
    'SGLang',
    "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 41000 tokens: 9000 tokens from the input messages and 32000 tokens for the completion.",
    BOTH,
  ],
  [
    'SGLang, of the prompt',
    "The input (41000 tokens) is longer than the model's context length (32768 tokens).",
    PROMPT,
  ],
  [
    'llama.cpp',
    'request (41000 tokens) exceeds the available context size (32768 tokens), try increasing it',
    PROMPT,
  ],
  [
    'LM Studio',
    'Trying to keep the first 41000 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough.',
    PROMPT,
  ],
  [
    'LM Studio, a newer one',
    'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 41000>= n_ctx: 32768).',
    PROMPT,
  ],
  ['Anthropic', 'prompt is too long: 41000 tokens > 32768 maximum', PROMPT],
  [
    'Anthropic, with the reply',
    'input length and `max_tokens` exceed context limit: 9000 + 32000 > 32768, decrease input length or `max_tokens` and try again',
    BOTH,
  ],
  [
    'Gemini',
    'The input token count (41000) exceeds the maximum number of tokens allowed (32768).',
    PROMPT,
  ],
  [
    'Gemini, with one number',
    'The input token count exceeds the maximum number of tokens allowed 32768.',
    { limit: 32768 },
  ],
  [
    'Mistral',
    'Prompt contains 41,000 tokens and 0 images, too large for model with 32,768 maximum context length',
    PROMPT,
  ],
  [
    'xAI',
    "This model's maximum prompt length is 32768 but the request contains 41000 tokens.",
    PROMPT,
  ],
  ['Moonshot', 'Your request exceeded model token limit: 32768 (requested: 41000)', PROMPT],
  [
    'Cerebras',
    'Please reduce the length of the messages or completion. Current length is 41000 while limit is 32768',
    PROMPT,
  ],
  [
    'Text Generation Inference',
    '`inputs` tokens + `max_new_tokens` must be <= 32768. Given: 9000 `inputs` tokens and 32000 `max_new_tokens`',
    BOTH,
  ],
  ['a service that says little', 'the request is too long', {}],
] as const)('%s', (_, message, numbers) => {
  expect(readOverflow(message)).toEqual(numbers)
})

test('fields of their own count more than words', () => {
  const error = {
    code: 400,
    type: 'exceed_context_size_error',
    message: 'the request exceeds the available context size, try increasing it',
    n_prompt_tokens: 41000,
    n_ctx: 32768,
  }
  expect(classify({ status: 400, body: { error } }).overflow).toEqual(PROMPT)
})

test('other errors have no numbers', () => {
  const body = { error: { message: 'maximum context length is 5 tokens', code: 'invalid_api_key' } }
  expect(classify({ status: 401, body }).overflow).toBeUndefined()
})

test('a hostile message takes no time that grows with its square', () => {
  expect(readOverflow('maximum context length is 1 tokens requested '.repeat(50_000))).toEqual({
    limit: 1,
  })
})

describe('what does not fit', () => {
  const least = (output: number): ContextOverflow => ({
    ...{ limit: 32768, prompt: 32769 - output, output, isLeast: true },
  })

  test.each([
    ['the prompt', PROMPT, 0, { what: 'prompt', prompt: 41000, limit: 32768 }],
    ['the reply', BOTH, 99, { what: 'reply', prompt: 9000, output: 32000, limit: 32768 }],
    [
      'a reply of unknown length',
      { limit: 32768, prompt: 9000 },
      0,
      { what: 'reply', prompt: 9000, output: 23769 },
    ],
    ['a prompt that was not counted', least(32000), 20_000, { what: 'reply', prompt: 20_000 }],
    ['one that is estimated to fill the rest', least(32000), 90_000, { prompt: 32767 }],
    ['one beside a short reply', least(3000), 0, { what: 'prompt', prompt: 29769, limit: 29768 }],
  ] as const)('%s', (_, overflow, estimate, part) => {
    expect(overlongPart(overflow, estimate)).toMatchObject(part)
  })

  test('nobody knows without numbers', () => {
    expect(overlongPart({})).toBeUndefined()
    expect(overlongPart({ limit: 32768 })).toBeUndefined()
  })
})
