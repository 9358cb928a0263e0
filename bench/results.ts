/** The document that keeps the figures of a run: ratios only, for times are true of one machine. */
import { readFile, writeFile } from 'node:fs/promises'
import type { Bar, Report } from './report.ts'
import { formatNumber, markdownRows, markdownTable, passes } from './report.ts'

const FILE = new URL('./RESULTS.md', import.meta.url)

/** All of them, in a new document. */
export async function writeResults(
  reports: ReadonlyMap<string, Report>,
  quick: boolean,
): Promise<void> {
  const sections = [
    introduction(),
    ...[...reports].map(([name, report]) => section(name, report, quick)),
    `## What was measured\n\n${await versions()}\n\n${LEFT_OUT}`,
  ]
  await writeFile(FILE, withSummary(sections))
}

/** Only these sections; the rest of the document stays as it is. */
export async function writeSections(
  reports: ReadonlyMap<string, Report>,
  quick: boolean,
): Promise<void> {
  let sections = (await readFile(FILE, 'utf8')).trimEnd().split(/\n\n(?=## )/)
  for (const [name, report] of reports) {
    sections = withSection(sections, name, section(name, report, quick))
  }
  await writeFile(FILE, withSummary(sections))
}

/** In the place of the section of that name, or before the last one. */
function withSection(sections: readonly string[], name: string, content: string): string[] {
  const at = sections.findIndex((one) => one.startsWith(`## ${name}\n`))
  return at >= 0 ? sections.with(at, content) : sections.toSpliced(-1, 0, content)
}

/** The bars of all sections at the beginning, as their last runs left them. */
function withSummary(sections: readonly string[]): string {
  const [first = '', ...rest] = sections.filter((one) => !one.startsWith('## Bars\n'))
  const rows = rest.flatMap(barRows)
  const met = rows.filter((row) => row.at(-1) === 'PASS').length
  const bars = `## Bars\n\n${met} of ${rows.length} met.\n\n${markdownRows(BAR_HEAD, rows)}`
  return `${[first, bars, ...rest].join('\n\n')}\n`
}

/** Read back from the table, of which the first two rows are its head. */
function barRows(text: string): string[][] {
  const [, table = ''] = text.split(/^### Bars of .*$/m)
  const lines = table.trim().split('\n').slice(2)
  return lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/\\(?=[^A-Za-z0-9\s])/g, '')),
  )
}

function introduction(): string {
  return `# Results

Written by \`npm run bench -- results\`. Do not edit.

Every figure is a ratio within one run. Contestants take turns, round by round, and each result is
checked; [harness.ts](harness.ts) says how. The *floor* is the least work that finds every Hermes call
in well-formed text: \`indexOf\` and one \`JSON.parse\` a call, or for streams an incremental scan that
holds back half a marker, collects the fragments of a call and joins them once ([floor.ts](floor.ts)).
The floor *with events* also hands out what it finds, as Toolglot does; no bar is held against it.
"hermes, tools" is Toolglot told which protocol to expect, "auto, tools" is Toolglot looking for all.`
}

function section(name: string, { tables, bars }: Report, quick: boolean): string {
  const command = `npm run bench -- results ${name}${quick ? ' --quick' : ''}`
  const written = `Written by \`${command}\` with Node ${process.version}.`
  const shown = tables.filter(({ detail }) => !detail).map(markdownTable)
  return [`## ${name}`, written, ...shown, `### Bars of ${name}`, barTable(bars)].join('\n\n')
}

const BAR_HEAD = ['bar', 'measured', 'limit', '']

function barTable(bars: readonly Bar[]): string {
  return markdownRows(
    BAR_HEAD,
    bars.map((bar) => [
      bar.name,
      formatNumber(bar.value),
      `${bar.kind === 'max' ? '≤' : '≥'} ${bar.limit}`,
      passes(bar) ? 'PASS' : 'FAIL',
    ]),
  )
}

async function versions(): Promise<string> {
  const { devDependencies } = JSON.parse(
    await readFile(new URL('./package.json', import.meta.url), 'utf8'),
  )
  return markdownRows(['package', 'version'], Object.entries(devDependencies))
}

const LEFT_OUT = `Packages are asked the way their documentation shows, with one protocol named to them, and what they
need is made ready before the clock starts. A peer *finds all calls* of a text when it returns each of
them with its name and arguments. There are two bars: against the best of those that find all calls in
every text they finish, and against the best of those that do so in the text at hand. The second is the
harder one: llm-stream-parser looks for tags with a regular expression and leaves the JSON to
\`JSON.parse\`, which is close to the floor on a reply that is one call. It loses calls where the prose
names a tag in one sentence and its closing tag in a later one, with a call between them; our prose
has such sentences, and it is because of them that the package fails the first test.

"> 20×" means that the package was stopped. Scripts in the arguments have no \`//\` in them, because
@ai-sdk-tool/parser needs minutes for 100 KB that do. Arguments: all parsers get the same JSON in the
same chunks; Toolglot also gets the markers around it and hands out deltas, while @streamparser/json is
asked for the value at the root only.

Left out: versions that need a newer Node or are not on npm (@ai-sdk-tool/parser 5, AI SDK 7), packages
with native code or a script at installation (BAML), and SDKs whose parser of unfinished JSON comes
with a client for an API.`
