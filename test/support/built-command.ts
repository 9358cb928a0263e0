/** The `toolglot` command in a few files: a process that has to compile the sources first takes ten times as long. */
import { copyFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Puts the command into a folder, laid out like the package; the path of the program. */
export async function buildCommand(folder: string): Promise<string> {
  const main = join(folder, 'dist', 'cli', 'main.js')
  const build = await rolldown({
    input: join(ROOT, 'src', 'cli', 'main.ts'),
    platform: 'node',
    // What the package itself leaves to npm.
    external: [/^[^./]/],
  })
  // In pieces, because some commands bring packages that the others are quicker without.
  await build.write({ dir: dirname(main), format: 'esm', chunkFileNames: '[name].js' })
  await build.close()
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return main
}
