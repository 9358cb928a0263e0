/** A plain reply of every family of models, with four tools offered and nobody saying which it is. */
import { describe, expect, test } from 'vitest'
import { createExtractor } from '../src/extract.ts'
import { detect, extract } from '../src/index.ts'
import { chunksOf } from '../src/testing/index.ts'
import { dialects } from './fixtures/dialects.ts'

const weather = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
}
const tools = [
  { name: 'get_weather', inputSchema: weather },
  { name: 'get_tides', inputSchema: weather },
  { name: 'get_forecast', inputSchema: weather },
  { name: 'search', inputSchema: { type: 'object', properties: { query: { type: 'string' } } } },
]

describe.for(Object.entries(dialects))('%s', ([, reply]) => {
  const whole = extract(reply, { tools, ids: 'sequential' })

  test('is one call, and nothing of its markup is left in the text', () => {
    expect(whole.calls).toMatchObject([
      { name: 'get_weather', arguments: { city: 'Lima', days: 3 } },
    ])
    expect(whole.text.replace(/^Thought: .*$/m, '').trim()).toBe('')
  })

  test.for([1, 7])('reads the same in pieces of %i characters', (size) => {
    const extractor = createExtractor({ tools, ids: 'sequential' })
    for (const chunk of chunksOf(reply, size)) extractor.push(chunk)
    extractor.end()
    expect(extractor.result()).toEqual(whole)
  })

  test('is explained by detection', () => {
    const [found] = detect(reply, { tools })
    expect(found?.protocol).toBe(whole.protocol)
    expect(found?.evidence).toContain('get_weather')
  })
})
