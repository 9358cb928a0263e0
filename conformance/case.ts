/** Reading a case: one line of a JSONL file, checked before anything is run. */
import { readFileSync } from 'node:fs'
import { UsageError } from '../src/cli/command.ts'

export interface ExpectedCall {
  /** Null when the reference found a call without a name. */
  readonly name: string | null
  /** An object, or whatever the reference handed over as it was. */
  readonly arguments: unknown
}

export interface Case {
  readonly id: string
  readonly format: string
  /** The project the case comes from. */
  readonly source: string
  readonly test: string
  readonly tools: readonly { readonly name: string }[] | undefined
  readonly text: string
  /** The pieces the reference was fed with; undefined when it read the text at once. */
  readonly chunks: readonly string[] | undefined
  readonly calls: readonly ExpectedCall[]
  /** Undefined where the case does not check it. */
  readonly content: string | undefined
  readonly reasoning: string | undefined
  readonly strength: 'strict' | 'partial'
  readonly checks: CallChecks
  /** Set when the reference was told to look for other markers than those of the format. */
  readonly markers: Markers | undefined
  readonly policies: readonly string[]
}

export interface Markers {
  readonly open: string
  readonly close: string
}

/** What a case checks of the calls it expects. */
export interface CallChecks {
  readonly count: boolean
  readonly names: boolean
  readonly arguments: boolean
}

export function readCases(file: string): Case[] {
  return parseCases(readFileSync(file, 'utf8'), file)
}

/** `file` is only told in messages. */
export function parseCases(lines: string, file: string): Case[] {
  const cases: Case[] = []
  for (const [index, line] of lines.split('\n').entries()) {
    if (line.trim() === '') continue
    try {
      cases.push(caseOf(JSON.parse(line)))
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof UsageError)) throw error
      throw new UsageError(`${file}:${index + 1}: ${error.message}`)
    }
  }
  return cases
}

function caseOf(value: unknown): Case {
  const fields = objectOf(value, 'a case')
  const expected = objectOf(fields['expected'], '"expected"')
  const asserted =
    fields['asserted'] === undefined ? {} : objectOf(fields['asserted'], '"asserted"')
  const strength = strengthOf(fields['strength'])
  const text = stringOf(fields['text'], '"text"')
  return {
    id: stringOf(fields['id'], '"id"'),
    format: stringOf(fields['format'], '"format"'),
    ...originOf(fields['source']),
    tools: toolsOf(fields['tools']),
    text,
    chunks: fields['mode'] === 'stream' ? chunksOf(fields['chunks'], text) : undefined,
    calls: listOf(expected['calls'], '"expected.calls"').map(callOf),
    content: checkedText(expected['content'], asserted['content'], '"expected.content"'),
    reasoning: checkedText(expected['reasoning'], asserted['reasoning'], '"expected.reasoning"'),
    strength,
    checks: checksOf(strength, asserted['calls']),
    policies: policiesOf(fields['policy']),
    markers: markersOf(fields['notes']),
  }
}

function originOf(source: unknown): { source: string; test: string } {
  if (typeof source === 'string') return { source, test: '' }
  const { repo, file, test } = objectOf(source, '"source"')
  const place = [file, test].filter((part) => typeof part === 'string').join(' › ')
  return { source: stringOf(repo, '"source.repo"'), test: place }
}

function toolsOf(tools: unknown): Case['tools'] {
  if (tools === null || tools === undefined) return undefined
  return listOf(tools, '"tools"').map((tool) => {
    const fields = objectOf(tool, 'a tool')
    return { ...fields, name: stringOf(fields['name'], 'the name of a tool') }
  })
}

function chunksOf(chunks: unknown, text: string): string[] {
  const pieces = listOf(chunks, '"chunks"').map((chunk) => stringOf(chunk, 'a chunk'))
  if (pieces.join('') !== text) throw new UsageError('"chunks" do not join to "text"')
  return pieces
}

function callOf(call: unknown): ExpectedCall {
  const fields = objectOf(call, 'an expected call')
  return {
    name: fields['name'] === null ? null : stringOf(fields['name'], 'the name of an expected call'),
    arguments: fields['arguments'],
  }
}

function strengthOf(strength: unknown): Case['strength'] {
  if (strength === undefined || strength === 'strict') return 'strict'
  if (strength === 'partial') return 'partial'
  throw new UsageError('"strength" must be "strict" or "partial"')
}

/** `null` says that there is no such text, which we tell as an empty one. */
function checkedText(value: unknown, asserted: unknown, what: string): string | undefined {
  if (value === undefined || asserted === false) return undefined
  return value === null ? '' : stringOf(value, what)
}

function checksOf(strength: Case['strength'], asserted: unknown): CallChecks {
  if (strength === 'strict') return { count: true, names: true, arguments: true }
  const parts = typeof asserted === 'string' ? asserted.split('+') : []
  return {
    count: parts.includes('count') || parts.includes('zero'),
    names: parts.includes('names'),
    arguments: parts.includes('arguments'),
  }
}

function policiesOf(policy: unknown): string[] {
  if (policy === undefined || policy === null) return []
  const policies = Array.isArray(policy) ? policy : [policy]
  return policies.map((one) => stringOf(one, '"policy"'))
}

/** Cases tell in a note how the reference was set up. */
const OPTIONS = /protocol options: (\{.*\})/

function markersOf(notes: unknown): Markers | undefined {
  const written = typeof notes === 'string' ? OPTIONS.exec(notes)?.[1] : undefined
  if (written === undefined) return undefined
  const { toolCallStart, toolCallEnd } = objectOf(JSON.parse(written), 'the options in "notes"')
  if (toolCallStart === undefined) return undefined
  return {
    open: stringOf(toolCallStart, '"toolCallStart"'),
    close: stringOf(toolCallEnd, '"toolCallEnd"'),
  }
}

// ── shapes ──────────────────────────────────────────────────────────────────────────────────────

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${what} must be an object`)
  }
  return { ...value }
}

function listOf(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new UsageError(`${what} must be an array`)
  return value
}

function stringOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new UsageError(`${what} must be a string`)
  return value
}
