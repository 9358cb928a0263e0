/** What every format with JSON behind a marker has to read, in the markers of each. */
import type { JsonObject } from '../../src/core/json/value.ts'
import type { ProtocolCase } from '../contract/protocol.ts'
import { soupTools } from './soup.ts'

export interface BlockFormat {
  /** The opener, with a bracket where the format has lists. */
  readonly open: string
  readonly close: string
  /** How one call is written. */
  call?(name: string, args: JsonObject): string
}

export const oslo = { name: 'get_weather', arguments: { city: 'Oslo' } }
export const bergen = { name: 'get_weather', arguments: { city: 'Bergen' } }

/** `{"name": …, "arguments": …}`, with other keys where the format has others. */
export function plainCall(nameKey = 'name', argumentsKey = 'arguments') {
  return (name: string, args: JsonObject): string =>
    `{"${nameKey}": ${JSON.stringify(name)}, "${argumentsKey}": ${JSON.stringify(args)}}`
}

export function jsonBlockCases(format: BlockFormat): ProtocolCase[] {
  const { open, close, call = plainCall() } = format
  const block = (name: string, args: JsonObject): string => open + call(name, args) + close
  const osloBlock = block('get_weather', oslo.arguments)
  const bergenBlock = block('get_weather', bergen.arguments)
  const typed = { city: 'Ålesund "Nord"', days: 3, deep: { on: true, none: null }, tags: [] }
  /** What remains of the closer behind the JSON. */
  const tail = close.replace(/^[\s\]]*/, '')
  const quoting = { note: `${osloBlock}\n${close}{[` }
  return [
    { name: 'plain text', input: 'a < b, [c] and {d}.', output: ['a < b, [c] and {d}.'] },
    {
      name: 'a call behind text',
      input: `I will look.\n${osloBlock}`,
      output: ['I will look.\n', oslo],
    },
    {
      name: 'two blocks, one behind the other',
      input: `${osloBlock}\n${bergenBlock}`,
      output: [oslo, '\n', bergen],
    },
    {
      name: 'values of all types',
      input: block('get_weather', typed),
      output: [{ name: 'get_weather', arguments: typed }],
      tools: soupTools,
    },
    { name: 'no arguments', input: block('t', {}), output: [{ name: 't', arguments: {} }] },
    {
      name: 'markers inside a string',
      input: block('t', quoting),
      output: [{ name: 't', arguments: quoting }],
    },
    {
      name: 'a reply cut off inside the arguments',
      input: `One moment.\n${osloBlock.slice(0, osloBlock.indexOf('Oslo') + 2)}`,
      output: ['One moment.\n'],
      issues: ['truncated-call'],
    },
    {
      name: 'a reply cut off before the closer',
      input: osloBlock.slice(0, osloBlock.length - tail.length).trimEnd(),
      output: [oslo],
    },
    {
      name: 'a tool that was not offered',
      input: `Ready?\n${block('launch', { at: 5 })}`,
      output: [`Ready?\n${block('launch', { at: 5 })}`],
      issues: ['unknown-tool'],
      tools: soupTools,
    },
  ]
}
