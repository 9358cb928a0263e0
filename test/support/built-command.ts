/** The `toolglot` command in one file: a process that has to compile the sources first takes ten times as long. */
import { copyFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Puts the command into a folder, laid out like the package; the path of the program. */
export async function buildCommand(folder: string): Promise<string> {
  const main = join(folder, 'dist', 'cli', 'main.js')
  const build = await rolldown({
    input: join(ROOT, 'src', 'cli', 'main.ts'),
    platform: 'node',
    external: [/^@modelcontextprotocol\//, 'node-sqlite3-wasm', 'eventsource-parser'],
  })
  await build.write({ file: main, format: 'esm', codeSplitting: false })
  await build.close()
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return main
}
