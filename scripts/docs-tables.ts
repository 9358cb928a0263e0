/**
 * `npm run docs`: writes the tables of protocols, issues, repairs and the gateway into the documents,
 * between `<!-- name:start -->` and `<!-- name:end -->`, and the schema of the configuration. With
 * `--check`, only says which are out of date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SAMPLE_CALL } from '../src/cli/sample-tool.ts'
import { ISSUE_CODES, REPAIR_CODES } from '../src/core/issue.ts'
import type { Protocol } from '../src/core/protocol.ts'
import { configSchema } from '../src/gateway/config/schema.ts'
import { allProtocols } from '../src/protocols/registry.ts'
import { agentPages, agentTable, launchSnippet, manualSnippet } from './agent-snippets.ts'
import { apiTable } from './api-tables.ts'
import { configTables } from './config-tables.ts'
import { errorTables, metricTable } from './gateway-tables.ts'
import { budgetTable, settingTable } from './translation-tables.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const REGIONS: readonly { file: string; name: string; content: () => string }[] = [
  { file: 'README.md', name: 'protocols', content: protocolTable },
  { file: 'docs/reference/protocols.md', name: 'protocols', content: protocolSections },
  { file: 'docs/reference/issues.md', name: 'issues', content: () => codeTable(ISSUE_CODES) },
  { file: 'docs/reference/repairs.md', name: 'repairs', content: () => codeTable(REPAIR_CODES) },
  { file: 'docs/reference/translation.md', name: 'settings', content: settingTable },
  { file: 'docs/reference/translation.md', name: 'budgets', content: budgetTable },
  { file: 'docs/reference/gateway-apis.md', name: 'apis', content: apiTable },
  { file: 'docs/reference/gateway-config.md', name: 'properties', content: configTables },
  { file: 'docs/reference/gateway-errors.md', name: 'errors', content: errorTables },
  { file: 'docs/reference/gateway-metrics.md', name: 'metrics', content: metricTable },
  { file: 'docs/guides/gateway-clients.md', name: 'agents', content: agentTable },
  ...agentPages.flatMap(({ file, agent }) => [
    { file, name: 'launch', content: () => launchSnippet(agent) },
    { file, name: 'manual', content: () => manualSnippet(agent) },
  ]),
]

/** Files that are generated as a whole. */
const FILES: readonly { file: string; content: () => string }[] = [
  {
    file: 'schema/toolglot.config.schema.json',
    content: () => `${JSON.stringify(configSchema(), null, 2)}\n`,
  },
]

interface Comparison {
  readonly file: string
  readonly current: string
  readonly expected: string
}

/** Everything that is generated: as it is, and as it should be. */
export function compareDocuments(): Comparison[] {
  const documents = [...new Set(REGIONS.map(({ file }) => file))].map((file) => {
    const current = readFileSync(join(ROOT, file), 'utf8')
    const expected = REGIONS.filter((region) => region.file === file).reduce(
      (text, { name, content }) => replaceRegion(text, name, content(), file),
      current,
    )
    return { file, current, expected }
  })
  const files = FILES.map(({ file, content }) => {
    const path = join(ROOT, file)
    const current = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return { file, current, expected: content() }
  })
  return [...documents, ...files]
}

function replaceRegion(document: string, name: string, content: string, file: string): string {
  const start = `<!-- ${name}:start -->`
  const end = `<!-- ${name}:end -->`
  const from = document.indexOf(start)
  const to = document.indexOf(end, from)
  if (from === -1 || to === -1) throw new Error(`${file} has no ${start} … ${end}`)
  return `${document.slice(0, from + start.length)}\n\n${content}\n\n${document.slice(to)}`
}

function protocolTable(): string {
  const rows = allProtocols.map((protocol) => {
    const sample = codeSpan(protocol.formatCall(SAMPLE_CALL).replaceAll('\n', '⏎'))
    const link = `[\`${protocol.id}\`](docs/reference/protocols.md#${protocol.id})`
    return `| ${link} | ${escapeCell(protocol.emitters)} | ${kindOf(protocol)} | ${sample} |`
  })
  return ['| id | written by | kind | a call |', '|---|---|---|---|', ...rows].join('\n')
}

function protocolSections(): string {
  return allProtocols
    .map((protocol) => {
      const facts = `Written by: ${protocol.emitters}. Kind: ${kindOf(protocol)}.`
      return `### ${protocol.id}\n\n${facts}\n\n${fence(protocol.formatCall(SAMPLE_CALL))}`
    })
    .join('\n\n')
}

function codeTable(codes: Readonly<Record<string, string>>): string {
  const rows = Object.entries(codes).map(
    ([code, meaning]) => `| \`${code}\` | ${escapeCell(meaning)} |`,
  )
  return ['| code | meaning |', '|---|---|', ...rows].join('\n')
}

function kindOf({ free, auto }: Protocol): string {
  return `${free ? 'free' : 'marked'}${auto === false ? ', by name' : ''}`
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

// A table splits its cells at every `|`, also inside code.
function codeSpan(text: string): string {
  const ticks = longestRun(text, '`')
  const mark = '`'.repeat(ticks + 1)
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${mark}${space}${text.replaceAll('|', '\\|')}${space}${mark}`
}

function fence(text: string): string {
  const mark = '`'.repeat(Math.max(3, longestRun(text, '`') + 1))
  return `${mark}text\n${text}\n${mark}`
}

function longestRun(text: string, character: string): number {
  const runs = text.match(new RegExp(`${character}+`, 'g')) ?? []
  return Math.max(0, ...runs.map((run) => run.length))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const stale = compareDocuments().filter(({ current, expected }) => current !== expected)
  for (const { file, expected } of stale) {
    if (process.argv.includes('--check')) console.error(`${file} is out of date; run npm run docs`)
    else writeFileSync(join(ROOT, file), expected)
  }
  if (process.argv.includes('--check') && stale.length > 0) process.exitCode = 1
}
