/** `toolglot protocols`: the text formats that can be read and written. */
import type { Protocol } from '../core/protocol.ts'
import { allProtocols } from '../protocols/registry.ts'
import { createCatalogueCommand } from './catalogue.ts'
import type { Command } from './command.ts'
import { SAMPLE_CALL, SAMPLE_RESULT, SAMPLE_TOOL } from './sample-tool.ts'
import { indent, type Style, type Terminal } from './terminal.ts'

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

export const protocolsCommand: Command = createCatalogueCommand({
  name: 'protocols',
  summary: 'list the text formats, or show one',
  help: HELP,
  noun: 'protocol',
  members: allProtocols,
  summarize: summary,
  detail: details,
  head: ['id', 'kind', 'written by'],
  row: (protocol) => [protocol.id, kindOf(protocol), protocol.emitters],
  legend:
    'marked: has a marker of its own. free: looks like ordinary text or JSON, so with tools given ' +
    'it is read only for those tools. by name: read only when asked for.',
  show: showOne,
})

function showOne(protocol: Protocol, { print, style }: Terminal): void {
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
