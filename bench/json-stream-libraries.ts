/** Packages that read JSON in chunks, or can be made to by reading all of it again with each one. */
import { JSONParser } from '@streamparser/json'
import { jsonrepair } from 'jsonrepair'
import { parse as parseRiver } from 'jsonriver'
import { repairJsonStream } from 'llm-json-repair'
import { parse as parsePartial } from 'partial-json'
import { weigh } from './broken-json.ts'

export interface JsonStreamLibrary {
  readonly name: string
  /** Reads all chunks; the number depends on the value. */
  read(chunks: readonly string[]): number | Promise<number>
}

/** The fastest there is; asked for the root value only. */
export const STREAM_PARSER: JsonStreamLibrary = {
  name: '@streamparser/json',
  read: (chunks) => {
    const parser = new JSONParser({ paths: ['$'] })
    let weight = 0
    parser.onValue = ({ value }) => {
      weight += weigh(value)
    }
    for (const chunk of chunks) parser.write(chunk)
    return weight
  },
}

const again = (name: string, parse: (text: string) => unknown): JsonStreamLibrary => ({
  name: `${name}, again with each chunk`,
  read: (chunks) => {
    let text = ''
    let weight = 0
    for (const chunk of chunks) {
      text += chunk
      try {
        weight += weigh(parse(text))
      } catch {
        // Nothing can be said about this prefix; the next may do better.
      }
    }
    return weight
  },
})

export const JSON_STREAM_LIBRARIES: readonly JsonStreamLibrary[] = [
  {
    name: 'jsonriver',
    read: async (chunks) => {
      let weight = 0
      for await (const value of parseRiver(arriving(chunks))) weight += weigh(value)
      return weight
    },
  },
  {
    name: 'llm-json-repair, its stream',
    read: (chunks) => {
      const stream = repairJsonStream()
      let weight = 0
      for (const chunk of chunks) {
        const result = stream.push(chunk)
        weight += result.ok ? weigh(result.value) : 0
      }
      return weight
    },
  },
  again('partial-json', parsePartial),
  again('jsonrepair', (text) => JSON.parse(jsonrepair(text))),
]

async function* arriving(chunks: readonly string[]): AsyncGenerator<string> {
  yield* chunks
}
