import { describe, expect, test } from 'vitest'
import { checkExtraBody, mergeExtraBody, withExtraBody } from './extra-body.ts'

describe('withExtraBody', () => {
  test('the request goes before defaults, and forced fields go before the request', () => {
    const written = { model: 'm', temperature: 1, options: { num_predict: 5 } }
    const extra = {
      body: { temperature: 0.2, top_k: 20, options: { num_ctx: 32768, num_predict: 9 } },
      forceBody: { seed: 1, options: { num_gpu: 2 } },
    }
    expect(withExtraBody(written, extra)).toEqual({
      model: 'm',
      temperature: 1,
      top_k: 20,
      seed: 1,
      options: { num_ctx: 32768, num_predict: 5, num_gpu: 2 },
    })
    expect(written.options).toEqual({ num_predict: 5 })
  })

  test('a limit is said once, under whatever name', () => {
    const asked = { max_completion_tokens: 100 }
    expect(withExtraBody(asked, { body: { max_tokens: 5 } })).toEqual(asked)
    expect(withExtraBody(asked, { forceBody: { max_tokens: 5 } })).toEqual({ max_tokens: 5 })
    expect(withExtraBody({}, { body: { max_tokens: 5 } })).toEqual({ max_tokens: 5 })
  })
})

test('later layers go before earlier ones', () => {
  expect(
    mergeExtraBody(
      { body: { top_k: 1, options: { a: 1, b: 1 } }, forceBody: { seed: 1 } },
      {},
      { body: { top_k: 2, options: { b: 2 } } },
    ),
  ).toEqual({ body: { top_k: 2, options: { a: 1, b: 2 } }, forceBody: { seed: 1 } })
})

test('what belongs to the request itself is refused', () => {
  expect(() => checkExtraBody({ forceBody: { messages: [] } }, 'providers.vllm.')).toThrow(
    'providers.vllm.forceBody.messages: belongs to the request itself, and cannot be set here',
  )
})
