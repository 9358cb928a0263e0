/** What `--print` shows: a shell script that sets what the agent would get. */
import { dirname } from 'node:path/posix'
import type { Agent, Manual, Setup } from './agent.ts'
import { contentOf } from './temporary-files.ts'

/** Stands for the temporary folder, which the script makes itself. */
export const FOLDER = '/toolglot-launch-folder'

export interface Line {
  readonly agent: Agent
  readonly url: string
  readonly model: string
  readonly setup: Setup
  readonly args: readonly string[]
}

/** For `eval`: variables and files. The command comes last, as a comment. */
export function setupScript({ agent, url, model, setup, args }: Line): string {
  const { env, preferences = {}, files = {}, links = {} } = setup
  const command = [agent.programs[0] ?? agent.id, ...(setup.args ?? []), ...args]
  return [
    `# ${agent.name}, model ${model}, gateway ${url}`,
    ...fileLines(files),
    ...Object.entries(links).map(([name, from]) => linkLine(from, `${FOLDER}/${name}`)),
    ...Object.entries(env).map(([name, value]) =>
      value === null ? `unset ${name}` : `export ${name}=${shellWord(value)}`,
    ),
    ...Object.entries(preferences).map(([name, value]) => `export ${name}="\${${name}:-${value}}"`),
    `# ${command.map(shellWord).join(' ')}`,
  ].join('\n')
}

function fileLines(files: NonNullable<Setup['files']>): string[] {
  const names = Object.keys(files)
  if (names.length === 0) return []
  const folders = new Set(names.map((name) => dirname(name)).filter((name) => name !== '.'))
  return [
    'toolglot_folder=$(mktemp -d)',
    ...[...folders].map((name) => `mkdir -p ${shellWord(`${FOLDER}/${name}`)}`),
    ...Object.entries(files).flatMap(([name, file]) => [
      `cat > ${shellWord(`${FOLDER}/${name}`)} <<'END'`,
      contentOf(file).trimEnd(),
      'END',
    ]),
  ]
}

/** An entry that the script has written itself is not replaced. */
function linkLine(from: string, to: string): string {
  return `for file in ${shellWord(from)}/*; do ln -s "$file" ${shellWord(to)}/ 2> /dev/null; done`
}

/** The variables and commands of lasting settings, for people who type them. */
export function manualScript({ env = {}, commands }: Manual): string {
  return [
    ...Object.entries(env).map(([name, value]) => `export ${name}=${shellWord(value)}`),
    ...commands.map((words) => words.map(shellWord).join(' ')),
  ].join('\n')
}

/** Bare where no shell would change it. */
function shellWord(word: string): string {
  if (/^~?[\w@%+=:,./-]+$/.test(word) && !word.startsWith(FOLDER)) return word
  const quoted = `'${word.replaceAll("'", `'\\''`)}'`
  return quoted
    .replaceAll(`'${FOLDER}`, `"$toolglot_folder"'`)
    .replaceAll(FOLDER, `'"$toolglot_folder"'`)
}
