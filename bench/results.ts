/** The document that keeps the figures of a run: ratios only, for times are true of one machine. */
import { readFile, writeFile } from 'node:fs/promises'
import type { Bar, Report } from './report.ts'
import { formatNumber, markdownRows, markdownTable, passes } from './report.ts'

const FILE = new URL('./RESULTS.md', import.meta.url)

export async function writeResults(
  reports: ReadonlyMap<string, Report>,
  quick: boolean,
): Promise<void> {
  const bars = [...reports.values()].flatMap((report) => report.bars)
  const sections = [
    introduction(quick),
    `## Bars\n\n${bars.filter(passes).length} of ${bars.length} met.\n\n${barTable(bars)}`,
    ...[...reports].map(([name, report]) => section(name, report)),
    `## What was measured\n\n${await versions()}\n\n${LEFT_OUT}`,
  ]
  await writeFile(FILE, `${sections.join('\n\n')}\n`)
}

/** Only these sections, each with its own bars; the rest of the document stays as it is. */
export async function writeSections(
  reports: ReadonlyMap<string, Report>,
  quick: boolean,
): Promise<void> {
  let text = await readFile(FILE, 'utf8')
  for (const [name, report] of reports) {
    const command = `npm run bench -- results ${name}${quick ? ' --quick' : ''}`
    const written = `Written by \`${command}\` with Node ${process.version}.`
    const [title = '', ...tables] = section(name, report).split('\n\n')
    const parts = [title, written, ...tables, `### Bars of ${name}`, barTable(report.bars)]
    text = withSection(text, name, parts.join('\n\n'))
  }
  await writeFile(FILE, text)
}

/** In the place of the section of that name, or before the last one. */
function withSection(text: string, name: string, content: string): string {
  const sections = text.trimEnd().split(/\n\n(?=## )/)
  const at = sections.findIndex((one) => one.startsWith(`## ${name}\n`))
  if (at >= 0) sections[at] = content
  else sections.splice(-1, 0, content)
  return `${sections.join('\n\n')}\n`
}

function introduction(quick: boolean): string {
  const command = `npm run bench -- results${quick ? ' --quick' : ''}`
  return `# Results

Written by \`${command}\` with Node ${process.version}. Do not edit.

Every figure is a ratio within one run. Contestants take turns, round by round, and each result is
checked; [harness.ts](harness.ts) says how. The *floor* is the least work that finds every Hermes call
in well-formed text: \`indexOf\` and one \`JSON.parse\` a call, or for streams an incremental scan that
holds back half a marker, collects the fragments of a call and joins them once ([floor.ts](floor.ts)).
"hermes, tools" is Toolglot told which protocol to expect, "auto, tools" is Toolglot looking for all.`
}

function section(name: string, { tables }: Report): string {
  const shown = tables.filter(({ detail }) => !detail).map(markdownTable)
  return [`## ${name}`, ...shown].join('\n\n')
}

function barTable(bars: readonly Bar[]): string {
  return markdownRows(
    ['bar', 'measured', 'limit', ''],
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
