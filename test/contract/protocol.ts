/** What every protocol must do. Runs over the registry; a protocol without fixtures fails. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { IssueCode } from '../../src/core/issue.ts'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import type { ExtractEvent, JsonSchema, Tool } from '../../src/core/model.ts'
import type { CoreOptions } from '../../src/core/options.ts'
import type { Protocol } from '../../src/core/protocol.ts'
import { schemaFit } from '../../src/core/schema/fit.ts'
import { typeOf } from '../../src/core/schema/resolve.ts'
import {
  createExtractor,
  extractText,
  type TracedExtraction,
} from '../../src/core/text/extractor.ts'
import { assertInvariance, chunksOf, extractChunks } from '../../src/testing/index.ts'
import { fuzzFactor } from '../support/seed.ts'
import {
  callArbitrary,
  exampleCall,
  plainKeys,
  soupArbitrary,
  soupTools,
  type WrittenCall,
} from '../support/soup.ts'
import { createWorkCounter } from '../support/work.ts'

export interface ProtocolCase {
  /** A sentence. */
  readonly name: string
  readonly input: string
  /** What is to be seen, in order: visible text and calls. */
  readonly output: readonly (string | { readonly name: string; readonly arguments: JsonObject })[]
  readonly reasoning?: string
  readonly issues?: readonly IssueCode[]
  readonly tools?: readonly (Tool | string)[]
  readonly options?: Partial<CoreOptions>
}

const RUNS = 1000 * (fuzzFactor || 1)
/** Characters a marker needs at most, with what must follow it. */
const LONGEST_MARKER = 32

export function protocolContract(
  protocol: Protocol,
  cases: readonly ProtocolCase[],
  all: readonly Protocol[],
): void {
  const base = { ids: 'sequential', trace: true, fit: schemaFit } as const
  const pinned: CoreOptions = { ...base, protocols: [protocol] }
  // As `extract` reads when it is not told what to look for.
  const auto: CoreOptions = { ...base, protocols: all, tools: soupTools, freeText: 'ending' }
  // A variant has the readers of another protocol, which are tried there.
  const numRuns = protocol.auto === false ? RUNS / 10 : RUNS
  const soup = soupArbitrary(protocol)

  describe(protocol.id, () => {
    test('has a file and fixtures named after it', () => {
      expect(protocol.id).toMatch(/^[a-z\d]+(-[a-z\d]+)*$/)
      expect(cases.length).toBeGreaterThanOrEqual(8)
    })

    test.for(cases)('$name', (row) => {
      const options = optionsOf(pinned, row)
      const { events, result } = extractChunks([row.input], options)
      expect(ordered(events)).toEqual(row.output)
      expect(result.reasoning).toBe(row.reasoning ?? '')
      expect(result.issues.map(({ code }) => code)).toEqual(row.issues ?? [])
    })

    test.for(cases)('L1: $name, whatever the pieces', (row) => {
      assertInvariance(row.input, optionsOf(pinned, row))
      assertInvariance(row.input, optionsOf({ ...pinned, protocols: all }, row))
    })

    test('L1: the pieces never change the result', () => {
      fc.assert(
        fc.property(
          soup,
          fc.boolean(),
          fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
          (text, alone, sizes) => {
            const options = alone ? pinned : auto
            const whole = extractText(text, options)
            const streamed = extractChunks(cut(text, sizes), options).result
            expect(withoutSegments(streamed)).toEqual(withoutSegments(whole))
          },
        ),
        { numRuns },
      )
    })

    test('L2: every character is text, reasoning, call, issue or markup', () => {
      fc.assert(
        fc.property(soup, fc.boolean(), (text, alone) => {
          const result = extractText(text, alone ? pinned : auto)
          expectConserved(text, result)
        }),
        { numRuns },
      )
    })

    test('L3: the work grows with the length, whatever the pieces', () => {
      const countWork = createWorkCounter({ ...auto, limits: { maxCalls: 20 } })
      fc.assert(
        fc.property(soup, fc.constantFrom(1, 16, 1_000_000), (piece, size) => {
          fc.pre(piece.length > 0)
          const text = piece.repeat(Math.ceil(1200 / piece.length))
          const work = countWork(chunksOf(text, size))
          expect(work).toBeLessThan(text.length * 700)
        }),
        { numRuns },
      )
    })

    test('L4: in text no more is held back than a marker needs', () => {
      expectLittleHeld({ ...pinned, tools: soupTools }, numRuns)
    })

    test('L5: nothing makes it throw', () => {
      const texts = fc.oneof(soup, fc.string({ unit: 'binary', maxLength: 200 }))
      fc.assert(
        fc.property(texts, fc.boolean(), (text, alone) => {
          extractChunks(chunksOf(text, 3), alone ? pinned : auto)
        }),
        { numRuns },
      )
    })

    test('L6: the deltas of a call spell its arguments', () => {
      const texts = fc.oneof(
        soup,
        callArbitrary(protocol).map((call) => protocol.formatCall(call)),
      )
      fc.assert(
        fc.property(texts, fc.boolean(), fc.integer({ min: 1, max: 7 }), (text, alone, size) => {
          const { events } = extractChunks(chunksOf(text, size), alone ? pinned : auto)
          expectHonest(events)
        }),
        { numRuns },
      )
    })

    test('L7: what is written is read back', () => {
      fc.assert(
        fc.property(
          callArbitrary(protocol),
          fc.integer({ min: 1, max: 7 }),
          fc.boolean(),
          (call, size, alone) => {
            const text = protocol.formatCall(call)
            const options = { ...(alone ? pinned : auto), tools: toolsFor(call, protocol) }
            const { result } = extractChunks(chunksOf(text, size), options)
            expect(result.calls.map(asWritten)).toEqual([call])
            expect(result.text.trim()).toBe('')
            expect(extractText(text, options).calls).toEqual(result.calls)
          },
        ),
        { numRuns },
      )
    })

    test('L8: a part of a call does not pass for the whole', () => {
      function expectNoPart(
        text: string,
        call: WrittenCall,
        base: CoreOptions,
        read = readEitherWay,
      ): void {
        const options = { ...base, tools: toolsFor(call, protocol) }
        const cutOff = read(text, { ...options, finishReason: 'length' })
        for (const found of cutOff.calls) expect(asWritten(found)).toEqual(call)
        // Where the model ended by itself it may be all that was meant, but what was mended is told.
        const { calls } = read(text, options)
        for (const found of calls) if (!found.repairs) expect(asWritten(found)).toEqual(call)
      }

      const example = protocol.formatCall(exampleCall)
      for (let end = 1; end < example.length; end++) {
        expectNoPart(example.slice(0, end), exampleCall, pinned)
        expectNoPart(example.slice(0, end), exampleCall, auto, extractText)
      }
      fc.assert(
        fc.property(
          // A key without its closing quote is mended up to a colon, so that one which quotes a call is not safe.
          callArbitrary(protocol, plainKeys),
          fc.nat(),
          fc.boolean(),
          (call, place, alone) => {
            const text = protocol.formatCall(call)
            expectNoPart(text.slice(0, place % text.length), call, alone ? pinned : auto)
          },
        ),
        { numRuns: numRuns / 10 },
      )
    })
  })
}

