/**
 * How long a stream keeps its reader waiting: a call is told of when its name is certain, its arguments while
 * they come, and its end when it is there. Nothing else would notice if all of it were told at the end.
 */
import { describe, expect, test } from 'vitest'
import { createExtractor } from '../src/index.ts'
import { allProtocols } from '../src/protocols/registry.ts'

const text = { type: 'string' } as const

const tools = [
  {
    name: 'write_file',
    inputSchema: {
      type: 'object',
      properties: { path: text, content: text },
      required: ['path', 'content'],
    },
  },
] as const

const call = {
  name: 'write_file',
  arguments: { path: 'notes.txt', content: 'The ferry leaves at nine. '.repeat(80) },
}

/** Characters behind the name until the call is told of: longer than any marker that has to follow it. */
const START = 72
/** Characters until there is more to tell: a short call is waited for, to be read in one go. */
const PAUSE = 320

/** Calls without a marker are calls only if nothing else stands beside them, and some blocks only as a whole. */
const WAITS_FOR_END: ReadonlySet<string> = new Set([
  'fenced-json',
  'function-pattern',
  'json-shim',
  // A tag is one when it is closed, whatever its attributes say.
  'xml-attributes',
])
/** What a line of YAML means, the lines behind it tell. */
const TELLS_AT_ONCE: ReadonlySet<string> = new Set([...WAITS_FOR_END, 'yaml-xml'])

interface Told {
  /** Characters read when it was first told of, by event. */
  readonly start: number
  readonly end: number
  /** The longest stretch without a piece of the arguments. */
  readonly pause: number
}

/** Read character by character, up to the end of the block but not of the reply. */
function listen(block: string, options: object): Told {
  const extractor = createExtractor({ tools, ...options })
  let start = Number.POSITIVE_INFINITY
  let end = Number.POSITIVE_INFINITY
  let heard = 0
  let pause = 0
  for (const [i, character] of Array.from(block).entries()) {
    for (const { type } of extractor.push(character)) {
      if (type === 'call-start') start = Math.min(start, i + 1)
      if (type === 'call-end') end = Math.min(end, i + 1)
      if (type === 'call-delta') {
        pause = Math.max(pause, i + 1 - heard)
        heard = i + 1
      }
    }
  }
  return { start, end, pause: Math.max(pause, block.length - heard) }
}

describe.for(allProtocols)('$id', ({ id, formatCall }) => {
  const block = formatCall(call)
  const name = block.indexOf(call.name) + call.name.length

  describe.for([
    ['auto', {}],
    ['pinned', { protocols: [id] }],
  ] as const)('%s', ([, options]) => {
    const told = listen(block, options)

    test.skipIf(WAITS_FOR_END.has(id))('tells of a call when its name is certain', () => {
      expect(told.start - name).toBeLessThanOrEqual(START)
    })

    test.skipIf(TELLS_AT_ONCE.has(id))('tells of the arguments while they come', () => {
      expect(told.pause).toBeLessThanOrEqual(PAUSE)
    })
  })
})

/** Characters behind a call until its end is told: as far as another one is looked for. */
const END = 80

test.for(allProtocols)('$id tells of the end of a call when it is there', ({ id, formatCall }) => {
  const block = formatCall(call)
  const more = `\n${'One moment, please. '.repeat(20)}`
  const { end } = listen(block + more, { protocols: [id] })
  expect(end - block.length).toBeLessThanOrEqual(END)
})
