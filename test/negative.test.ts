/** L8, no accidents: nothing that was not meant as a call becomes one, and no text is lost over it. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Extraction } from '../src/core/model.ts'
import { createExtractor, extract } from '../src/index.ts'
import { negativeCases, negativeTools } from './fixtures/negative.ts'
import { documentsWithoutCalls } from './support/random-documents.ts'

const DOCUMENTS = 1000
const CHUNKINGS = 5

test('there are many cases, each with a name of its own', () => {
  expect(negativeCases.length).toBeGreaterThanOrEqual(150)
  expect(new Set(negativeCases.map(({ name }) => name)).size).toBe(negativeCases.length)
  expect(new Set(negativeCases.map(({ text }) => text)).size).toBe(negativeCases.length)
})

describe('no call in', () => {
  for (const { name, text } of negativeCases) {
    test(name, () => {
      expectNoCall(extract(text, { tools: negativeTools }), text)
      expectNoCall(extractChunks([...splitEvery(text, 1)]), text)
      fc.assert(
        fc.property(chunksOf(text), (chunks) => expectNoCall(extractChunks(chunks), text)),
        { numRuns: CHUNKINGS },
      )
    })
  }
})

test(`no call in ${DOCUMENTS} random documents`, () => {
  const names = negativeTools.map(({ name }) => name)
  fc.assert(
    fc.property(documentsWithoutCalls(names), fc.integer({ min: 1, max: 64 }), (text, size) => {
      expectNoCall(extract(text, { tools: negativeTools }), text)
      expectNoCall(extractChunks([...splitEvery(text, size)]), text)
    }),
    { numRuns: DOCUMENTS },
  )
})

function extractChunks(chunks: readonly string[]): Extraction {
  const extractor = createExtractor({ tools: negativeTools })
  const events = [...chunks.flatMap((chunk) => extractor.push(chunk)), ...extractor.end()]
  expect(events.filter(({ type }) => type === 'call-end')).toEqual([])
  return extractor.result()
}

/** The tags of reasoning are the only characters that may be neither text nor reasoning. */
const REASONING_TAG = /<\/?think(?:ing)?>/g

function expectNoCall({ calls, text, reasoning }: Extraction, input: string): void {
  expect(calls).toEqual([])
  if (input.search(REASONING_TAG) === -1) {
    expect(text).toBe(input)
    expect(reasoning).toBe('')
  } else {
    expect(words(`${reasoning} ${text}`)).toEqual(words(input))
  }
}

function words(text: string): string[] {
  return text.replaceAll(REASONING_TAG, ' ').split(/\s+/).filter(Boolean).sort()
}

/** By UTF-16 units, so that surrogate pairs are cut in two as well. */
function* splitEvery(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

function chunksOf(text: string): fc.Arbitrary<string[]> {
  return fc.array(fc.nat({ max: text.length }), { maxLength: 12 }).map((cuts) => {
    const at = [0, ...cuts.sort((a, b) => a - b), text.length]
    return at.slice(1).map((end, index) => text.slice(at[index], end))
  })
}
