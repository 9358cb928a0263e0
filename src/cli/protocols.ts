/** `toolglot protocols`: the text formats that can be read and written. */

import { didYouMean } from '../core/nearest.ts'
import type { Protocol } from '../core/protocol.ts'
import { allProtocols, findProtocol } from '../protocols/registry.ts'
import { COMMON_OPTIONS, readArguments } from './arguments.ts'
import { type Command, EXIT_OK, UsageError } from './command.ts'
import { SAMPLE_CALL, SAMPLE_RESULT, SAMPLE_TOOL } from './sample-tool.ts'
import { indent, type Style, type Terminal, table, wrap } from './terminal.ts'

const HELP = `Usage: toolglot protocols [id] [options]

Lists the text formats for tool calls that Toolglot reads and writes. With an id, shows one of them:
a call, the instructions that teach a model to write it, and the form of a result.

Options:
  --json       as JSON
  --no-color   no colours
  -h, --help   this text

Examples:
  toolglot protocols
  toolglot protocols hermes
  toolglot protocols --json`

const OPTIONS = { ...COMMON_OPTIONS, json: { type: 'boolean' } } as const

export const protocolsCommand: Command = {
  name: 'protocols',
  summary: 'list the text formats, or show one',
  help: HELP,
  options: OPTIONS,
  operands: allProtocols.map(({ id }) => id),
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OPTIONS)
    const [id, extra] = positionals
    if (extra !== undefined) throw new UsageError(`only one id at a time, but also got ${extra}`)
    if (id !== undefined) showOne(find(id), values.json === true, terminal)
    else showAll(values.json === true, terminal)
    return EXIT_OK
  },
}

function showAll(json: boolean, { print, style, width }: Terminal): void {
  if (json) {
    print(JSON.stringify(allProtocols.map(summary), null, 2))
    return
  }
  const rows = allProtocols.map((protocol) => [protocol.id, kindOf(protocol), protocol.emitters])
  print(table([['id', 'kind', 'written by'], ...rows], width))
  print('')
  print(
    style.dim(
      wrap(
        'marked: has a marker of its own. free: looks like ordinary text or JSON, so with tools given ' +
          'it is read only for those tools. by name: read only when asked for.',
        width,
        0,
      ),
    ),
  )
}

function showOne(protocol: Protocol, json: boolean, { print, style }: Terminal): void {
  if (json) {
    print(JSON.stringify(details(protocol), null, 2))
    return
  }
  const { call, instructions, result } = details(protocol)
  print(`${style.bold(protocol.id)}  ${style.dim(kindOf(protocol))}\n${protocol.emitters}`)
  print(block('A call', call, style))
  print(block('What a model is told', instructions, style))
  print(block('A result', result, style))
}

function block(title: string, text: string, { bold }: Style): string {
  return `\n${bold(title)}\n${indent(text, '  │ ')}`
}

function summary(protocol: Protocol) {
  return {
    id: protocol.id,
    emitters: protocol.emitters,
    free: protocol.free ?? null,
    auto: protocol.auto !== false,
    call: protocol.formatCall(SAMPLE_CALL),
  }
}

function details(protocol: Protocol) {
  return {
    ...summary(protocol),
    instructions: protocol.formatTools([SAMPLE_TOOL]),
    result: protocol.formatResult(SAMPLE_RESULT),
  }
}

function kindOf({ free, auto }: Protocol): string {
  return `${free ? 'free' : 'marked'}${auto === false ? ', by name' : ''}`
}

function find(id: string): Protocol {
  const found = findProtocol(id)
  if (found) return found
  const ids = allProtocols.map((protocol) => protocol.id)
  throw new UsageError(
    `no protocol is called ${id}${didYouMean(id, ids)}; "toolglot protocols" lists them all`,
  )
}