/** Reads a text in one piece, which must be the same as character by character. */
function readEitherWay(text: string, options: CoreOptions): TracedExtraction {
  const whole = extractText(text, options)
  const streamed = extractChunks(chunksOf(text, 1), options).result
  expect(withoutSegments(streamed)).toEqual(withoutSegments(whole))
  return whole
}

/** In text, at most the longest marker is held back. */
export function expectLittleHeld(options: CoreOptions, numRuns: number): void {
  const piece = fc.oneof(
    fc.stringMatching(/^[a-zA-Z ,.\n]{1,12}$/),
    fc.constantFrom('<', '<tool', '</', '[to', ' ~~', '`', ' [', '@', 'get_wea', '>'),
  )
  const texts = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(texts, (text) => {
      const extractor = createExtractor(options)
      let held = 0
      for (const character of chunksOf(text, 1)) {
        held += 1
        for (const event of extractor.push(character)) {
          if (event.type === 'text-delta') held -= event.text.length
        }
        expect(held).toBeLessThanOrEqual(LONGEST_MARKER)
      }
    }),
    { numRuns },
  )
}

function asWritten({ name, arguments: args }: WrittenCall): WrittenCall {
  return { name, arguments: args }
}

function toolsFor({ name, arguments: args }: WrittenCall, protocol: Protocol): readonly Tool[] {
  return [{ name, inputSchema: schemaOf(args, protocol) }]
}

/** Formats that write plain text depend on the schema for the types; the others need none. */
function schemaOf(args: JsonObject, { rawText }: Protocol): JsonSchema {
  if (!rawText) return { type: 'object' }
  const properties = Object.entries(args).map(([key, value]) => [key, { type: typeOf(value) }])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function optionsOf(base: CoreOptions, row: ProtocolCase): CoreOptions {
  return { ...base, ...(row.tools ? { tools: row.tools } : {}), ...row.options }
}

/** Text and calls in the order in which they were told. */
function ordered(events: readonly ExtractEvent[]): unknown[] {
  const seen: unknown[] = []
  for (const event of events) {
    if (event.type === 'call-end') {
      seen.push({ name: event.call.name, arguments: event.call.arguments })
    } else if (event.type === 'text-delta') {
      const before = seen.at(-1)
      if (typeof before === 'string') seen[seen.length - 1] = before + event.text
      else seen.push(event.text)
    }
  }
  return seen
}

function* cut(text: string, sizes: Iterator<number>): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const size: number = sizes.next().value
    yield text.slice(at, at + size)
    at += size
  }
}

function withoutSegments({ segments: _, ...result }: TracedExtraction): unknown {
  return result
}

function expectConserved(text: string, result: TracedExtraction): void {
  const { segments = [] } = result
  let at = 0
  for (const { start, end } of segments) {
    expect(start).toBe(at)
    at = end
  }
  expect(at).toBe(text.length)
  const joined = (kind: string) =>
    segments
      .filter((segment) => segment.kind === kind)
      .map(({ start, end }) => text.slice(start, end))
      .join('')
  expect(result.text).toBe(joined('text'))
  expect(result.reasoning).toBe(joined('reasoning'))
  const spans = segments.filter(({ kind }) => kind === 'call').map(({ start, end }) => [start, end])
  expect(result.calls.map(({ span }) => span)).toEqual(spans)
}

function expectHonest(events: readonly ExtractEvent[]): void {
  const told = new Map<number, string>()
  for (const event of events) {
    if (event.type === 'call-delta') {
      told.set(event.index, (told.get(event.index) ?? '') + event.argumentsDelta)
    } else if (event.type === 'call-end') {
      const spelled: JsonValue = JSON.parse(told.get(event.index) ?? 'null')
      expect(spelled).toEqual(event.call.arguments)
    }
  }
}
